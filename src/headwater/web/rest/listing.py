"""Lists of the API: pages with cursors, chosen fields, and the same rows in any form."""

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Query
from sqlalchemy import Column, ColumnElement, Integer
from starlette.requests import Request
from starlette.responses import Response

from headwater.archive.row_files import WRITERS
from headwater.settings.times import parse_time
from headwater.store.reads.record_lists import ListConditions, ListedTable, PageRequest, ReadPage
from headwater.store.rows import Record
from headwater.store.schema.columns import UtcDateTime
from headwater.text.redaction import redact_record
from headwater.text.written_feed import FEED_WRITERS, LONG_AGO, FeedItem, FeedPage
from headwater.web.context import WebContext, context_of
from headwater.web.formats.media import MEDIA_TYPES, choose_format
from headwater.web.problems import HttpProblem
from headwater.web.rest.answers import bytes_answer_to, json_answer_to
from headwater.web.rest.cursors import read_cursor, write_cursor
from headwater.web.rest.routing import described
from headwater.web.rest.schemas import Schema, list_schema, record_schema

MOST_ROWS = 1_000
SUMMARY_LENGTH = 500
FORMAT_PARAMETER = {
    "name": "format",
    "in": "path",
    "required": True,
    "schema": {"type": "string", "enum": list(MEDIA_TYPES)},
}


@dataclass(frozen=True, slots=True)
class PageParameters:
    limit: Annotated[int, Query(ge=1, le=MOST_ROWS, description="How many rows, at most.")] = 50
    cursor: Annotated[str, Query(description="The `next` of the page before.", max_length=2_000)] = ""
    fields: Annotated[
        str,
        Query(
            description="Names of fields, separated by commas; default: the common ones.", max_length=2_000
        ),
    ] = ""


Since = Annotated[
    str,
    Query(
        description="From this time on: 2026-11-14, 2026-11-14T06:00Z, 24h (ago), yesterday.", max_length=60
    ),
]
Until = Annotated[str, Query(description="Before this time.", max_length=60)]
RecipeParameter = Annotated[str, Query(description="Only of this recipe.", max_length=100)]


@dataclass(frozen=True, slots=True)
class Listing:
    """`describe_item` makes an entry of a feed from a row with at least `item_fields`."""

    name: str
    table: ListedTable
    describe_item: Callable[[Record], FeedItem]
    item_fields: tuple[str, ...]
    more_schema: Mapping[str, Schema] = field(default_factory=dict)

    @property
    def item_schema(self) -> Schema:
        return record_schema(self.table.columns, **self.more_schema)

    def field_names(self, fields: str) -> tuple[str, ...]:
        """The chosen fields, or those that a list shows by default."""
        if not fields:
            return self.table.shown
        names = tuple(dict.fromkeys(name.strip() for name in fields.split(",")))
        if unknown := [name for name in names if name not in self.table.columns]:
            raise HttpProblem(
                400,
                "unknown_field",
                f"fields: there is no field '{unknown[0]}'; there are: {', '.join(self.table.columns)}",
            )
        return names

    def answer(
        self,
        request: Request,
        parameters: PageParameters,
        read: ReadPage,
        *,
        order: Sequence[Column[Any]] = (),
        sort: str = "",
    ) -> Response:
        form = choose_format(request.path_params.get("format"), request.headers.get("accept", ""))
        names = self.item_fields if form in FEED_WRITERS else self.field_names(parameters.fields)
        rows, cursor = self.read_rows(
            read, names, cursor=parameters.cursor, limit=parameters.limit, order=order, sort=sort
        )
        if form == "json":
            return json_answer_to(request, {"items": rows, "next": cursor})
        next_url = _next_url(request, cursor)
        links = {"Link": f'<{next_url}>; rel="next"'} if next_url else {}
        body = self._write(form, redact_record(rows), request, next_url)
        return bytes_answer_to(request, body, MEDIA_TYPES[form], headers=links)

    def read_rows(
        self,
        read: ReadPage,
        names: Sequence[str],
        *,
        cursor: str,
        limit: int,
        order: Sequence[Column[Any]] = (),
        sort: str = "",
    ) -> tuple[list[Record], str | None]:
        """The rows from a cursor on, and the cursor of the next page."""
        order_name = f"{self.name}/{sort}"
        kinds = [_kind(column) for column in order or self.table.order]
        page = read(PageRequest(names=names, after=read_cursor(cursor, order_name, kinds), limit=limit))
        return page.rows, write_cursor(order_name, page.next_position)

    def _write(self, form: str, rows: Sequence[Record], request: Request, next_url: str) -> bytes:
        if form in FEED_WRITERS:
            base = context_of(request).base_url(request)
            feed = FeedPage(
                id=f"urn:headwater:{self.name}:{_query_text(request)}",
                title=_feed_title(self.name, request),
                url=_own_url(request, base),
                site=f"{base}/api/v1/{self.name}",
                items=[self.describe_item(row) for row in rows],
                next_url=next_url,
            )
            return FEED_WRITERS[form](feed)
        file = io.BytesIO()
        WRITERS[form](rows, file)
        return file.getvalue()


