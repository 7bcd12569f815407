"""Filters of documents and stories: every condition, and which one was not met."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.documents.filters import KeepMatching, story_meets, unmet_condition
from headwater.model.document import Document, Mention
from headwater.model.filters import DocumentFilter, StoryFilter
from headwater.model.outcomes import Drop
from headwater.model.recipe import EmptyKnowledge, StepContext
from headwater.model.story import Member, Story

DOCUMENT = Document(
    id="d1",
    recipe="news",
    source="s1",
    lead="l1",
    url="https://news.tide.example/a",
    title="Offshore wind auction",
    text="The Café grid operator sold six sites. 電力市場の改革。",
    language="en",
    quality=0.6,
    subjects=("acme",),
    mentions=(Mention("grid-co", "alias", 0.9),),
)
NAMES = {"s1": "Tide Weekly"}


@pytest.mark.parametrize(
    ("conditions", "condition"),
    [
        ({}, None),
        ({"words": "WIND"}, None),
        ({"words": ["sea", "offshore wind"]}, None),
        ({"words": "auc"}, "words"),
        ({"words": "auc*"}, None),
        ({"words": "cafe"}, None),
        ({"words": "市場"}, None),
        ({"words": "…"}, "words"),
        ({"without": "grid"}, "without"),
        ({"without": ["gri"]}, None),
        ({"subjects": "acme"}, None),
        ({"subjects": ["grid-co"]}, None),
        ({"subjects": "other"}, "subjects"),
        ({"language": ["de", "en"]}, None),
        ({"language": "de"}, "language"),
        ({"source": "tide weekly"}, None),
        ({"source": "s1"}, None),
        ({"source": "tide.example"}, None),
        ({"source": "ide.example"}, "source"),
        ({"quality": 0.6}, None),
        ({"quality": 0.7}, "quality"),
        ({"min_words": 7}, None),
        ({"min_words": 9}, "min_words"),
        ({"words": "wind", "quality": 0.9}, "quality"),
    ],
)
def test_the_first_condition_that_is_not_met_is_named(conditions, condition):
    assert unmet_condition(DocumentFilter(**conditions), DOCUMENT, NAMES) == condition


@given(st.text(max_size=40), st.lists(st.text(max_size=8), max_size=3))
def test_no_text_and_no_word_breaks_a_filter(text, words):
    document = DOCUMENT.with_changes(title=text, text=text)
    for conditions in (DocumentFilter(words=words), DocumentFilter(without=words)):
        assert unmet_condition(conditions, document) in {None, "words", "without"}


def test_the_step_drops_with_the_condition_as_reason_and_its_version_follows_the_filter():
    context = StepContext("news", None, EmptyKnowledge())  # type: ignore[arg-type]
    keep, other = KeepMatching(DocumentFilter(language="de")), KeepMatching(DocumentFilter(language="en"))
    assert keep([DOCUMENT], context) == [Drop("filtered:language")]
    assert other([DOCUMENT], context) == [DOCUMENT]
    assert keep.version != other.version


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ({}, True),
        ({"min_documents": 2}, True),
        ({"min_documents": 3}, False),
        ({"score": 0.5}, True),
        ({"score": 0.9}, False),
        ({"words": "strike"}, True),
        ({"without": "port"}, False),
    ],
)
def test_a_story_must_meet_every_condition(conditions, expected):
    story = Story(
        id="s",
        recipe="news",
        group="g",
        title="Port strike",
        members=(Member("a"), Member("b")),
        summary="Ships wait.",
        score=0.5,
    )
    assert story_meets(StoryFilter(**conditions), story) is expected
