"""Which stories somebody should be told of, and when a flashpoint is too quiet."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta

LEAST_GROWTH = 2
"""A story must have gained at least so many articles: from one to two is no news."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertRules:
    """What is worth an alert; a rule that is None or empty is off.

    `score`: the hotspot score reaches it. `growth`: so many times the articles it had at the last alert, or at first.
    `topics`, `subjects`: the story comes to be about one of them. `new_story`: it reaches so many articles for the first
    time. `silence`: a flashpoint that has had entries gets none for so long.
    """

    score: float | None = None
    growth: float | None = None
    topics: frozenset[str] = frozenset()
    subjects: frozenset[str] = frozenset()
    new_story: int | None = None
    silence: timedelta | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryState:
    """How a story stands. `base` is how many articles it had when growth was last counted from."""

    score: float
    articles: int
    topic: str
    subjects: frozenset[str] = frozenset()
    base: int = 0


NO_STATE = StoryState(score=-1.0, articles=0, topic="")


def rules_met(rules: AlertRules, news: StoryState, before: StoryState | None) -> tuple[str, ...]:
    """The names of the rules that hold now and did not hold before, in order of name."""
    earlier = before or NO_STATE
    return tuple(name for name, holds in sorted(CHECKS.items()) if holds(rules, news, earlier))


def growth_base(news: StoryState, before: StoryState | None, found: tuple[str, ...]) -> int:
    """From how many articles growth is counted next: anew after every alert."""
    return news.articles if found or before is None or not before.base else before.base


def _scores(rules: AlertRules, news: StoryState, before: StoryState) -> bool:
    return rules.score is not None and before.score < rules.score <= news.score


def _grows(rules: AlertRules, news: StoryState, before: StoryState) -> bool:
    if rules.growth is None or before.base < 1:
        return False
    gained = news.articles - before.base
    return gained >= LEAST_GROWTH and news.articles >= before.base * rules.growth


def _is_about(rules: AlertRules, news: StoryState, before: StoryState) -> bool:
    return news.topic in rules.topics and before.topic not in rules.topics


def _concerns(rules: AlertRules, news: StoryState, before: StoryState) -> bool:
    return bool((news.subjects - before.subjects) & rules.subjects)


def _is_new(rules: AlertRules, news: StoryState, before: StoryState) -> bool:
    return rules.new_story is not None and before.articles < rules.new_story <= news.articles


CHECKS: Mapping[str, Callable[[AlertRules, StoryState, StoryState], bool]] = {
    "score": _scores,
    "growth": _grows,
    "topic": _is_about,
    "subject": _concerns,
    "new_story": _is_new,
}
