"""Lists of the API: pages with cursors, chosen fields, and the same rows in any form."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query
from sqlalchemy import Column, ColumnElement, Float, Integer
from starlette.requests import Request
from starlette.responses import Response

from headwater.settings.times import parse_time
from headwater.store.reads.record_lists import (
    Direction,
    ListConditions,
    ListedTable,
    PageRequest,
    ReadPage,
)
from headwater.store.rows import Record
from headwater.store.schema.columns import UtcDateTime
from headwater.text.written_feed import FEED_WRITERS
from headwater.web.context import WebContext
from headwater.web.formats.media import MEDIA_TYPES
from headwater.web.problems import HttpProblem
from headwater.web.rest.cursors import read_cursor, write_cursor
from headwater.web.rest.forms import DescribeItem, form_of, rows_answer
from headwater.web.rest.routing import described
from headwater.web.rest.schemas import Schema, list_schema, record_schema

MOST_ROWS = 1_000
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
DirectionParameter = Annotated[
    Direction, Query(description="`desc`: the newest or largest first. Records without a value come last.")
]
RecipeParameter = Annotated[str, Query(description="Only of this recipe.", max_length=100)]


def chosen_fields(fields: str, possible: Collection[str]) -> tuple[str, ...]:
    """The names in `fields`, separated by commas; refused if one of them is not possible."""
    names = tuple(dict.fromkeys(name.strip() for name in fields.split(",")))
    if unknown := [name for name in names if name not in possible]:
        raise HttpProblem(
            400,
            "unknown_field",
            f"fields: there is no field '{unknown[0]}'; there are: {', '.join(possible)}",
        )
    return names


@dataclass(frozen=True, slots=True)
class Listing:
    """`describe_item` makes an entry of a feed from a row with at least `item_fields`."""

    name: str
    table: ListedTable
    describe_item: DescribeItem
    item_fields: tuple[str, ...]

    @property
    def page_schema(self) -> Schema:
        return list_schema(record_schema(self.table.columns))

    def field_names(self, fields: str) -> tuple[str, ...]:
        """The chosen fields, or those that a list shows by default."""
        return chosen_fields(fields, self.table.columns) if fields else self.table.shown

    def answer(
        self,
        request: Request,
        parameters: PageParameters,
        read: ReadPage,
        *,
        sort: str = "",
        direction: Direction = "desc",
    ) -> Response:
        is_feed = form_of(request) in FEED_WRITERS
        names = self.item_fields if is_feed else self.field_names(parameters.fields)
        rows, cursor = self.read_rows(
            read, names, cursor=parameters.cursor, limit=parameters.limit, sort=sort, direction=direction
        )
        return rows_answer(request, self.name, rows, self.describe_item, cursor=cursor)

    def read_rows(
        self,
        read: ReadPage,
        names: Sequence[str],
        *,
        cursor: str,
        limit: int,
        sort: str = "",
        direction: Direction = "desc",
    ) -> tuple[list[Record], str | None]:
        """The rows from a cursor on, and the cursor of the next page. `sort` is one of the table's sortable columns."""
        order_name = f"{self.name}/{sort}" + ("/asc" if direction == "asc" else "")
        kinds = [_kind(column) for column in self.table.order_by(sort)]
        request = PageRequest(
            names=names,
            after=read_cursor(cursor, order_name, kinds),
            limit=limit,
            sort=sort,
            is_ascending=direction == "asc",
        )
        page = read(request)
        return page.rows, write_cursor(order_name, page.next_position)


def add_list(
    router: APIRouter, path: str, endpoint: Callable[..., Response], page: Schema, summary: str
) -> None:
    """The list in JSON, whose pages have this schema, and by extension or Accept header in every other form."""
    media: dict[str, Any] = {
        name.partition(";")[0]: {"schema": page if name == MEDIA_TYPES["json"] else {"type": "string"}}
        for name in MEDIA_TYPES.values()
    }
    answers = described(page, "A page.", media=media)
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


def _kind(column: Column[Any]) -> Any:
    """The type of a column's values in a cursor."""
    kinds = ((UtcDateTime, datetime), (Integer, int), (Float, float))
    kind = next((kind for name, kind in kinds if isinstance(column.type, name)), str)
    return kind | None if column.nullable else kind
