"""The judge of a replay: laws that hold for any two documents, and what counts for better or worse."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from headwater.model.document import Document, Mention
from headwater.model.fact import Finding
from headwater.model.replay import Standing, Verdict
from headwater.model.work import State
from headwater.pure.replaying import LONGEST_VALUE, judge

WHEN = datetime(2026, 11, 13, 8, tzinfo=UTC)
OPPOSITE = {Verdict.BETTER: Verdict.WORSE, Verdict.WORSE: Verdict.BETTER}
WORDS = some.text("ab \x00é", max_size=30)
SCORES = some.none() | some.floats(0, 1)


def _document(**told: Any) -> Document:
    given = {"title": "Title", "text": "One two three. " * 20, "language": "en", "quality": 0.7}
    return Document(id="d", recipe="r", source="s", lead="l", url="https://wire.example/a", **(given | told))


def _kept(**told: Any) -> Standing:
    return Standing(state=State.KEPT, document=_document(**told))


def _ended(state: State, reason: str, of: str | None = None) -> Standing:
    return Standing(state=state, reason=reason, of=of, document=_document())


kept = some.builds(
    _kept,
    title=WORDS,
    text=some.text("ab ", max_size=60),
    authors=some.lists(WORDS, max_size=2).map(tuple),
    published=some.none() | some.sampled_from([WHEN, WHEN + timedelta(hours=1)]),
    description=WORDS,
    image=WORDS,
    language=some.sampled_from(["", "en", "de"]),
    quality=SCORES,
    subjects=some.lists(some.sampled_from("xyz"), max_size=3).map(tuple),
    attributes=some.dictionaries(
        some.sampled_from("pq"), WORDS | some.integers() | some.lists(WORDS), max_size=2
    ),
    facts=some.dictionaries(some.sampled_from("fg"), some.builds(Finding, WORDS | some.none()), max_size=2),
)
ended = some.builds(
    _ended,
    some.sampled_from([state for state in State if state is not State.KEPT]),
    some.sampled_from(["", "why"]),
)
standing = kept | ended


@given(standing)
def test_whatever_stands_as_it_stood_is_the_same(one: Standing):
    assert judge(one, one) == (Verdict.SAME, ())


@given(standing, standing)
def test_seen_from_the_other_side_better_is_worse_and_everything_else_stays(one: Standing, other: Standing):
    verdict, differences = judge(one, other)
    back, swapped = judge(other, one)
    assert back == OPPOSITE.get(verdict, verdict)
    assert [(d.field, d.after, d.before, -d.direction) for d in swapped] == [
        (d.field, d.before, d.after, d.direction) for d in differences
    ]


@given(standing, standing)
def test_every_verdict_but_the_same_has_differences_and_none_is_long(one: Standing, other: Standing):
    verdict, differences = judge(one, other)
    assert (verdict is Verdict.SAME) == (not differences)
    assert all(len(value) <= LONGEST_VALUE + 40 for d in differences for value in (d.before, d.after))


@pytest.mark.parametrize(
    ("before", "after", "verdict", "told"),
    [
        (_kept(), _ended(State.DROPPED, "too_short"), Verdict.WORSE, "dropped: too_short"),
        (
            _kept(),
            _ended(State.QUARANTINED, "error:ValueError"),
            Verdict.WORSE,
            "quarantined: error:ValueError",
        ),
        (_ended(State.DROPPED, "too_short"), _kept(), Verdict.BETTER, "kept"),
        (_ended(State.ASIDE, "empty"), _kept(), Verdict.BETTER, "kept"),
        (_ended(State.DROPPED, "a"), _ended(State.DROPPED, "b"), Verdict.CHANGED, "dropped: b"),
        (
            _ended(State.DUPLICATE, "duplicate:text", "x"),
            _ended(State.DUPLICATE, "duplicate:text", "y"),
            Verdict.CHANGED,
            "duplicate of y",
        ),
    ],
)
def test_how_a_document_ends_comes_first(before: Standing, after: Standing, verdict: Verdict, told: str):
    found, (difference,) = judge(before, after)
    assert (found, difference.field, difference.after) == (verdict, "state", told)


@pytest.mark.parametrize(
    ("told", "verdict"),
    [
        ({"published": WHEN}, Verdict.BETTER),
        ({"authors": ("Ada Lark",)}, Verdict.BETTER),
        ({"language": ""}, Verdict.WORSE),
        ({"title": "Another title"}, Verdict.CHANGED),
        ({"language": "", "image": "https://wire.example/p.png"}, Verdict.CHANGED),
        ({"text": "One two three. " * 30}, Verdict.BETTER),
        ({"text": "One two three. " * 10}, Verdict.WORSE),
        ({"text": "One two three! " * 20}, Verdict.CHANGED),
        ({"text": ""}, Verdict.WORSE),
        ({"quality": 0.71}, Verdict.SAME),
        ({"quality": 0.8}, Verdict.BETTER),
        ({"quality": 0.6}, Verdict.WORSE),
        ({"facts": {"fee": Finding(12)}}, Verdict.BETTER),
        ({"attributes": {"section": "markets"}}, Verdict.BETTER),
        ({"subjects": ("coins",)}, Verdict.CHANGED),
        ({"mentions": (Mention("coins", "name", 0.9),)}, Verdict.CHANGED),
        ({"mentions": (Mention("coins", "seen_for", 0.5),)}, Verdict.SAME),
        ({"group": "day"}, Verdict.CHANGED),
        ({"origins": {"title": "page"}}, Verdict.SAME),
    ],
)
def test_what_counts_for_better_and_for_worse(told: dict[str, Any], verdict: Verdict):
    assert judge(_kept(), _kept(**told))[0] is verdict


def test_what_comes_back_from_a_store_is_what_went_in():
    fresh = _kept(
        title="Nul\x00",
        published=WHEN.astimezone(timezone(timedelta(hours=2))),
        attributes={"list": ("a", "b"), "when": WHEN, "nothing": float("nan")},
        facts={"fee": Finding({"amounts": (1, 2.0)})},
    )
    stored = _kept(
        title="Nul\ufffd",
        published=WHEN,
        attributes={"list": ["a", "b"], "when": "2026-11-13T08:00:00Z", "nothing": None},
        facts={"fee": Finding({"amounts": [1, 2]})},
    )
    assert judge(stored, fresh) == (Verdict.SAME, ())


def test_two_long_texts_are_shown_where_they_part():
    same = "The same words again and again. " * 40
    _, (difference,) = judge(_kept(text=f"{same}Then this."), _kept(text=f"{same}But that."))
    assert difference.before == f"{len(same) + 10} characters: …ds again and again. Then this."
    assert difference.after == f"{len(same) + 9} characters: …ds again and again. But that."
