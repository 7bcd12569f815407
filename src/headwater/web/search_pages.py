"""Pages of a search, for the API, the web pages and tools: best first, with opaque cursors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from headwater.app import App
from headwater.search.query import NO_FILTERS, SearchFilters, parse_query
from headwater.store.search.document_search import Method, SearchResults
from headwater.web.context import WebContext
from headwater.web.rest.cursors import read_cursor, write_cursor
from headwater.web.rest.listing import chosen_recipes, parse_moment

ORDER = "search"
# Results further down are no results: a better query is needed.
DEEPEST = 1_000


# Filters with a list of values; recipe and times have one value each.
FILTER_NAMES = ("source", "publisher", "language", "topic", "country", "subject", "story")


def search_filters(
    context: WebContext,
    values: Mapping[str, Sequence[str] | None],
    *,
    recipe: str = "",
    since: str = "",
    until: str = "",
) -> SearchFilters:
    if recipe:
        chosen_recipes(context, recipe)
    return SearchFilters(
        recipe=(recipe,) if recipe else (),
        **{name: tuple(values.get(name) or ()) for name in FILTER_NAMES},
        since=parse_moment(context, since, "since"),
        until=parse_moment(context, until, "until"),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PagedSearch:
    text: str
    filters: SearchFilters = NO_FILTERS
    method: Method = "hybrid"
    facets: Sequence[str] = ()
    limit: int = 10
    cursor: str = ""

    @property
    def offset(self) -> int:
        return max(0, int((read_cursor(self.cursor, ORDER, [int]) or (0,))[0]))


def search_page(app: App, request: PagedSearch) -> tuple[SearchResults, str | None]:
    """The results of the page, and the cursor of the next one."""
    start = request.offset
    end = min(start + request.limit, DEEPEST)
    query = parse_query(request.text, app.clock(), filters=request.filters, limit=min(end + 1, DEEPEST))
    results = app.search.search(query, method=request.method, facets=request.facets)
    has_more = len(results.rows) > end
    page = replace(results, rows=list(results.rows[start:end]))
    return page, next_search_cursor(end) if has_more else None


def next_search_cursor(offset: int) -> str | None:
    return write_cursor(ORDER, (offset,))
