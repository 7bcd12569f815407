"""Invented news for tests of stories, topics and summaries: a few events, each reported in several ways."""

from datetime import UTC, datetime, timedelta
from random import Random

from headwater.stories.clustering.similarity import StoryItem

EVENTS = {
    "harbour": [
        "harbour",
        "dredging",
        "channel",
        "Dunmore",
        "freighter",
        "pilots",
        "pier",
        "crowns",
        "tide",
        "grounding",
    ],
    "mill": [
        "steel",
        "mill",
        "Arden",
        "closure",
        "union",
        "workers",
        "furnace",
        "Calder",
        "ministry",
        "orders",
    ],
    "quake": [
        "earthquake",
        "Lorvane",
        "aftershock",
        "rescue",
        "rubble",
        "tremor",
        "collapsed",
        "shelter",
        "magnitude",
        "hospital",
    ],
    "vote": [
        "election",
        "ballot",
        "Tessaly",
        "coalition",
        "parliament",
        "premier",
        "recount",
        "turnout",
        "seats",
        "campaign",
    ],
    "rocket": [
        "rocket",
        "launch",
        "orbit",
        "satellite",
        "booster",
        "Skarn",
        "telemetry",
        "payload",
        "countdown",
        "engineers",
    ],
}
START = datetime(2026, 11, 13, 9, tzinfo=UTC)


def report(event: str, number: int, *, words: int = 30, group: str = "") -> StoryItem:
    """One report: words of its event in its own order, and a few that all reports use."""
    chance = Random(f"{event} {number}")
    event_words = EVENTS[event]
    text_words = [chance.choice(event_words) for _ in range(words)]
    text_words += [
        chance.choice(["officials", "people", "city", "plan", "statement", "week", "country", "area"])
        for _ in range(8)
    ]
    chance.shuffle(text_words)
    return StoryItem(
        id=f"{event}-{number:02}",
        title=" ".join(chance.sample(event_words, 5)),
        text=" ".join(text_words),
        published_at=START + timedelta(hours=number),
        group=group,
    )


def reports(*events: str, per_event: int = 6, group: str = "") -> list[StoryItem]:
    return [report(event, number, group=group) for event in events or EVENTS for number in range(per_event)]
