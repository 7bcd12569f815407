"""Pages of a search, for the API and for tools: best first, with opaque cursors."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from headwater.app import App
from headwater.search.word_query import WordQuery
from headwater.web.rest.cursors import read_cursor, write_cursor

ORDER = "search"
# Results further down are no results: a better query is needed.
DEEPEST = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    text: str
    recipes: Sequence[str]
    language: str = ""
    since: datetime | None = None
    meaning: bool = False
    limit: int = 10
    cursor: str = ""

    @property
    def offset(self) -> int:
        return int((read_cursor(self.cursor, ORDER, [int]) or (0,))[0])


def search_page(app: App, request: SearchRequest) -> tuple[list[dict[str, Any]], str | None]:
    """The results, and the cursor of the next page."""
    start = max(0, request.offset)
    end = min(start + request.limit, DEEPEST)
    queries = [
        WordQuery(
            query=request.text, recipe=name, language=request.language, since=request.since, limit=end + 1
        )
        for name in request.recipes
    ]
    rows = (app.search.by_meaning if request.meaning else app.search.by_words)(queries)
    has_more = len(rows) > end < DEEPEST
    return rows[start:end], next_search_cursor(end) if has_more else None


def next_search_cursor(offset: int) -> str | None:
    return write_cursor(ORDER, (offset,))