def add_list(
    router: APIRouter, path: str, endpoint: Callable[..., Response], listing: Listing, summary: str
) -> None:
    """The list in JSON and, by extension or Accept header, in every other form."""
    schema = list_schema(listing.item_schema)
    media: dict[str, Any] = {
        name.partition(";")[0]: {"schema": schema if name == MEDIA_TYPES["json"] else {"type": "string"}}
        for name in MEDIA_TYPES.values()
    }
    answers = described(schema, "A page.", media=media)
    router.add_api_route(path, endpoint, methods=["GET"], summary=summary, responses=answers)
    router.add_api_route(
        f"{path}.{{format}}",
        endpoint,
        methods=["GET"],
        summary=f"{summary.rstrip('.')}, in the form of the extension.",
        responses=answers,
        openapi_extra={"parameters": [FORMAT_PARAMETER]},
    )


def chosen_recipes(context: WebContext, recipe: str) -> list[str]:
    """Those of the installation, or the one that is named."""
    present = context.app.catalogue.recipes()
    if not recipe:
        return present
    return [recipe] if recipe in present else [context.app.recipe(recipe).name]


def list_conditions(
    context: WebContext, recipe: str, since: str, until: str, *more: ColumnElement[bool]
) -> ListConditions:
    """Those that lists of records share, and what else a list demands."""
    return ListConditions(
        recipes=chosen_recipes(context, recipe),
        since=parse_moment(context, since, "since"),
        until=parse_moment(context, until, "until"),
        more=more,
    )


def parse_moment(context: WebContext, text: str, name: str) -> datetime | None:
    return parse_time(text, context.app.clock(), name) if text else None


def plain_item(
    name: str, title_field: str, time_field: str, id_field: str = "id", text_field: str = ""
) -> Callable[[Record], FeedItem]:
    """Entries of lists that have a title and a time, and nothing else of a feed."""

    def describe(row: Record) -> FeedItem:
        return FeedItem(
            id=f"urn:headwater:{name}:{row[id_field]}",
            title=str(row[title_field] or row[id_field]),
            updated=row[time_field] or LONG_AGO,
            summary=str(row[text_field] or "") if text_field else "",
        )

    return describe


def _kind(column: Column[Any]) -> type:
    if isinstance(column.type, UtcDateTime):
        return datetime
    return int if isinstance(column.type, Integer) else str


def _next_url(request: Request, cursor: str | None) -> str:
    if cursor is None:
        return ""
    pairs = [(name, value) for name, value in request.query_params.multi_items() if name != "cursor"]
    base = context_of(request).base_url(request)
    return f"{_own_path(request, base)}?{urlencode([*pairs, ('cursor', cursor)])}"


def _own_path(request: Request, base: str) -> str:
    return base + request.url.path.removeprefix(request.scope.get("root_path", ""))


def _own_url(request: Request, base: str) -> str:
    query = request.url.query
    return _own_path(request, base) + (f"?{query}" if query else "")


def _query_text(request: Request) -> str:
    pairs = [
        (name, value)
        for name, value in sorted(request.query_params.multi_items())
        if name not in {"cursor", "limit"}
    ]
    parts = "/".join(value for name, value in request.path_params.items() if name != "format")
    return urlencode([*([("of", parts)] if parts else []), *pairs]) or "all"


def _feed_title(name: str, request: Request) -> str:
    query = _query_text(request)
    return f"Headwater: {name}" + (f" ({query})" if query != "all" else "")
