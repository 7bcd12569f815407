"""Search over documents, best first, with facets."""

from typing import Annotated

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from headwater.search.query import MAX_CHARACTERS
from headwater.store.search.document_search import Method
from headwater.store.search.result_rows import RESULT_FIELDS
from headwater.text.written_feed import FEED_WRITERS
from headwater.web.context import context_of
from headwater.web.rest.forms import form_of, plain_item, rows_answer
from headwater.web.rest.listing import RecipeParameter, Since, Until, add_list, chosen_fields
from headwater.web.rest.routing import api_router
from headwater.web.rest.schemas import COUNT, TEXT, list_schema, object_schema
from headwater.web.search_pages import LONGEST_CURSOR, PagedSearch, search_filters, search_page

router = api_router("/search", "search")
RESULT = object_schema({"id": TEXT, "title": TEXT, "url": TEXT, "snippet": TEXT})
PAGE = list_schema(RESULT)
PAGE["properties"] |= {
    "total": COUNT | {"description": "Documents with a word of the query, and those found by meaning alone."},
    "word_total": COUNT
    | {
        "description": "Documents with a word of the query that meet its conditions; for a query without words, all that meet them."
    },
    "corrections": {"type": "object"},
    "facets": {"type": "object"},
    "notices": {
        "type": "array",
        "items": TEXT,
        "description": "What may have been meant otherwise, such as a source that there is not.",
    },
}
Values = Annotated[list[str] | None, Query(max_length=20, description="One of these; can be repeated.")]


def search(
    request: Request,
    q: Annotated[
        str,
        Query(
            max_length=MAX_CHARACTERS,
            description='Words, "phrases", prefix*, -word, OR, title:word, field:value. Empty: the newest documents.',
        ),
    ] = "",
    *,
    recipe: RecipeParameter = "",
    source: Values = None,
    publisher: Values = None,
    language: Values = None,
    topic: Values = None,
    country: Values = None,
    subject: Values = None,
    story: Values = None,
    since: Since = "",
    until: Until = "",
    quality: Annotated[float | None, Query(ge=0, le=1, description="At least this quality.")] = None,
    method: Annotated[
        Method, Query(description="By words and meaning together, or by one of them.")
    ] = "hybrid",
    facet: Annotated[
        list[str] | None, Query(max_length=20, description="Count this property of the best matches.")
    ] = None,
    fields: Annotated[
        str, Query(description="Names of fields, separated by commas; default: all.", max_length=2_000)
    ] = "",
    limit: Annotated[int, Query(ge=1, le=100)] = 10,
    cursor: Annotated[
        str, Query(description="The `next` of the page before.", max_length=LONGEST_CURSOR)
    ] = "",
) -> Response:
    """The best documents for a query, with the matching passage, the number of matches, corrected words and facets."""
    context = context_of(request)
    names = chosen_fields(fields, RESULT_FIELDS) if fields else RESULT_FIELDS
    values = {
        "source": source,
        "publisher": publisher,
        "language": language,
        "topic": topic,
        "country": country,
        "subject": subject,
        "story": story,
    }
    filters = search_filters(context, values, recipe=recipe, since=since, until=until, quality=quality)
    page, next_cursor = search_page(
        context.app,
        PagedSearch(
            text=q, filters=filters, method=method, facets=tuple(facet or ()), limit=limit, cursor=cursor
        ),
    )
    totals = {"total": page.total, "word_total": page.word_total}
    members = {**totals, "corrections": page.corrections, "facets": page.facets, "notices": page.notices}
    rows = page.rows
    if form_of(request) not in FEED_WRITERS:
        rows = [{name: row[name] for name in names if name in row} for row in rows]
    return rows_answer(request, "search", rows, _search_item, cursor=next_cursor, members=members)


_search_item = plain_item("document", "title", "published_at", text_field="snippet", url_field="url")
add_list(router, "", search, PAGE, "Search documents.")
