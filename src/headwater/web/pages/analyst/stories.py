"""The front page: the hottest of the newest stories of each recipe; and the list of all stories of a recipe."""

from collections.abc import Sequence
from typing import Any

from starlette.requests import Request

from headwater.store.reads.record_lists import STORIES, Direction, ListConditions, PageRequest, list_rows
from headwater.store.reads.story_countries import is_about_country
from headwater.store.reads.story_members import members_of_stories
from headwater.store.rows import Record
from headwater.web.context import WebContext
from headwater.web.pages.analyst.story_cards import hottest_first, story_card
from headwater.web.pages.page import Page
from headwater.web.pages.sorting import LIST_PARAMETERS, read_sorted
from headwater.web.rest.listing import list_conditions
from headwater.web.rest.stories import LIVE, STORY_LISTING
from headwater.web.search_pages import value_label

FIELDS = ("id", "recipe", "title", "summary", "size", "score", "first_at", "last_at", "attributes")
# The front page ranks this many of the newest stories of a recipe, and shows the first of them.
RANKED, SHOWN = 40, 6
PAGE_SIZE = 30
COUNTRY_SINCE = "30d"
DIRECTIONS: dict[str, Direction] = {"last": "desc", "first": "desc", "size": "desc", "heat": "desc"}


def load_front(request: Request, context: WebContext) -> dict[str, Any]:
    del request
    sections = []
    for recipe in context.app.catalogue.recipes():
        cards = read_cards(context, [recipe], RANKED)
        if cards:
            sections.append(
                {"recipe": recipe, "stories": hottest_first(cards)[:SHOWN], "has_more": len(cards) > SHOWN}
            )
    return {"sections": sections}


def read_cards(context: WebContext, recipes: Sequence[str], limit: int) -> list[dict[str, Any]]:
    """Live stories, newest first, as cards."""
    selection = ListConditions(recipes=recipes, more=[LIVE])
    request = PageRequest(names=FIELDS, limit=limit)
    return make_cards(context, list_rows(context.app.engine, STORIES, selection, request).rows)


def make_cards(context: WebContext, rows: Sequence[Record]) -> list[dict[str, Any]]:
    members = members_of_stories(context.app.engine, [row["id"] for row in rows])
    now = context.app.clock()
    return [story_card(row, members[row["id"]], now) for row in rows]


def load_stories(request: Request, context: WebContext) -> dict[str, Any]:
    """All stories, or those of one recipe, about one country, or with a report since then."""
    query, engine = request.query_params, context.app.engine
    recipe, country, since = (query.get(name, "") for name in ("recipe", "country", "since"))
    # No index has the countries: a country that no story is about would cost a look at all of them.
    since = since or (COUNTRY_SINCE if country else "")
    is_about = [is_about_country(country, engine.dialect)] if country else []
    selection = list_conditions(context, recipe, since, "", LIVE, *is_about)
    page = read_sorted(
        query,
        STORY_LISTING,
        lambda pages: list_rows(engine, STORIES, selection, pages),
        names=FIELDS,
        directions=DIRECTIONS,
        limit=PAGE_SIZE,
    )
    return {
        "recipe": recipe,
        "country": country,
        "country_name": value_label("country", country),
        "since": since,
        "recipes": context.app.catalogue.recipes(),
        "stories": make_cards(context, page.rows),
        **page.members,
    }


STORIES_PAGE = Page(
    path="/stories",
    template="analyst/stories.html",
    load=load_stories,
    parameters=LIST_PARAMETERS | {"recipe", "country", "since"},
)
FRONT_PAGE = Page(path="/", template="analyst/front.html", load=load_front, label="Stories")
