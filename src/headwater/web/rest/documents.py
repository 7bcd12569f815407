"""Documents, their revisions, explanations and captures."""

from typing import Annotated

from fastapi import Depends, Query
from starlette.requests import Request
from starlette.responses import Response

from headwater.model.errors import Refused
from headwater.model.jobs import State, stored_states
from headwater.ops.field_evidence import explain_field
from headwater.store.reads.explanation import explain
from headwater.store.reads.record_lists import (
    CAPTURES,
    DOCUMENTS,
    REVISIONS,
    DocumentConditions,
    DocumentSort,
    find_row,
    list_documents,
    list_of,
)
from headwater.store.rows import Record
from headwater.store.schema.flow import captures, documents, revisions
from headwater.text.written_feed import LONG_AGO, FeedItem
from headwater.web.context import context_of
from headwater.web.rest.answers import json_answer_to
from headwater.web.rest.forms import SUMMARY_LENGTH, plain_item
from headwater.web.rest.listing import (
    DirectionParameter,
    Listing,
    PageParameters,
    RecipeParameter,
    Since,
    Until,
    add_list,
    chosen_recipes,
    parse_moment,
)
from headwater.web.rest.routing import api_router, described
from headwater.web.rest.schemas import ANY, TEXT, object_schema, record_schema

router = api_router("/documents", "documents")
FEED_FIELDS = (
    "id", "url", "title", "description", "text", "publisher", "authors", "published_at", "updated_at", "language",
    "keywords", "revision",
)  # fmt: skip


def document_item(row: Record) -> FeedItem:
    return FeedItem(
        id=f"urn:headwater:document:{row['id']}",
        title=row["title"],
        url=row["url"],
        updated=row["updated_at"] or LONG_AGO,
        published=row["published_at"],
        summary=row["description"] or row["text"][:SUMMARY_LENGTH],
        content=row["text"],
        authors=tuple(row["authors"] or ()) or ((row["publisher"],) if row["publisher"] else ()),
        categories=tuple(str(word) for word in row["keywords"] or ()),
        language=row["language"],
    )


DOCUMENT_LISTING = Listing("documents", DOCUMENTS, document_item, FEED_FIELDS)
REVISION_LISTING = Listing(
    "revisions", REVISIONS, plain_item("revision", "title", "created_at", "revision"),
    ("revision", "title", "created_at"),
)  # fmt: skip
CAPTURE_LISTING = Listing(
    "captures", CAPTURES, plain_item("capture", "url", "fetched_at"), ("id", "url", "fetched_at")
)


def read_documents(
    request: Request,
    page: Annotated[PageParameters, Depends()],
    *,
    recipe: RecipeParameter = "",
    state: Annotated[list[State] | None, Query(description="Default: kept.", max_length=7)] = None,
    source: Annotated[str, Query(description="The id of a source.", max_length=100)] = "",
    story: Annotated[str, Query(description="The id of a story.", max_length=100)] = "",
    subject: Annotated[str, Query(description="The id of a subject.", max_length=100)] = "",
    language: Annotated[str, Query(description="A code such as es.", max_length=20)] = "",
    since: Since = "",
    until: Until = "",
    sort: Annotated[DocumentSort, Query(description="By this time.")] = "created",
    direction: DirectionParameter = "desc",
) -> Response:
    """Newest first, unless you choose another order. Times compare with the time by which the list is sorted."""
    context = context_of(request)
    selection = DocumentConditions(
        recipes=chosen_recipes(context, recipe),
        states=tuple(stored_states(list(dict.fromkeys(state or (State.KEPT,))))),
        source=source or None,
        story=story or None,
        subject=subject or None,
        language=language or None,
        since=parse_moment(context, since, "since"),
        until=parse_moment(context, until, "until"),
    )
    return DOCUMENT_LISTING.answer(
        request,
        page,
        lambda pages: list_documents(context.app.engine, selection, pages),
        sort=sort,
        direction=direction,
    )


def find_document(request: Request, document: str) -> Record:
    row = find_row(context_of(request).app.engine, DOCUMENTS, documents.c.id == document)
    if row is None:
        raise Refused("unknown_document", "there is no such document")
    return row


@router.get("/{document}", responses=described(record_schema(DOCUMENTS.columns)))
def read_document(
    request: Request,
    document: str,
    fields: Annotated[str, Query(description="Names of fields, separated by commas.", max_length=2_000)] = "",
) -> Response:
    """One document with its text, the origin of every field and its trail."""
    row = find_document(request, document)
    names = DOCUMENT_LISTING.field_names(fields) if fields else row
    return json_answer_to(request, {name: row[name] for name in names}, redact=False)


@router.get("/{document}/explanation", responses=described({"type": "object"}))
def read_explanation(request: Request, document: str) -> Response:
    """Everything stored about a document: source, poll, captures, steps, duplicates, stories, deliveries."""
    find_document(request, document)
    return json_answer_to(request, explain(context_of(request).app.engine, document), redact=False)


EVIDENCE = object_schema(
    {"document": TEXT, "field": TEXT, "value": ANY, "origin": ANY, "capture": ANY, "passage": ANY}
)


@router.get("/{document}/fields/{field}", responses=described(EVIDENCE))
def read_field(request: Request, document: str, field: str) -> Response:
    """Where the value of a field comes from: its origin, the capture, and the place in the captured bytes where it stands."""
    return json_answer_to(request, explain_field(context_of(request).app, document, field), redact=False)


def read_revisions(request: Request, document: str, page: Annotated[PageParameters, Depends()]) -> Response:
    """Former versions of the document, newest first."""
    find_document(request, document)
    engine = context_of(request).app.engine
    condition = revisions.c.document_id == document
    return REVISION_LISTING.answer(request, page, lambda pages: list_of(engine, REVISIONS, condition, pages))


def read_captures(request: Request, document: str, page: Annotated[PageParameters, Depends()]) -> Response:
    """What was fetched for the document, newest first."""
    lead = find_document(request, document)["lead_id"]
    engine = context_of(request).app.engine
    return CAPTURE_LISTING.answer(
        request, page, lambda pages: list_of(engine, CAPTURES, captures.c.lead_id == lead, pages)
    )


add_list(router, "", read_documents, DOCUMENT_LISTING.page_schema, "List documents.")
add_list(
    router,
    "/{document}/revisions",
    read_revisions,
    REVISION_LISTING.page_schema,
    "List the revisions of a document.",
)
add_list(
    router,
    "/{document}/captures",
    read_captures,
    CAPTURE_LISTING.page_schema,
    "List the captures of a document.",
)
