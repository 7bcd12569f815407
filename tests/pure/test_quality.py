"""The quality score: its table, its edges, its properties; and the step."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.documents.quality.article_body import has_article_body
from headwater.documents.quality.parse_quality import (
    PARAGRAPH_STEPS,
    SENTENCE_STEPS,
    WEIGHTS,
    WORD_STEPS,
    ScoreQuality,
    quality_label,
    score_parse_quality,
    step_value,
)
from headwater.model.document import Document
from headwater.model.outcomes import SetAside
from headwater.model.page import PageState
from headwater.model.recipe import StepContext
from headwater.text.sentences import count_sentences
from headwater.text.words import count_blocks, count_words, split_lower_words, split_words

CONTEXT = StepContext("r", datetime(2026, 11, 2, tzinfo=UTC), knowledge=None)  # type: ignore[arg-type]


STORY = (
    "The harbour of Dunmore was closed for three hours on Monday because of the fog, and no one was hurt.\n\n"
    "The captains said that they would wait for the tide. In the morning all of the ferries were on time again."
)


def prose(words: int) -> str:
    return " ".join(f"word{number}" for number in range(words))


def article(words: int) -> str:
    third = words // 3
    return f"{prose(third)}.\n\n{prose(third)}!\n\n{prose(words - 2 * third)}?"


def document(text: str, **values: object) -> Document:
    return Document(id="d", recipe="r", source="s", lead="l", url="https://x.example/", text=text, **values)  # type: ignore[arg-type]


def test_r72_weights_sum_to_one_and_the_score_is_clamped() -> None:
    assert sum(WEIGHTS.values()) == pytest.approx(1.0)
    best = score_parse_quality(
        f"{prose(200)}. a.\n\n{prose(1)} x. y.\n\n" + " ".join(f"other{n}" for n in range(200)),
        title=True,
        author=True,
        publisher=True,
        date=True,
    )
    assert best.value == 0.95
    assert score_parse_quality("").value == 0.0


@pytest.mark.parametrize(
    ("words", "value"),
    [
        (0, 0.0),
        (19, 0.0),
        (20, 0.2),
        (49, 0.2),
        (50, 0.4),
        (149, 0.4),
        (150, 0.7),
        (299, 0.7),
        (300, 1.0),
        (900, 1.0),
    ],
)
def test_r73_word_count_steps_at_their_edges(words: int, value: float) -> None:
    assert score_parse_quality(prose(words)).components["word_count"] == value


def test_r72_the_headline_of_a_page_is_metadata_and_adds_no_words() -> None:
    body = prose(149)
    assert score_parse_quality(f"# Eight words more\n\n{body}") == score_parse_quality(body)
    assert score_parse_quality("# Only a headline").components["word_count"] == 0


@pytest.mark.parametrize(
    ("words", "score", "name"),
    [
        (19, 0.40, "medium"),
        (20, 0.66, "high"),
        (49, 0.66, "high"),
        (50, 0.72, "high"),
        (149, 0.72, "high"),
        (150, 0.81, "high"),
        (299, 0.81, "high"),
        (300, 0.90, "high"),
    ],
)
def test_r73_scores_change_at_the_steps_of_the_word_count(words: int, score: float, name: str) -> None:
    """Three sentences in three paragraphs, every word once, no metadata."""
    text = ".\n\n".join(" ".join(f"{part}w{n}" for n in range(size)) for part, size in parts(words)) + "."
    result = score_parse_quality(text)
    assert (result.value, result.label) == (pytest.approx(score), name)


@pytest.mark.parametrize(("words", "name"), [(19, "low"), (20, "medium")])
def test_r76_a_teaser_with_all_its_metadata_is_still_low(words: int, name: str) -> None:
    everything = {"title": True, "author": True, "publisher": True, "date": True}
    assert score_parse_quality(f"{prose(words)}.", **everything).label == name


def parts(words: int) -> list[tuple[str, int]]:
    third = words // 3
    return [("a", third), ("b", third), ("c", words - 2 * third)]


def test_r74_diversity_is_unique_words_by_words() -> None:
    assert score_parse_quality("one two One three").components["diversity"] == 0.75


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("no end", 0),
        ("It rose 3.5 percent", 0),
        ("It rose. It fell!", 2),
        ("“Really?” he said.", 2),
        ("是的。好！", 2),
    ],
)
def test_r74_sentences_are_counted_by_terminal_punctuation(text: str, sentences: int) -> None:
    assert count_sentences(text) == sentences
    assert score_parse_quality(text).components["sentence"] == step_value(SENTENCE_STEPS, sentences)


@pytest.mark.parametrize(("text", "blocks"), [("", 0), ("a\nb", 1), ("a\n \nb", 2), ("a\n\n\n\nb\n\nc", 3)])
def test_r74_paragraphs_are_blocks_between_blank_lines(text: str, blocks: int) -> None:
    assert count_blocks(text) == blocks
    assert score_parse_quality(text).components["paragraph"] == step_value(PARAGRAPH_STEPS, blocks)


def test_r74_metadata_is_a_quarter_each() -> None:
    score = score_parse_quality(prose(30), title=True, date=True)
    assert score.components["metadata"] == 0.5
    assert {"no_author", "no_publisher"} <= set(score.reasons)


@pytest.mark.parametrize(
    ("value", "name"),
    [(0.0, "low"), (0.3499, "low"), (0.35, "medium"), (0.6499, "medium"), (0.65, "high"), (0.95, "high")],
)
def test_r75_labels_change_at_their_thresholds(value: float, name: str) -> None:
    assert quality_label(value) == name


def test_r76_low_quality_is_quarantined_with_its_components() -> None:
    (outcome,) = ScoreQuality()([document("Please enable scripts.")], CONTEXT)
    assert isinstance(outcome, SetAside)
    assert outcome.reason == "low_quality"
    assert outcome.evidence["label"] == "low"
    assert set(outcome.evidence["components"]) == set(WEIGHTS)
    assert {"few_words", "no_body"} <= set(outcome.evidence["reasons"])


def test_r76_the_labels_to_quarantine_can_be_set() -> None:
    (passed,) = ScoreQuality(set_aside=())([document("Please enable scripts.")], CONTEXT)
    assert isinstance(passed, Document)
    assert passed.quality == passed.notes["score"] < 0.35
    (stopped,) = ScoreQuality(set_aside=("low", "medium"))([document(prose(60))], CONTEXT)
    assert isinstance(stopped, SetAside)


def test_only_the_text_of_a_page_or_a_whole_text_of_the_source_is_a_body() -> None:
    texts = [
        document(STORY),
        document(STORY, page=PageState.NOT_NEEDED),
        document(STORY, origins={"text": "payload"}),
        document(STORY, origins={"text": "source"}, page=PageState.FORBIDDEN),
        document(STORY + " …", origins={"text": "source text"}, page=PageState.MISSING),
        document(STORY, origins={"text": "source text"}, page=PageState.MISSING),
    ]
    passed = [outcome for outcome in ScoreQuality()(texts, CONTEXT) if isinstance(outcome, Document)]
    assert [outcome.notes["components"]["body_found"] for outcome in passed] == [1.0, 1.0, 0.0, 0.0, 0.0, 1.0]
    assert [outcome.notes["label"] for outcome in passed[2:5]] == ["low"] * 3
    assert passed[5].quality == passed[1].quality


EVERYTHING = {
    "title": "Harbour",
    "authors": ("Jo Roe",),
    "publisher": "Wire",
    "published": datetime(2026, 11, 2, tzinfo=UTC),
}
LOOSE_WORDS = (
    "harbour ledger tide copper lantern velvet engine orchard marble signal thunder basket copper ribbon walnut "
    "mirror canyon saddle pepper anchor violet hammer pillow rocket garden button castle dragon feather glacier "
    "hazelnut island jungle kettle lemon magnet needle ocean parrot quartz rabbit silver tunnel umbrella valley "
    "window yellow zipper bridge candle desert emerald forest guitar helmet insect jacket kitten ladder meadow"
)


@pytest.mark.parametrize("separator", [" ", "\n", "\n\n", ". "])
def test_sixty_unrelated_words_score_low_whatever_surrounds_them(separator: str) -> None:
    words = LOOSE_WORDS.split()
    assert len(words) == 60
    (outcome,) = ScoreQuality()([document(separator.join(words), **EVERYTHING)], CONTEXT)
    assert isinstance(outcome, SetAside)
    assert (outcome.evidence["label"], outcome.evidence["components"]["body_found"]) == ("low", 0.0)


FINNISH = (
    "Satama oli suljettuna kolme tuntia maanantaina sumun vuoksi. Kukaan ei loukkaantunut, ja liikenne jatkui "
    "illalla normaalisti kaikilla reiteillä ilman viivytyksiä."
)
MENU = "Home\nAbout us\nContact the team\nTerms of use\nSign in to your account\nThe best of the week\n" * 4


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        (STORY, "en", True),
        (STORY, "", True),
        ("Short and sweet, but it is a sentence.", "en", False),
        (MENU, "en", False),
        ("因为大雾遮住了船只，港口在星期一关闭了三个小时。没有人受伤，船长们表示他们会等待。第二天早上，一切恢复正常。", "zh", True),
        ("ท่าเรือปิดทำการเป็นเวลาสามชั่วโมงในวันจันทร์เพราะหมอกหนามากและไม่มีผู้ใดได้รับบาดเจ็บจากเหตุการณ์นี้เลยแม้แต่คนเดียว", "th", True),
        (FINNISH, "fi", True),
    ],
)  # fmt: skip
def test_a_body_is_prose_in_any_language(text: str, language: str, expected: bool) -> None:
    assert has_article_body(text, language) is expected


def test_a_document_made_of_what_its_source_provided_is_scored_but_not_set_aside() -> None:
    teaser = document("It came late.", page=PageState.PAYWALL, origins={"text": "source"})
    read = document("It came late.", page=PageState.READ)
    kept, stopped = ScoreQuality()([teaser, read], CONTEXT)
    assert isinstance(kept, Document)
    assert kept.quality is not None
    assert kept.quality < 0.35
    assert isinstance(stopped, SetAside)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("don't stop L’Hospitalet 3.5", 4),
        ("ひらがな漢字", 3),
        ("因为大雾遮住了船只", 5),
        ("हिन्दी में शब्द", 3),
        ("한국어 문장", 2),
        ("ภาษาไทยไม่มีช่องว่าง", 4),
        ("--- * ---", 0),
    ],
)
def test_words_are_estimated_in_scripts_without_spaces(text: str, words: int) -> None:
    assert count_words(text) == words


TEXTS = st.text(alphabet=st.sampled_from("abc .!?\n語é"), max_size=400)
FLAGS = st.fixed_dictionaries(
    dict.fromkeys(("title", "author", "publisher", "date", "body_found"), st.booleans())
)


@given(TEXTS, FLAGS)
def test_the_score_stays_within_bounds(text: str, flags: dict[str, bool]) -> None:
    score = score_parse_quality(text, **flags)
    assert 0.0 <= score.value <= 0.95
    assert all(0.0 <= part <= 1.0 for part in score.components.values())
    assert score.label == quality_label(score.value)


@given(TEXTS, st.integers(1, 40))
def test_new_words_never_lower_the_score(text: str, more: int) -> None:
    longer = f"{prose(more)} {text}"
    assert score_parse_quality(longer).value >= score_parse_quality(f"{prose(more - 1)} {text}").value


@given(st.integers(0, 2000), st.integers(0, 2000))
def test_the_word_component_grows_with_the_words(first: int, second: int) -> None:
    low, high = sorted((first, second))
    assert step_value(WORD_STEPS, low) <= step_value(WORD_STEPS, high)


@given(TEXTS, FLAGS, st.sampled_from(["title", "author", "publisher", "date"]))
def test_metadata_never_lowers_the_score(text: str, flags: dict[str, bool], field: str) -> None:
    with_it = score_parse_quality(text, **{**flags, field: True})
    assert with_it.value >= score_parse_quality(text, **{**flags, field: False}).value


def test_the_published_table_is_the_one_in_the_code() -> None:
    page = (Path(__file__).parents[2] / "docs" / "explanation" / "quality.md").read_text()
    for name, weight in WEIGHTS.items():
        assert f"| {name} | {weight:.2f} |" in page
    for least, value in WORD_STEPS:
        assert f"| {least} | {value:.1f} |" in page


@given(st.text("aBé’'.,- İΣσςΑǅ東ก\u0301\n", max_size=60) | st.text(max_size=60))
def test_words_in_lower_case_are_the_words_of_the_text(text):
    assert split_lower_words(text) == [word.lower() for word in split_words(text)]


def test_no_more_sentences_are_counted_than_wanted():
    assert count_sentences("One. Two. Three. Four.", most=3) == 3
