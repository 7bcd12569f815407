"""Stories: the list, one with its documents, and its timeline."""

from datetime import timedelta
from typing import Annotated, Any

from fastapi import Depends, Query
from starlette.requests import Request
from starlette.responses import Response

from headwater.model.errors import Refused
from headwater.settings.times import parse_time
from headwater.store.reads.record_lists import (
    STORIES,
    StorySort,
    find_row,
    list_rows,
    story_timeline,
)
from headwater.store.reads.story_history import history_events
from headwater.store.reads.story_reports import story_reports
from headwater.store.reads.top_stories import top_stories
from headwater.store.rows import Record
from headwater.store.schema.flow import stories
from headwater.stories.changes import changes_record, story_changes
from headwater.stories.history import story_history
from headwater.text.written_feed import LONG_AGO, FeedItem
from headwater.web.context import context_of
from headwater.web.rest.answers import json_answer_to
from headwater.web.rest.forms import plain_item, rows_answer
from headwater.web.rest.listing import (
    DirectionParameter,
    Listing,
    PageParameters,
    RecipeParameter,
    Since,
    Until,
    add_list,
    chosen_recipes,
    list_conditions,
    parse_moment,
)
from headwater.web.rest.routing import api_router, described
from headwater.web.rest.schemas import ANY, list_schema, record_schema

router = api_router("/stories", "stories")
LIVE = stories.c.state == "live"
MOST_MEMBERS = 1_000
CHANGES: dict[str, Any] = {"type": "object", "required": ["story", "since", "new_reports", "statements"]}
OBJECTS = list_schema({"type": "object"})


def story_item(row: Record) -> FeedItem:
    return FeedItem(
        id=f"urn:headwater:story:{row['id']}",
        title=row["title"],
        updated=row["updated_at"] or LONG_AGO,
        published=row["first_at"],
        summary=row["summary"],
    )


STORY_LISTING = Listing(
    "stories", STORIES, story_item, ("id", "title", "summary", "first_at", "updated_at", "revision")
)


def read_stories(
    request: Request,
    page: Annotated[PageParameters, Depends()],
    recipe: RecipeParameter = "",
    since: Since = "",
    until: Until = "",
    *,
    sort: Annotated[
        StorySort, Query(description="By the newest or first report, change, number of documents, or score.")
    ] = "last",
    direction: DirectionParameter = "desc",
) -> Response:
    """Live stories by the time of their newest document, newest first, unless you choose another order."""
    context = context_of(request)
    selection = list_conditions(context, recipe, since, until, LIVE)
    return STORY_LISTING.answer(
        request,
        page,
        lambda pages: list_rows(context.app.engine, STORIES, selection, pages),
        sort=sort,
        direction=direction,
    )


def read_top_stories(
    request: Request,
    recipe: RecipeParameter = "",
    hours: Annotated[float, Query(ge=0.1, le=100_000)] = 24,
    limit: Annotated[int, Query(ge=1, le=100)] = 10,
) -> Response:
    """The stories that most sources reported in the last hours, each with its sources, best first."""
    context = context_of(request)
    since = context.app.clock() - timedelta(hours=hours)
    rows = [
        {"recipe": name, **row}
        for name in chosen_recipes(context, recipe)
        for row in top_stories(context.app.engine, name, since, limit)
    ]
    rows.sort(key=lambda row: (-(row["score"] or 0.0), -row["told_by"], row["id"]))
    return rows_answer(
        request, "top stories", rows[:limit], plain_item("story", "title", "last_at", text_field="summary")
    )


add_list(router, "/top", read_top_stories, OBJECTS, "List the stories that most sources reported.")


def find_story(request: Request, story: str) -> Record:
    row = find_row(context_of(request).app.engine, STORIES, stories.c.id == story)
    if row is None:
        raise Refused("unknown_story", "there is no such story")
    return row


@router.get("/{story}", responses=described(record_schema(STORIES.columns, documents=ANY)))
def read_story(request: Request, story: str) -> Response:
    """One story with its documents in the order of their publication."""
    row = find_story(request, story)
    members = story_timeline(context_of(request).app.engine, story, MOST_MEMBERS)
    return json_answer_to(request, row | {"documents": members}, redact=False)


def read_timeline(
    request: Request, story: str, limit: Annotated[int, Query(ge=1, le=MOST_MEMBERS)] = 100
) -> Response:
    """When which publisher reported, the first report first."""
    find_story(request, story)
    rows = story_timeline(context_of(request).app.engine, story, limit)
    describe = plain_item("document", "title", "published_at", text_field="publisher", url_field="url")
    return rows_answer(request, "timeline", rows, describe)


@router.get("/{story}/changes", responses=described(CHANGES))
def read_changes(
    request: Request,
    story: str,
    since: Since = "24h",
    languages: Annotated[
        str, Query(description="Languages that you read, the best first: en,de.", max_length=60)
    ] = "en",
) -> Response:
    """What changed in the story since then: new reports, who joined, and what no earlier report had said."""
    row = find_story(request, story)
    app = context_of(request).app
    changed = story_changes(
        story_reports(app.engine, row["id"]), parse_time(since, app.clock(), "since"), languages.split(",")
    )
    return json_answer_to(request, {"story": row["id"], **changes_record(changed)}, redact=False)


def read_history(request: Request, story: str, since: Since = "", until: Until = "") -> Response:
    """How the story grew, the first event first: reports, copies of them and changed reports, by when Headwater learnt of them; each
    with the number of reports, publishers and languages so far."""
    context = context_of(request)
    find_story(request, story)
    start, end = parse_moment(context, since, "since"), parse_moment(context, until, "until")
    rows = [
        row
        for row in story_history(history_events(context.app.engine, story))
        if (start is None or row["at"] >= start) and (end is None or row["at"] < end)
    ]
    describe = plain_item("story-event", "title", "at", text_field="kind", url_field="url")
    return rows_answer(request, "story history", rows, describe)


add_list(router, "/{story}/history", read_history, OBJECTS, "List what happened to a story.")
add_list(router, "", read_stories, STORY_LISTING.page_schema, "List stories.")
add_list(router, "/{story}/timeline", read_timeline, OBJECTS, "List the reports of a story.")
