"""A map of hot spots: the countries that recent stories are about, as hot as their hottest story; and the same as a table."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from starlette.requests import Request

from headwater.documents.places.countries import countries
from headwater.store.reads.record_lists import STORIES, ListConditions, PageRequest, list_rows
from headwater.web.context import WebContext
from headwater.web.pages.analyst.stories import FIELDS
from headwater.web.pages.analyst.story_cards import heat_of, topic_name
from headwater.web.pages.page import Page
from headwater.web.rest.listing import chosen_recipes
from headwater.web.rest.stories import LIVE

DAYS = 14
MOST_STORIES = 300
LEVELS = 4
SHOWN_STORIES = 3


def load_map(request: Request, context: WebContext) -> dict[str, Any]:
    recipe = request.query_params.get("recipe", "")
    selection = ListConditions(
        recipes=chosen_recipes(context, recipe),
        since=context.app.clock() - timedelta(days=DAYS),
        more=[LIVE],
    )
    page = list_rows(context.app.engine, STORIES, selection, PageRequest(names=FIELDS, limit=MOST_STORIES))
    spots = hot_spots(page.rows)
    return {
        "days": DAYS,
        "spots": spots,
        "elsewhere": stories_without_country(page.rows),
        "selected": request.query_params.get("country", ""),
        "recipe": recipe,
    }


def hot_spots(stories: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Countries, the hottest first. A story without heat counts by its size."""
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
        }
        for code, records in by_country.items()
    ]
    spots.sort(key=lambda spot: (-spot["heat"], -spot["count"], spot["name"]))
    top = spots[0]["heat"] if spots else 0.0
    return [spot | {"level": level_of(spot["heat"], top)} for spot in spots]


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


def level_of(heat: float, top: float) -> int:
    """From 1 to LEVELS, compared with the hottest."""
    return max(1, min(LEVELS, round(heat / top * LEVELS))) if top else 1


MAP_PAGE = Page(
    path="/map",
    template="analyst/map.html",
    load=load_map,
    parameters=frozenset({"recipe", "country"}),
    label="Map",
)
