"""The topic classifier that comes with Headwater."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from training.topics import pack_classifier

from headwater.documents.embedding.build import MULTILINGUAL
from headwater.documents.embedding.encoder import open_encoder
from headwater.model.errors import Refused
from headwater.stories.clustering.similarity import StoryItem
from headwater.stories.topics.classifier import BUCKETS, TopicClassifier, hashed_words, topic_features
from headwater.stories.topics.classify import classify_by_vectors, classify_by_words
from headwater.stories.topics.media_topics import TOPIC_NAMES, UNKNOWN_TOPIC
from headwater.stories.topics.model_file import FILE, load_classifier, unpack_classifier

EXAMPLES = {
    "15000000": "The striker scored twice as Dunmore Rovers won the cup final on penalties.",
    "02000000": "A court in Arden sentenced the former banker to six years in prison for fraud; police arrested two more.",
    "11000000": "The senate passed the bill after the president and party leaders agreed on the vote.",
    "16000000": "Shells hit two towns near the border and soldiers withdrew after the ceasefire collapsed.",
    "03000000": "A plane with 120 people on board crashed into the sea; rescuers found no survivors.",
    "07000000": "Doctors warn that the new virus spreads quickly; patients with symptoms should get the vaccine.",
}


def test_g15_it_knows_the_17_top_levels_and_is_small():
    head = load_classifier(MULTILINGUAL.name)
    assert set(head.codes) == set(TOPIC_NAMES)
    assert head.weights.shape == (512 + BUCKETS, 17)
    assert FILE.stat().st_size < 200_000


def test_g15_clear_cases_are_classified(tmp_path: Path):
    encode = open_encoder(tmp_path)
    texts = list(EXAMPLES.values())
    probabilities = load_classifier(encode.name).probabilities(
        topic_features(texts, encode(texts), ["en"] * len(texts))
    )
    assert [load_classifier(encode.name).codes[place] for place in probabilities.argmax(axis=1)] == list(
        EXAMPLES
    )


def test_it_abstains_where_nothing_stands_out():
    head = TopicClassifier(
        ("15000000", "16000000"), np.eye(2, dtype=np.float32), np.zeros(2, dtype=np.float32), 0.6
    )
    unsure, sure = head(np.array([[0, 0.1], [0, 5]], dtype=np.float32))
    assert (unsure.code, unsure.name) == (UNKNOWN_TOPIC, "unclassified")
    assert unsure.confidence == pytest.approx(0.525, abs=1e-3)
    assert sure.name == "conflict, war and peace"


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.text(max_size=40) | st.sampled_from(["", "\x00\ud800", "мост bridge 桥", "a" * 200_000]),
            st.sampled_from(["", "en", "xx"]),
            st.sampled_from([0.0, 1.0, float("nan"), float("inf"), 1e30]),
        ),
        min_size=1,
        max_size=4,
    )
)
def test_g15_bad_input_gets_a_topic_or_none_with_a_finite_score(rows: list[tuple[str, str, float]]):
    items = [
        StoryItem(id=f"{number}", title=text, language=language)
        for number, (text, language, _) in enumerate(rows)
    ]
    vectors = np.array([[value] * 512 for *_, value in rows], dtype=np.float32)
    for topics in (classify_by_vectors(items, vectors, MULTILINGUAL.name), classify_by_words(items)):
        assert all(0 <= topic.confidence <= 1 for topic in topics)
        assert {topic.code for topic in topics} <= {*TOPIC_NAMES, UNKNOWN_TOPIC}


def test_g15_a_text_without_a_word_has_no_topic():
    items = [StoryItem(id="a", title="🚢🔥", text="🌊 … !"), StoryItem(id="b")]
    vectors = np.ones((2, 512), dtype=np.float32)
    for topics in (classify_by_vectors(items, vectors, MULTILINGUAL.name), classify_by_words(items)):
        assert [topic.code for topic in topics] == [UNKNOWN_TOPIC] * 2


def test_it_is_not_used_with_another_encoder():
    with pytest.raises(Refused, match="train it again"):
        load_classifier("another")


def test_packing_loses_next_to_nothing():
    chance = np.random.default_rng(1)
    head = TopicClassifier(
        ("a", "b"), chance.normal(size=(30, 2)).astype(np.float32), np.ones(2, dtype=np.float32), 0.5
    )
    again = unpack_classifier(pack_classifier(head, "e"), "e")
    assert np.abs(again.weights - head.weights).max() < 0.02
    assert (again.codes, again.threshold) == (head.codes, head.threshold)


def test_hashed_words_do_not_depend_on_order_or_company():
    alone = hashed_words(["ports and pilots"])
    assert np.array_equal(alone[0], hashed_words(["", "pilots and ports"])[1])
    assert np.linalg.norm(alone) == pytest.approx(1)
    assert not hashed_words([""]).any()
