"""The comparison of a replay: laws that hold for any two documents, and what counts as better or worse."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.engine.replay_diff import MAX_VALUE_LENGTH, compare_outcomes
from headwater.model.document import Document, FactValue, Mention
from headwater.model.jobs import State
from headwater.model.replay import DocumentOutcome, ReplayVerdict

WHEN = datetime(2026, 11, 13, 8, tzinfo=UTC)
OPPOSITE = {ReplayVerdict.BETTER: ReplayVerdict.WORSE, ReplayVerdict.WORSE: ReplayVerdict.BETTER}
WORDS = st.text("ab \x00é", max_size=30)
SCORES = st.none() | st.floats(0, 1)


def _document(**changes: Any) -> Document:
    fields = {"title": "Title", "text": "One two three. " * 20, "language": "en", "quality": 0.7}
    return Document(
        id="d", recipe="r", source="s", lead="l", url="https://wire.example/a", **(fields | changes)
    )


def _kept_outcome(**changes: Any) -> DocumentOutcome:
    return DocumentOutcome(state=State.KEPT, document=_document(**changes))


def _ended_outcome(state: State, reason: str, of: str | None = None) -> DocumentOutcome:
    return DocumentOutcome(state=state, reason=reason, of=of, document=_document())


kept_outcomes = st.builds(
    _kept_outcome,
    title=WORDS,
    text=st.text("ab ", max_size=60),
    authors=st.lists(WORDS, max_size=2).map(tuple),
    published=st.none() | st.sampled_from([WHEN, WHEN + timedelta(hours=1)]),
    description=WORDS,
    image=WORDS,
    language=st.sampled_from(["", "en", "de"]),
    quality=SCORES,
    subjects=st.lists(st.sampled_from("xyz"), max_size=3).map(tuple),
    attributes=st.dictionaries(st.sampled_from("pq"), WORDS | st.integers() | st.lists(WORDS), max_size=2),
    facts=st.dictionaries(st.sampled_from("fg"), st.builds(FactValue, WORDS | st.none()), max_size=2),
)
ended_outcomes = st.builds(
    _ended_outcome,
    st.sampled_from([state for state in State if state is not State.KEPT]),
    st.sampled_from(["", "why"]),
)
outcomes = kept_outcomes | ended_outcomes


@given(outcomes)
def test_an_outcome_compared_with_itself_is_the_same(outcome: DocumentOutcome):
    assert compare_outcomes(outcome, outcome) == (ReplayVerdict.SAME, ())


@given(outcomes, outcomes)
def test_with_swapped_arguments_better_is_worse_and_everything_else_stays(
    first: DocumentOutcome, second: DocumentOutcome
):
    verdict, differences = compare_outcomes(first, second)
    back, swapped = compare_outcomes(second, first)
    assert back == OPPOSITE.get(verdict, verdict)
    assert [(d.field, d.after, d.before, -d.direction) for d in swapped] == [
        (d.field, d.before, d.after, d.direction) for d in differences
    ]


@given(outcomes, outcomes)
def test_every_verdict_but_the_same_has_differences_and_none_is_long(
    first: DocumentOutcome, second: DocumentOutcome
):
    verdict, differences = compare_outcomes(first, second)
    assert (verdict is ReplayVerdict.SAME) == (not differences)
    assert all(len(value) <= MAX_VALUE_LENGTH + 40 for d in differences for value in (d.before, d.after))


@pytest.mark.parametrize(
    ("before", "after", "verdict", "ending"),
    [
        (
            _kept_outcome(),
            _ended_outcome(State.DROPPED, "too_short"),
            ReplayVerdict.WORSE,
            "dropped: too_short",
        ),
        (
            _kept_outcome(),
            _ended_outcome(State.QUARANTINED, "error:ValueError"),
            ReplayVerdict.WORSE,
            "quarantined: error:ValueError",
        ),
        (_ended_outcome(State.DROPPED, "too_short"), _kept_outcome(), ReplayVerdict.BETTER, "kept"),
        (_ended_outcome(State.ASIDE, "empty"), _kept_outcome(), ReplayVerdict.BETTER, "kept"),
        (
            _ended_outcome(State.DROPPED, "a"),
            _ended_outcome(State.DROPPED, "b"),
            ReplayVerdict.CHANGED,
            "dropped: b",
        ),
        (
            _ended_outcome(State.DUPLICATE, "duplicate:text", "x"),
            _ended_outcome(State.DUPLICATE, "duplicate:text", "y"),
            ReplayVerdict.CHANGED,
            "duplicate of y",
        ),
    ],
)
def test_how_a_document_ends_comes_first(
    before: DocumentOutcome, after: DocumentOutcome, verdict: ReplayVerdict, ending: str
):
    actual, (difference,) = compare_outcomes(before, after)
    assert (actual, difference.field, difference.after) == (verdict, "state", ending)


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({"published": WHEN}, ReplayVerdict.BETTER),
        ({"authors": ("Ada Lark",)}, ReplayVerdict.BETTER),
        ({"language": ""}, ReplayVerdict.WORSE),
        ({"title": "Another title"}, ReplayVerdict.CHANGED),
        ({"language": "", "image": "https://wire.example/p.png"}, ReplayVerdict.CHANGED),
        ({"text": "One two three. " * 30}, ReplayVerdict.BETTER),
        ({"text": "One two three. " * 10}, ReplayVerdict.WORSE),
        ({"text": "One two three! " * 20}, ReplayVerdict.CHANGED),
        ({"text": ""}, ReplayVerdict.WORSE),
        ({"quality": 0.71}, ReplayVerdict.SAME),
        ({"quality": 0.8}, ReplayVerdict.BETTER),
        ({"quality": 0.6}, ReplayVerdict.WORSE),
        ({"facts": {"fee": FactValue(12)}}, ReplayVerdict.BETTER),
        ({"attributes": {"section": "markets"}}, ReplayVerdict.BETTER),
        ({"subjects": ("coins",)}, ReplayVerdict.CHANGED),
        ({"mentions": (Mention("coins", "name", 0.9),)}, ReplayVerdict.CHANGED),
        ({"mentions": (Mention("coins", "seen_for", 0.5),)}, ReplayVerdict.SAME),
        ({"group": "day"}, ReplayVerdict.CHANGED),
        ({"origins": {"title": "page"}}, ReplayVerdict.SAME),
    ],
)
def test_a_change_is_better_worse_or_neither(changes: dict[str, Any], verdict: ReplayVerdict):
    assert compare_outcomes(_kept_outcome(), _kept_outcome(**changes))[0] is verdict


def test_a_fresh_document_equals_what_the_store_returns_for_it():
    fresh = _kept_outcome(
        title="Nul\x00",
        published=WHEN.astimezone(timezone(timedelta(hours=2))),
        attributes={"list": ("a", "b"), "when": WHEN, "nothing": float("nan")},
        facts={"fee": FactValue({"amounts": (1, 2.0)})},
    )
    stored = _kept_outcome(
        title="Nul\ufffd",
        published=WHEN,
        attributes={"list": ["a", "b"], "when": "2026-11-13T08:00:00Z", "nothing": None},
        facts={"fee": FactValue({"amounts": [1, 2]})},
    )
    assert compare_outcomes(stored, fresh) == (ReplayVerdict.SAME, ())


def test_long_texts_are_shown_around_the_first_change():
    same = "The same words again and again. " * 40
    _, (difference,) = compare_outcomes(
        _kept_outcome(text=f"{same}Then this."), _kept_outcome(text=f"{same}But that.")
    )
    assert difference.before == f"{len(same) + 10} characters: …ds again and again. Then this."
    assert difference.after == f"{len(same) + 9} characters: …ds again and again. But that."
