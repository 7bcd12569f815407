"""Saved searches: list, add, try, pause, apply and remove them; the matches of each are a feed."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from fastapi import Body, Depends, Query
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from headwater.model.saved_search import SearchAction, SearchDelivery, SearchState
from headwater.ops.saved_searches import (
    SearchRequest,
    add_search,
    apply_search,
    change_search,
    check_search,
    count_matches,
    list_searches,
    named_search,
    search_feed,
    search_record,
)
from headwater.search.query import MAX_CHARACTERS
from headwater.store.reads.stored_records import StoredRecord
from headwater.web.context import context_of
from headwater.web.feed_publisher import is_published
from headwater.web.formats.media import MEDIA_TYPES
from headwater.web.rest.answers import bytes_answer_to, json_answer_to
from headwater.web.rest.forms import plain_item, rows_answer
from headwater.web.rest.listing import add_list, parse_moment
from headwater.web.rest.routing import OPERATE, api_router, described
from headwater.web.rest.schemas import COUNT, TEXT, YES_NO, list_schema, object_schema

router = api_router("/searches", "saved searches")
OBJECT = {"type": "object"}
Name = Annotated[str, Body(min_length=1, max_length=100)]
QueryText = Annotated[str, Body(max_length=MAX_CHARACTERS, description="As in /search.")]
Values = Annotated[list[Annotated[str, Field(min_length=1, max_length=300)]] | None, Field(max_length=100)]


class FilterFields(BaseModel):
    """Lists of values, of which a record has one; `quality` is the least."""

    model_config = ConfigDict(extra="forbid", strict=True)

    recipe: Values = None
    source: Values = None
    publisher: Values = None
    language: Values = None
    topic: Values = None
    country: Values = None
    subject: Values = None
    story: Values = None
    quality: Annotated[float | None, Field(ge=0, le=1)] = None

    def record(self) -> dict[str, Any]:
        return self.model_dump(exclude_none=True)


Filters = Annotated[FilterFields | None, Body()]
FEED_MEDIA = {"atom": MEDIA_TYPES["atom"], "rss": MEDIA_TYPES["rss"], "json": MEDIA_TYPES["jsonfeed"]}


def read_searches(request: Request) -> Response:
    """Every saved search with what it met, and what keeps its deliveries from arriving."""
    rows = list_searches(context_of(request).app)
    describe = plain_item("search", "name", "created_at", "name", text_field="query")
    return rows_answer(request, "saved searches", rows, describe)


add_list(router, "", read_searches, list_schema(OBJECT), "List saved searches.")


@router.get("/{name}", responses=described(OBJECT))
def read_search(request: Request, name: str) -> Response:
    """One saved search."""
    return json_answer_to(request, search_record(named_search(context_of(request).app, name)))


@router.get(
    "/{name}/feed.{form}",
    responses=described(
        {}, "The feed.", media={kind.partition(";")[0]: {"schema": TEXT} for kind in FEED_MEDIA.values()}
    ),
    response_class=Response,
)
def read_search_feed(
    request: Request,
    name: str,
    form: Literal["atom", "rss", "json"],
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> Response:
    """The newest matches of a saved search as a feed."""
    context = context_of(request)
    url = f"{context.base_url(request)}/api/v1/searches/{name}/feed.{form}"
    hub = context.hub if is_published(request.url.path, request.url.query) else ""
    text = search_feed(context.app, name, form, limit=limit, url=url, hub=hub)
    return bytes_answer_to(request, text.encode(), FEED_MEDIA[form])


@dataclass(frozen=True, slots=True)
class SearchFields:
    """What a saved search looks for and where its matches go, as a body has it."""

    query: QueryText
    filters: Filters = None
    recipe: Annotated[str | None, Body(max_length=100)] = None
    record_kind: Annotated[Literal["document", "story", "all"], Body()] = "all"
    action: Annotated[SearchAction, Body()] = SearchAction.DELIVER
    delivery: Annotated[SearchDelivery | None, Body()] = None
    channel: Annotated[str, Body(max_length=100)] = ""

    def named(self, name: str) -> SearchRequest:
        return SearchRequest(
            name=name,
            query=self.query,
            filters=self.filters.record() if self.filters else {},
            recipe=self.recipe,
            record_kind=self.record_kind,
            action=self.action,
            delivery=self.delivery,
            channel=self.channel,
        )


@router.post(
    "", status_code=201, responses=described(OBJECT, status=201, writes=True), dependencies=[OPERATE]
)
def save_search(
    request: Request,
    name: Name,
    fields: Annotated[SearchFields, Depends()],
) -> Response:
    """Save a search: every new document and story is compared with it."""
    line = fields.named(name)
    return json_answer_to(request, search_record(add_search(context_of(request).app, line)), status=201)


@router.put("/{name}", responses=described(OBJECT, writes=True), dependencies=[OPERATE])
def change_saved_search(
    request: Request,
    name: str,
    fields: Annotated[SearchFields, Depends()],
) -> Response:
    """Replace what a saved search looks for and where its matches go. Its matches stay."""
    line = fields.named(name)
    return json_answer_to(request, search_record(change_search(context_of(request).app, line)))


TRIED = list_schema(OBJECT)
TRIED["properties"] |= {
    "total": COUNT | {"description": "How many it would have matched."},
    "total_is_exact": YES_NO
    | {"description": "False if not all records were compared: it would have matched at least `total`."},
}


@router.post("/test", responses=described(TRIED, writes=True), dependencies=[OPERATE])
def try_on_past(
    request: Request,
    query: QueryText,
    *,
    filters: Filters = None,
    recipe: Annotated[str | None, Body(max_length=100)] = None,
    since: Annotated[str, Body(max_length=60)] = "",
    limit: Annotated[int, Body(ge=1, le=100)] = 20,
) -> Response:
    """Which stored documents and stories a search would have matched, and how many. Nothing is stored or sent."""
    context = context_of(request)
    line = SearchRequest(
        name="tried", query=query, filters=filters.record() if filters else {}, recipe=recipe
    )
    search = check_search(context.app, line)
    trial = count_matches(context.app, search, parse_moment(context, since, "since"), limit)
    figures = {"total": trial.total, "total_is_exact": trial.is_exact}
    return json_answer_to(request, {"items": _records(trial.matches), "next": None, **figures})


def _records(matches: Iterable[StoredRecord]) -> list[dict[str, Any]]:
    return [
        {"id": match.record.id, "recipe": match.record.recipe, "title": match.record.title}
        for match in matches
    ]


@router.post("/{name}/pause", responses=described(OBJECT, writes=True), dependencies=[OPERATE])
def pause_search(request: Request, name: str) -> Response:
    """Stop comparing new documents with it. Its matches stay."""
    return _set_state(request, name, SearchState.PAUSED)


@router.post("/{name}/resume", responses=described(OBJECT, writes=True), dependencies=[OPERATE])
def resume_search(request: Request, name: str) -> Response:
    """Compare new documents with it again."""
    return _set_state(request, name, SearchState.ACTIVE)


def _set_state(request: Request, name: str, state: SearchState) -> Response:
    app = context_of(request).app
    app.saved_searches.set_state(name, state, app.clock())
    return json_answer_to(request, search_record(named_search(app, name)))


APPLIED = object_schema({"matching": COUNT, "changed": COUNT, "passed_over": COUNT})


@router.post("/{name}/apply", responses=described(APPLIED, writes=True), dependencies=[OPERATE])
def apply_saved_search(
    request: Request, name: str, since: Annotated[str, Body(embed=True, max_length=60)] = ""
) -> Response:
    """Apply it to stored documents: a rule drops, quarantines or tags them; otherwise they join its feed."""
    context = context_of(request)
    figures = apply_search(context.app, name, parse_moment(context, since, "since"))
    record = {"matching": figures.matching, "changed": figures.changed, "passed_over": figures.passed_over}
    return json_answer_to(request, record)


@router.delete(
    "/{name}",
    responses=described(object_schema({"name": TEXT, "matches": COUNT}), writes=True),
    dependencies=[OPERATE],
)
def remove_search(request: Request, name: str) -> Response:
    """Remove it with its matches. Documents stay as they are."""
    count = context_of(request).app.saved_searches.remove(name)
    return json_answer_to(request, {"name": name, "matches": count})
