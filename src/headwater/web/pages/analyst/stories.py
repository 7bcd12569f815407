"""The front page: the hottest of the newest stories of each recipe; and the list of all stories of a recipe."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from starlette.requests import Request

from headwater.store.reads.record_lists import STORIES, ListConditions, PageRequest, list_rows
from headwater.store.reads.story_members import members_of_stories
from headwater.web.context import WebContext
from headwater.web.pages.analyst.story_cards import hottest_first, story_card
from headwater.web.pages.page import Page
from headwater.web.rest.cursors import read_cursor, write_cursor
from headwater.web.rest.listing import chosen_recipes
from headwater.web.rest.stories import LIVE

FIELDS = ("id", "recipe", "title", "summary", "size", "score", "first_at", "last_at", "attributes")
# The front page ranks this many of the newest stories of a recipe, and shows the first of them.
RANKED, SHOWN = 40, 6
PAGE_SIZE = 30
ORDER = "stories/"


def load_front(request: Request, context: WebContext) -> dict[str, Any]:
    del request
    sections = []
    for recipe in context.app.catalogue.recipes():
        cards, _ = read_cards(context, [recipe], PageRequest(names=FIELDS, limit=RANKED))
        if cards:
            sections.append(
                {"recipe": recipe, "stories": hottest_first(cards)[:SHOWN], "has_more": len(cards) > SHOWN}
            )
    return {"sections": sections}


def read_cards(
    context: WebContext, recipes: Sequence[str], page: PageRequest
) -> tuple[list[dict[str, Any]], Any]:
    """Live stories, newest first, as cards, and the position of the next page."""
    engine = context.app.engine
    rows = list_rows(engine, STORIES, ListConditions(recipes=recipes, more=[LIVE]), page)
    members = members_of_stories(engine, [row["id"] for row in rows.rows])
    now = context.app.clock()
    return [story_card(row, members[row["id"]], now) for row in rows.rows], rows.next_position


def load_stories(request: Request, context: WebContext) -> dict[str, Any]:
    """All stories, or those of one recipe, newest first."""
    recipe = request.query_params.get("recipe", "")
    after = read_cursor(request.query_params.get("cursor", ""), ORDER, [datetime, str])
    page = PageRequest(names=FIELDS, after=after, limit=PAGE_SIZE)
    cards, position = read_cards(context, chosen_recipes(context, recipe), page)
    return {
        "recipe": recipe,
        "stories": cards,
        "pairs": [("recipe", recipe)] if recipe else [],
        "next": write_cursor(ORDER, position),
    }


STORIES_PAGE = Page(
    path="/stories",
    template="analyst/stories.html",
    load=load_stories,
    parameters=frozenset({"recipe", "cursor"}),
)
FRONT_PAGE = Page(path="/", template="analyst/front.html", load=load_front, label="Stories")
