"""The hotspot score of a story: a weighted sum of volume, recency, diversity and topic."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import exp, log2

from headwater.stories.topics.media_topics import topic_code

TOPIC_WEIGHTS: Mapping[str, float] = {
    "01000000": 0.2,
    "02000000": 0.8,
    "03000000": 0.9,
    "04000000": 0.5,
    "05000000": 0.3,
    "06000000": 0.5,
    "07000000": 0.6,
    "08000000": 0.4,
    "09000000": 0.3,
    "10000000": 0.2,
    "11000000": 0.7,
    "12000000": 0.3,
    "13000000": 0.3,
    "14000000": 0.6,
    "15000000": 0.1,
    "16000000": 1.0,
    "17000000": 0.3,
}
MOST_PUBLISHERS = 19
FULL_DIVERSITY = log2(MOST_PUBLISHERS + 1)
DECAY = 0.693
MOST_HOURS = 72
"""Beyond this, an age is given in days."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HotspotWeights:
    """The weights of the four components, the volume that counts as full, the half-life of recency, and topic weights."""

    volume: float = 0.30
    recency: float = 0.25
    diversity: float = 0.25
    topic: float = 0.20
    most_articles: int = 100
    half_life: timedelta = timedelta(hours=12)
    topics: Mapping[str, float] = field(default_factory=lambda: TOPIC_WEIGHTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class HotspotScore:
    """The score and its components, each between 0 and 1."""

    score: float
    volume: float
    recency: float
    diversity: float
    topic: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredStory:
    """What a score was made of. `reports` and `publishers` are those of the last three days, `topic` is its name."""

    reports: int
    reports_in_all: int
    publishers: int
    newest: datetime | None
    topic: str


DEFAULT = HotspotWeights()


def score_hotspot(
    articles: int,
    domains: int,
    latest: datetime | None,
    topic: str,
    *,
    now: datetime,
    scale: HotspotWeights = DEFAULT,
) -> HotspotScore:
    """`latest`: when the newest article appeared; a date in the future counts as now. `topic`: code or name of a media
    topic; any other text is an unknown one."""
    volume = _clamp(log2(max(articles, 0) + 1) / log2(scale.most_articles + 1))
    recency = 0.0 if latest is None else _clamp(exp(-DECAY * max((now - latest) / scale.half_life, 0.0)))
    diversity = _clamp(log2(max(domains, 0) + 1) / FULL_DIVERSITY)
    others = scale.volume * volume + scale.recency * recency + scale.diversity * diversity
    weight = _topic_weight(topic, others, scale)
    score = others + scale.topic * weight
    return HotspotScore(
        score=round(score, 4), volume=volume, recency=recency, diversity=diversity, topic=weight
    )


def explain_score(
    hotspot: HotspotScore, story: ScoredStory, *, now: datetime, scale: HotspotWeights = DEFAULT
) -> tuple[str, ...]:
    """Each part of the score in words, with what it adds."""
    parts = (
        ("Volume", hotspot.volume, scale.volume, _volume_reason(story, scale)),
        ("Recency", hotspot.recency, scale.recency, _recency_reason(story, now, scale)),
        (
            "Diversity",
            hotspot.diversity,
            scale.diversity,
            f"{_number(story.publishers, 'publisher')} in the last three days; {MOST_PUBLISHERS} give the most",
        ),
        ("Topic", hotspot.topic, scale.topic, _topic_reason(hotspot, story, scale)),
    )
    return tuple(
        f"{name} adds {value * weight:.2f} of {weight:.2f}: {reason}" for name, value, weight, reason in parts
    )


def _volume_reason(story: ScoredStory, scale: HotspotWeights) -> str:
    in_all = f" ({story.reports_in_all} in all)" if story.reports_in_all != story.reports else ""
    return f"{_number(story.reports, 'report')} in the last three days{in_all}; {scale.most_articles} give the most"


def _recency_reason(story: ScoredStory, now: datetime, scale: HotspotWeights) -> str:
    if story.newest is None:
        return "no report counts; round-ups do not"
    return f"the newest report is {_hours(now - story.newest)} old; it halves every {_hours(scale.half_life)}"


def _topic_reason(hotspot: HotspotScore, story: ScoredStory, scale: HotspotWeights) -> str:
    if topic_code(story.topic) in scale.topics:
        return f"{story.topic} weighs {hotspot.topic:.1f} of 1.0"
    return "unknown, so it counts as much as the other parts on average"


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _hours(span: timedelta) -> str:
    hours = max(round(span / timedelta(hours=1)), 0)
    if not hours:
        return "less than an hour"
    return _number(hours, "hour") if hours < MOST_HOURS else f"{round(hours / 24)} days"


def _topic_weight(topic: str, others: float, scale: HotspotWeights) -> float:
    """An unknown topic neither raises nor lowers the score: it weighs as much as the other components on average."""
    weight = scale.topics.get(topic_code(topic))
    if weight is None:
        weights_of_others = scale.volume + scale.recency + scale.diversity
        weight = others / weights_of_others if weights_of_others else 0.0
    return _clamp(weight)


def _clamp(value: float) -> float:
    return min(max(value, 0.0), 1.0)
