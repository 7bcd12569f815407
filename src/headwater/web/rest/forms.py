"""Rows of a list in the form that the caller wants: JSON, a table, or a feed."""

import io
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from headwater.archive.row_files import WRITERS
from headwater.store.rows import Record
from headwater.text.redaction import redact_record
from headwater.text.written_feed import FEED_WRITERS, LONG_AGO, FeedItem, FeedPage
from headwater.web.context import context_of
from headwater.web.feed_publisher import is_published
from headwater.web.formats.media import MEDIA_TYPES, choose_format
from headwater.web.rest.answers import bytes_answer_to, json_answer_to

DescribeItem = Callable[[Record], FeedItem]
SUMMARY_LENGTH = 500


def form_of(request: Request) -> str:
    return choose_format(request.path_params.get("format"), request.headers.get("accept", ""))


def rows_answer(
    request: Request,
    name: str,
    rows: Sequence[Record],
    describe_item: DescribeItem,
    *,
    cursor: str | None = None,
    members: Mapping[str, Any] | None = None,
) -> Response:
    """A page of a list. `members` are further members of the JSON form, such as a total."""
    form = form_of(request)
    if form == "json":
        return json_answer_to(request, {"items": rows, "next": cursor, **(members or {})})
    next_url = _next_url(request, cursor)
    links = {"Link": f'<{next_url}>; rel="next"'} if next_url else {}
    shown_rows = redact_record(list(rows))
    if form in FEED_WRITERS:
        body = FEED_WRITERS[form](_feed(request, name, shown_rows, describe_item, next_url))
    else:
        file = io.BytesIO()
        WRITERS[form](same_columns(shown_rows), file)
        body = file.getvalue()
    return bytes_answer_to(request, body, MEDIA_TYPES[form], headers=links)


def same_columns(rows: Sequence[Record]) -> list[Record]:
    """A table has a cell for every field that one of its rows has."""
    names = dict.fromkeys(name for row in rows for name in row)
    return [{name: row.get(name) for name in names} for row in rows]


def _feed(
    request: Request, name: str, rows: Sequence[Record], describe_item: DescribeItem, next_url: str
) -> FeedPage:
    context = context_of(request)
    base, query = context.base_url(request), _query_text(request)
    path = _own_path(request, base)
    return FeedPage(
        id=f"urn:headwater:{name}:{query}",
        title=f"Headwater: {name}" + (f" ({query})" if query != "all" else ""),
        url=path + (f"?{request.url.query}" if request.url.query else ""),
        site=path.removesuffix(f".{request.path_params.get('format')}"),
        items=[describe_item(row) for row in rows],
        next_url=next_url,
        hub=context.hub if is_published(request.url.path, request.url.query) else "",
    )


def plain_item(
    name: str,
    title_field: str,
    time_field: str = "",
    id_field: str = "id",
    *,
    text_field: str = "",
    url_field: str = "",
) -> DescribeItem:
    """Entries of lists that have little of a feed. A record without a time is dated long ago, always the same."""

    def describe(row: Record) -> FeedItem:
        return FeedItem(
            id=f"urn:headwater:{name}:{row[id_field]}",
            title=str(row[title_field] or row[id_field]),
            updated=(row.get(time_field) or LONG_AGO) if time_field else LONG_AGO,
            url=str(row.get(url_field) or "") if url_field else "",
            summary=str(row.get(text_field) or "")[:SUMMARY_LENGTH] if text_field else "",
        )

    return describe


def _next_url(request: Request, cursor: str | None) -> str:
    if cursor is None:
        return ""
    pairs = [(name, value) for name, value in request.query_params.multi_items() if name != "cursor"]
    path = _own_path(request, context_of(request).base_url(request))
    return f"{path}?{urlencode([*pairs, ('cursor', cursor)])}"


def _own_path(request: Request, base: str) -> str:
    return base + request.url.path.removeprefix(request.scope.get("root_path", ""))


def _query_text(request: Request) -> str:
    pairs = [
        (name, value)
        for name, value in sorted(request.query_params.multi_items())
        if name not in {"cursor", "limit"}
    ]
    parts = "/".join(value for name, value in request.path_params.items() if name != "format")
    return urlencode([*([("of", parts)] if parts else []), *pairs]) or "all"
