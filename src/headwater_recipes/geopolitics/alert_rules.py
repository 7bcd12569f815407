"""Alert rules: which changes of a story are worth an alert, and when a flashpoint is silent for too long."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta

from headwater.stories.topics.media_topics import TOPIC_NAMES

LEAST_GROWTH = 4
"""Growth needs at least so many new reports: from three to six is not worth an alert."""
COOLED = 0.1
"""A story that alerted by its score can do so again once the score was this much below the limit, because scores rise with
each article and fall with each hour."""
RECENT = timedelta(hours=48)
"""Older articles cause no alert: a source that delivers its archive reports nothing new."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertRules:
    """A rule that is None or empty is off.

    `score`: the hotspot score reaches it. `growth`: the story has so many times the reports a week that it had at its last
    alert, at its start, or when it was lowest since. `topics`, `subjects`: the story newly concerns one of them. `new_story`: it reaches so many reports for the
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
    """What the rules compare. `of_week`: the reports of the last week. `recent`: those of the last 48 hours. `gained`: those that
    appeared after the newest report of the last alert, or of the start; reports that arrive late are none of them. `growth_from`: the
    number of a week from which growth is counted. `is_quiet`: its newest report is older than 48 hours. `is_hot`: an alert was sent because of its
    score. `withheld`: the rules that were met while nothing was recent."""

    score: float
    reports: int
    topic: str
    recent: int
    of_week: int = 0
    growth_from: int = 0
    subjects: frozenset[str] = frozenset()
    gained: int = 0
    is_quiet: bool = False
    is_hot: bool = False
    withheld: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertDecision:
    """`rules`: why an alert is sent, with a reason in words for each; none is sent without them. The rest is remembered for
    the next comparison."""

    rules: tuple[str, ...]
    reasons: tuple[str, ...]
    withheld: tuple[str, ...]
    is_hot: bool


NO_STATE = StoryState(score=-1.0, reports=0, topic="", recent=0)


def decide_alert(rules: AlertRules, state: StoryState, before: StoryState | None) -> AlertDecision:
    """Whether the story alerts: a rule holds now and did not hold before, and the story has recent articles. A rule that
    was met without any is met again when recent ones come."""
    earlier = before or NO_STATE
    met = {name for name, holds in CHECKS.items() if holds(rules, state, earlier)}
    met |= {name for name in earlier.withheld if CHECKS[name](rules, state, NO_STATE)}
    names = tuple(sorted(met))
    sent = names if state.recent else ()
    return AlertDecision(
        rules=sent,
        reasons=tuple(REASONS[name](rules, state, earlier) for name in sent),
        withheld=() if state.recent else names,
        is_hot="score" in sent or _stays_hot(rules, state, earlier),
    )


def _stays_hot(rules: AlertRules, state: StoryState, before: StoryState) -> bool:
    """A story that alerted by its score does so again after it cooled or was quiet, and with several new articles."""
    if rules.score is None or not before.is_hot:
        return False
    has_cooled = before.is_quiet or min(state.score, before.score) < rules.score - COOLED
    return not (has_cooled and state.gained >= LEAST_GROWTH)


def _scores(rules: AlertRules, state: StoryState, before: StoryState) -> bool:
    return rules.score is not None and state.score >= rules.score and not _stays_hot(rules, state, before)


def _grows(rules: AlertRules, state: StoryState, before: StoryState) -> bool:
    del before
    return (
        rules.growth is not None
        and state.gained >= LEAST_GROWTH
        and state.of_week - state.growth_from >= LEAST_GROWTH
        and state.of_week >= state.growth_from * rules.growth
    )


def _is_about(rules: AlertRules, state: StoryState, before: StoryState) -> bool:
    return state.topic in rules.topics and before.topic not in rules.topics


def _concerns(rules: AlertRules, state: StoryState, before: StoryState) -> bool:
    return bool((state.subjects - before.subjects) & rules.subjects)


def _is_new(rules: AlertRules, state: StoryState, before: StoryState) -> bool:
    return rules.new_story is not None and before.reports < rules.new_story <= state.reports


Check = Callable[[AlertRules, StoryState, StoryState], bool]
CHECKS: Mapping[str, Check] = {
    "score": _scores,
    "growth": _grows,
    "topic": _is_about,
    "subject": _concerns,
    "new_story": _is_new,
}


def _new_subjects(rules: AlertRules, state: StoryState, before: StoryState) -> str:
    return ", ".join(sorted((state.subjects - before.subjects) & rules.subjects))


REASONS: Mapping[str, Callable[[AlertRules, StoryState, StoryState], str]] = {
    "score": lambda rules, state, _: f"its score is {state.score:.2f}, at least {rules.score:g}",
    "growth": lambda _, state, __: (
        f"it grew from {state.growth_from} to {state.of_week} reports a week"
        if state.growth_from
        else f"after a week without any it has {state.of_week} reports"
    ),
    "topic": lambda _, state, __: f"its topic is now {TOPIC_NAMES.get(state.topic, state.topic)}",
    "subject": lambda rules, state, before: f"it newly concerns {_new_subjects(rules, state, before)}",
    "new_story": lambda rules, state, _: (
        f"a new story has {state.reports} reports, at least {rules.new_story}"
    ),
}
