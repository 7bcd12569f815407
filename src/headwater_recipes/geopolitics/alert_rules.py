"""Alert rules: which changes of a story are worth an alert, and when a flashpoint is silent for too long."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta

LEAST_GROWTH = 2
"""Growth needs at least so many new articles: from one to two is not worth an alert."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertRules:
    """A rule that is None or empty is off.

    `score`: the hotspot score reaches it. `growth`: the story has so many times the articles of its last alert, or of its
    start. `topics`, `subjects`: the story newly concerns one of them. `new_story`: it reaches so many articles for the
    first time. `silence`: a flashpoint that had entries gets none for so long.
    """

    score: float | None = None
    growth: float | None = None
    topics: frozenset[str] = frozenset()
    subjects: frozenset[str] = frozenset()
    new_story: int | None = None
    silence: timedelta | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryState:
    """What the rules compare. `base`: the number of articles from which growth is counted."""

    score: float
    articles: int
    topic: str
    subjects: frozenset[str] = frozenset()
    base: int = 0


NO_STATE = StoryState(score=-1.0, articles=0, topic="")


def rules_met(rules: AlertRules, state: StoryState, before: StoryState | None) -> tuple[str, ...]:
    """The names of the rules that hold now and did not hold before, sorted."""
    earlier = before or NO_STATE
    return tuple(name for name, holds in sorted(CHECKS.items()) if holds(rules, state, earlier))


def growth_base(state: StoryState, before: StoryState | None, rules: tuple[str, ...]) -> int:
    """The number of articles from which growth is counted next. Every alert resets it."""
    return state.articles if rules or before is None or not before.base else before.base


def _scores(rules: AlertRules, state: StoryState, before: StoryState) -> bool:
    return rules.score is not None and before.score < rules.score <= state.score


def _grows(rules: AlertRules, state: StoryState, before: StoryState) -> bool:
    if rules.growth is None or before.base < 1:
        return False
    gained = state.articles - before.base
    return gained >= LEAST_GROWTH and state.articles >= before.base * rules.growth


def _is_about(rules: AlertRules, state: StoryState, before: StoryState) -> bool:
    return state.topic in rules.topics and before.topic not in rules.topics


def _concerns(rules: AlertRules, state: StoryState, before: StoryState) -> bool:
    return bool((state.subjects - before.subjects) & rules.subjects)


def _is_new(rules: AlertRules, state: StoryState, before: StoryState) -> bool:
    return rules.new_story is not None and before.articles < rules.new_story <= state.articles


CHECKS: Mapping[str, Callable[[AlertRules, StoryState, StoryState], bool]] = {
    "score": _scores,
    "growth": _grows,
    "topic": _is_about,
    "subject": _concerns,
    "new_story": _is_new,
}
