"""A story in a list: its versions folded under one, how hot and how fresh it is, and its coverage over time. Decisions only."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from headwater.documents.places.countries import countries

POINTS = 24
MOST_VERSIONS = 8
MOST_COUNTRIES = 4
FRESH = timedelta(hours=24)
SHORTEST_COVERAGE = timedelta(hours=POINTS)


def story_card(
    story: Mapping[str, Any], members: Sequence[Mapping[str, Any]], now: datetime
) -> dict[str, Any]:
    """`members` are in the order of their publication. The newest version comes first."""
    attributes = story["attributes"] or {}
    times = [row["published_at"] or row["created_at"] for row in members]
    publishers = list(dict.fromkeys(row["publisher"] for row in members if row["publisher"]))
    return {
        "id": story["id"],
        "recipe": story["recipe"],
        "title": story["title"],
        "summary": story["summary"],
        "heat": heat_of(story),
        "size": story["size"],
        "first_at": story["first_at"],
        "last_at": story["last_at"],
        "is_fresh": story["last_at"] is not None and now - story["last_at"] <= FRESH,
        "topic": topic_name(attributes),
        "countries": country_records(attributes.get("countries") or ())[:MOST_COUNTRIES],
        "publishers": publishers,
        "coverage": coverage_points(times),
        "versions": [
            {name: row[name] for name in ("id", "title", "publisher", "language")}
            | {"published_at": row["published_at"] or row["created_at"]}
            for row in list(reversed(members))[:MOST_VERSIONS]
        ],
    }


def heat_of(story: Mapping[str, Any]) -> float | None:
    """The score of the recipe, between 0 and 1. A recipe without scores has no heat."""
    score = story["score"]
    return None if score is None else max(0.0, min(1.0, float(score)))


def topic_name(attributes: Mapping[str, Any]) -> str:
    topic = attributes.get("topic")
    name = topic.get("name") if isinstance(topic, Mapping) else topic
    return str(name or "") if name != "unclassified" else ""


def country_records(codes: Sequence[str]) -> list[dict[str, str]]:
    by_code = countries()
    return [{"code": code, "name": by_code[code].name} for code in codes if code in by_code]


def coverage_points(times: Sequence[datetime], points: int = POINTS) -> list[int]:
    """How many documents there were in each of the equal parts of the time between the first and the last one."""
    counts = [0] * points
    if not times:
        return counts
    start = min(times)
    span = max(max(times) - start, SHORTEST_COVERAGE)
    for moment in times:
        counts[min(points - 1, int((moment - start) / span * points))] += 1
    return counts


def hottest_first(cards: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """By heat, then by the number of publishers and versions, then by recency."""
    return sorted(
        cards,
        key=lambda card: (
            -(card["heat"] or 0.0),
            -len(card["publishers"]),
            -card["size"],
            -card["last_at"].timestamp() if card["last_at"] else 0.0,
            card["id"],
        ),
    )
