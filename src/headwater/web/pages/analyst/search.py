"""Search: the best documents with their passages, facets to narrow it, and a way to save it."""

import re
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request

from headwater.model.errors import Refused
from headwater.ops.saved_searches import SearchRequest, add_search
from headwater.search.query import MAX_CHARACTERS, parse_query
from headwater.web.context import WebContext
from headwater.web.pages.analyst.marked_text import marked_parts, without_beginning
from headwater.web.pages.forms import Action, Done
from headwater.web.pages.page import Page
from headwater.web.search_pages import FILTER_NAMES, PagedSearch, search_filters, search_page, value_label

FACETS = ("recipe", "topic", "country", "language", "source")
SINGLE = ("q", "recipe", "since", "until", "cursor")
PARAMETERS = frozenset({*SINGLE, *FILTER_NAMES})
PAGE_SIZE = 15
MOST_VALUES = 8
# What headings and bold words look like in the stored text.
_MARKUP = re.compile(r"\*\*|#{1,6}(?=\s|$)")
_NOT_IN_NAMES = re.compile(r"[^a-z0-9]+")


def load_search(request: Request, context: WebContext) -> dict[str, Any]:
    parameters = request.query_params
    chosen = {name: parameters.get(name, "") for name in SINGLE}
    values = {name: parameters.getlist(name) for name in FILTER_NAMES}
    pairs = [(name, value) for name, value in parameters.multi_items() if name != "cursor" and value]
    model: dict[str, Any] = {
        "q": chosen["q"],
        "pairs": pairs,
        "filters": [
            {"name": name, "value": value, "label": value_label(name, value)}
            for name, value in pairs
            if name != "q"
        ],
        "suggested_name": search_name(chosen["q"] or " ".join(value for _, value in pairs)),
        "results": None,
        "facets": [],
        "next": None,
        "total": 0,
        "word_total": 0,
        "has_words": False,
        "word_count": 0,
        "corrections": {},
        "notices": (),
        "longest": MAX_CHARACTERS,
        "problem": "",
    }
    if not pairs:
        return model
    try:
        words = parse_query(chosen["q"], context.app.clock()).words
        filters = search_filters(
            context, values, recipe=chosen["recipe"], since=chosen["since"], until=chosen["until"]
        )
    except Refused as error:
        if error.reason not in ("bad_moment", "bad_query"):
            raise
        return model | {"problem": error.detail}
    results, cursor = search_page(
        context.app,
        PagedSearch(
            # Without words, everything that meets the filters.
            text=chosen["q"] or "*",
            filters=filters,
            facets=FACETS,
            limit=PAGE_SIZE,
            cursor=chosen["cursor"],
        ),
    )
    return model | {
        "results": [result_record(row) for row in results.rows],
        "facets": facet_records(results.facets, pairs),
        "next": cursor,
        "total": results.total,
        "word_total": results.word_total,
        # Punctuation, filters and excluded words alone name nothing that a document could have.
        "has_words": bool(words),
        "word_count": len(words),
        "corrections": results.corrections,
        "notices": results.notices,
    }


def result_record(row: dict[str, Any]) -> dict[str, Any]:
    """A snippet need not say the title again, which stands above it."""
    snippet, highlights = without_beginning(row["snippet"], row["highlights"], row["title"])
    names = ("id", "recipe", "url", "publisher", "source", "published_at", "language", "duplicates")
    return {name: row[name] for name in names} | {
        "title": marked_parts(row["title"], row["title_highlights"]),
        "snippet": [
            part | {"text": _MARKUP.sub("", part["text"])} for part in marked_parts(snippet, highlights)
        ],
    }


def facet_records(facets: Any, pairs: list[tuple[str, str]]) -> list[dict[str, Any]]:
    """Facets with a choice, or with one that was made. A value that is chosen leads back to all."""
    records = []
    for name, counts in facets.items():
        selected = {value for other, value in pairs if other == name}
        values = [
            {
                "value": value,
                "label": value_label(name, value),
                "count": count,
                "is_chosen": value in selected,
            }
            for value, count in list(counts.items())[:MOST_VALUES]
        ]
        if len(values) > 1 or selected:
            records.append({"name": name, "values": values})
    return records


def search_name(text: str) -> str:
    """A name for a saved search: small letters, digits and hyphens."""
    return _NOT_IN_NAMES.sub("-", text.casefold())[:60].strip("-")


def save_search(request: Request, context: WebContext, fields: FormData) -> Done:
    del request
    name = search_name(str(fields.get("name", "")))
    filters = {item: [str(value) for value in fields.getlist(item)] for item in FILTER_NAMES}
    add_search(
        context.app,
        SearchRequest(
            name=name,
            query=str(fields.get("q", "")),
            filters={item: values for item, values in filters.items() if values},
            recipe=str(fields.get("recipe", "")) or None,
        ),
    )
    return Done(
        message="Saved as “{name}”: see Saved searches for its matches, its feeds and where they are sent.",
        values={"name": name},
    )


SEARCH_PAGE = Page(
    path="/search",
    template="analyst/search.html",
    load=load_search,
    parameters=PARAMETERS,
    label="Search",
)
SAVE_SEARCH = Action(path="/search/save", perform=save_search)
