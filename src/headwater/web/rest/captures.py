"""Captures: what came over the wire, with the policy under which it was fetched, and the bytes."""

from typing import Annotated

from fastapi import Depends
from starlette.requests import Request
from starlette.responses import Response

from headwater.model.errors import Refused
from headwater.store.reads.record_lists import CAPTURES, find_row, list_rows
from headwater.store.schema.flow import captures
from headwater.web.context import context_of
from headwater.web.rest.answers import bytes_answer_to, json_answer_to
from headwater.web.rest.documents import CAPTURE_LISTING
from headwater.web.rest.listing import (
    PageParameters,
    RecipeParameter,
    Since,
    Until,
    add_list,
    list_conditions,
)
from headwater.web.rest.routing import api_router, described
from headwater.web.rest.schemas import record_schema

router = api_router("/captures", "captures")
# A captured page is hostile: no browser may run it under our address.
BODY_HEADERS = {
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Content-Disposition": "attachment",
    "X-Content-Type-Options": "nosniff",
}


def read_all_captures(
    request: Request,
    page: Annotated[PageParameters, Depends()],
    recipe: RecipeParameter = "",
    since: Since = "",
    until: Until = "",
) -> Response:
    """By the time they were fetched, newest first."""
    context = context_of(request)
    selection = list_conditions(context, recipe, since, until)
    return CAPTURE_LISTING.answer(
        request, page, lambda pages: list_rows(context.app.engine, CAPTURES, selection, pages)
    )


@router.get("/{capture}", responses=described(record_schema(CAPTURES.columns)))
def read_capture(request: Request, capture: str) -> Response:
    """One capture: address, status, headers and policy."""
    row = find_row(context_of(request).app.engine, CAPTURES, captures.c.id == capture)
    if row is None:
        raise Refused("unknown_capture", "there is no such capture")
    return json_answer_to(request, row)


@router.get(
    "/{capture}/body",
    responses=described(
        {},
        "The bytes.",
        media={"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    ),
    response_class=Response,
)
def read_body(request: Request, capture: str) -> Response:
    """The bytes exactly as they came, as a download; their type is in X-Captured-Type."""
    pair = context_of(request).app.provenance.captures([capture]).get(capture)
    if pair is None:
        raise Refused("unknown_capture", "there is no such capture, or its bytes are gone")
    about, body = pair
    media_type = "".join(letter for letter in about.media_type if " " <= letter <= "~")
    headers = BODY_HEADERS | {"X-Captured-Type": media_type, "X-Content-Sha256": about.sha256}
    return bytes_answer_to(request, body, "application/octet-stream", headers=headers)


add_list(router, "", read_all_captures, CAPTURE_LISTING.page_schema, "List captures.")
