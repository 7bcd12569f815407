"""Pages of a search, for the API, the web pages and tools: best first, with opaque cursors.

A cursor has a short hash of every document that was returned. The next page has the best of the others: what arrives in between,
or changes the order, neither repeats nor hides a result.
"""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

from headwater.app import App
from headwater.documents.places.countries import countries
from headwater.search.query import NO_FILTERS, VALUE_FIELDS, SearchFilters, make_filters, parse_query
from headwater.store.search.document_search import Method, SearchResults
from headwater.web.context import WebContext
from headwater.web.problems import HttpProblem
from headwater.web.rest.listing import chosen_recipes, parse_moment

MARK = b"search "
_SCHEME = re.compile(r"https?://(www\.)?")
LONGEST_CURSOR = 8_000
# Results further down are no results: a better query is needed.
DEEPEST = 1_000
HASH_BYTES = 5
# Filters with a list of values; recipe and times have one value each.
FILTER_NAMES = tuple(name for name in VALUE_FIELDS if name != "recipe")


def search_filters(
    context: WebContext,
    values: Mapping[str, Sequence[str] | None],
    *,
    recipe: str = "",
    since: str = "",
    until: str = "",
    quality: float | None = None,
) -> SearchFilters:
    if recipe:
        chosen_recipes(context, recipe)
    return make_filters(
        {**values, "recipe": recipe},
        since=parse_moment(context, since, "since"),
        until=parse_moment(context, until, "until"),
        quality=quality,
    )


def value_label(name: str, value: str) -> str:
    """The value of a filter, as people call it."""
    if name == "country" and value in countries():
        return countries()[value].name
    if name == "source" and value.startswith(("http://", "https://")):
        return _SCHEME.sub("", value).rstrip("/")
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class PagedSearch:
    text: str
    filters: SearchFilters = NO_FILTERS
    method: Method = "hybrid"
    facets: Sequence[str] = ()
    limit: int = 10
    cursor: str = ""


def search_page(app: App, request: PagedSearch) -> tuple[SearchResults, str | None]:
    """The results of the page, and the cursor of the next one."""
    returned = returned_hashes(request.cursor)
    size = min(request.limit, DEEPEST - len(returned))
    if size <= 0:
        return SearchResults((), 0), None
    query = parse_query(request.text, app.clock(), filters=request.filters, limit=size + 1)
    results = app.search.search(
        query,
        method=request.method,
        facets=request.facets,
        passed_over=len(returned),
        is_wanted=lambda document: document_hash(document) not in returned,
    )
    page = replace(results, rows=list(results.rows[:size]))
    has_more = len(results.rows) > size and len(returned) + size < DEEPEST
    return page, next_search_cursor(request.cursor, page.rows) if has_more else None


def next_search_cursor(cursor: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """The cursor after these rows of the page that began at `cursor`."""
    hashes = dict.fromkeys([*returned_hashes(cursor), *(document_hash(row["id"]) for row in rows)])
    return urlsafe_b64encode(MARK + b"".join(hashes)).decode().rstrip("=")


def returned_hashes(cursor: str) -> dict[bytes, None]:
    """The hashes of the documents on earlier pages, in their order."""
    if not cursor:
        return {}
    try:
        data = urlsafe_b64decode(cursor[:LONGEST_CURSOR].encode("ascii") + b"=" * (-len(cursor) % 4))
    except (Error, ValueError):
        data = b""
    hashes = data.removeprefix(MARK)
    if len(hashes) == len(data) or len(hashes) % HASH_BYTES:
        raise HttpProblem(400, "bad_cursor", "cursor: give one that search returned as `next`")
    return dict.fromkeys(hashes[start : start + HASH_BYTES] for start in range(0, len(hashes), HASH_BYTES))


def document_hash(document: str) -> bytes:
    return blake2b(document.encode(), digest_size=HASH_BYTES).digest()
