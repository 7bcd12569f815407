"""A map of hot spots: the countries that recent stories are about, as hot as their hottest story; and the same as a table."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from starlette.requests import Request

from headwater.documents.places.countries import countries
from headwater.store.reads.record_lists import STORIES, Direction, ListConditions, PageRequest, list_rows
from headwater.store.reads.story_members import new_report_counts
from headwater.web.context import WebContext
from headwater.web.pages.analyst.map_view import WORLD, view_around
from headwater.web.pages.analyst.stories import FIELDS
from headwater.web.pages.analyst.story_cards import heat_of, topic_name
from headwater.web.pages.outlines import outlines
from headwater.web.pages.page import Page
from headwater.web.pages.sorting import SORT_PARAMETERS, chosen_order
from headwater.web.rest.listing import chosen_recipes
from headwater.web.rest.stories import LIVE

DAYS = 14
MOST_STORIES = 300
LEVELS = 4
LEAST_SPREAD = 0.02
YESTERDAY = timedelta(hours=24)
DIRECTIONS: dict[str, Direction] = {"heat": "desc", "new": "desc", "count": "desc"}
SHOWN_STORIES = 3


def load_map(request: Request, context: WebContext) -> dict[str, Any]:
    recipe = request.query_params.get("recipe", "")
    selection = ListConditions(
        recipes=chosen_recipes(context, recipe),
        since=context.app.clock() - timedelta(days=DAYS),
        more=[LIVE],
    )
    query, engine = request.query_params, context.app.engine
    page = list_rows(engine, STORIES, selection, PageRequest(names=FIELDS, limit=MOST_STORIES))
    since = context.app.clock() - YESTERDAY
    counts = new_report_counts(engine, [row["id"] for row in page.rows], since)
    order = chosen_order(query, DIRECTIONS)
    spots = hot_spots(page.rows, counts)
    is_whole = query.get("view", "") == "world"
    paths = [outlines()[spot["code"]] for spot in spots if spot["code"] in outlines()]
    return {
        "days": DAYS,
        "spots": sorted_spots(spots, order["sort"], order["direction"]),
        "legend": legend_of(spots),
        "order": order,
        "pairs": query.multi_items(),
        "is_whole_world": is_whole,
        "view": (WORLD if is_whole else view_around(paths)).box,
        "elsewhere": stories_without_country(page.rows),
        "selected": request.query_params.get("country", ""),
        "recipe": recipe,
    }


def hot_spots(stories: Sequence[Mapping[str, Any]], new_reports: Mapping[str, int]) -> list[dict[str, Any]]:
    """Countries, the hottest first. A story without heat counts by its size. `new_reports` counts those since yesterday, by
    story."""
    by_country: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for story in stories:
        for code in (story["attributes"] or {}).get("countries") or ():
            if code in countries():
                by_country[code].append(_story_record(story))
    spots = [
        {
            "code": code,
            "name": countries()[code].name,
            "stories": sorted(records, key=_by_heat)[:SHOWN_STORIES],
            "count": len(records),
            "heat": max(record["heat"] for record in records),
            "new": sum(new_reports.get(record["id"], 0) for record in records),
        }
        for code, records in by_country.items()
    ]
    spots.sort(key=lambda spot: (-spot["heat"], -spot["count"], spot["name"]))
    heats = [spot["heat"] for spot in spots]
    return [spot | {"level": level_of(spot["heat"], min(heats), max(heats))} for spot in spots]


def sorted_spots(spots: Sequence[dict[str, Any]], sort: str, direction: Direction) -> list[dict[str, Any]]:
    """Equal ones stay in the order of their heat."""
    return sorted(spots, key=lambda spot: spot[sort], reverse=direction == "desc")


def legend_of(spots: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What the colours mean: the heat of the coolest and of the hottest country of each level."""
    levels: dict[int, list[float]] = defaultdict(list)
    for spot in spots:
        levels[spot["level"]].append(spot["heat"])
    return [
        {"level": level, "least": min(heats), "most": max(heats)} for level, heats in sorted(levels.items())
    ]


def stories_without_country(stories: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The hottest stories that name no country of the map."""
    records = [
        _story_record(story)
        for story in stories
        if story["score"] is not None
        and not any(code in countries() for code in (story["attributes"] or {}).get("countries") or ())
    ]
    return sorted(records, key=_by_heat)[:10]


def _story_record(story: Mapping[str, Any]) -> dict[str, Any]:
    attributes = story["attributes"] or {}
    heat = heat_of(story)
    return {
        "id": story["id"],
        "title": story["title"],
        "subject": str(attributes.get("subject_title") or ""),
        "topic": topic_name(attributes),
        "heat": heat if heat is not None else story["size"] / (story["size"] + 20),
        "last_at": story["last_at"],
    }


def _by_heat(record: Mapping[str, Any]) -> tuple[float, str]:
    return -record["heat"], record["id"]


def level_of(heat: float, least: float, most: float) -> int:
    """From 1 to LEVELS, in equal steps from the coolest to the hottest; all are hot if they hardly differ."""
    if most - least < LEAST_SPREAD:
        return LEVELS
    return min(LEVELS, 1 + int((heat - least) / (most - least) * LEVELS))


MAP_PAGE = Page(
    path="/map",
    template="analyst/map.html",
    load=load_map,
    parameters=SORT_PARAMETERS | {"recipe", "country", "view"},
    label="Map",
)
