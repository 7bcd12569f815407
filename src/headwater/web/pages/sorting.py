"""How a list of a page is sorted: by links in the heads of its columns, which work without a script."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.datastructures import QueryParams

from headwater.store.reads.record_lists import Direction, ReadPage
from headwater.store.rows import Record
from headwater.web.problems import HttpProblem
from headwater.web.rest.listing import Listing

SORT_PARAMETERS = frozenset({"sort", "direction"})
LIST_PARAMETERS = SORT_PARAMETERS | {"cursor"}


@dataclass(frozen=True, slots=True)
class SortedRows:
    """The rows of a page of a list. `members` are what every such page has in its model: the order, the cursor of the next
    page, and the parameters of the query that links to other pages of the list keep."""

    rows: list[Record]
    members: dict[str, Any]


def read_sorted(
    query: QueryParams,
    listing: Listing,
    read: ReadPage,
    *,
    names: Sequence[str],
    directions: Mapping[str, Direction],
    limit: int,
) -> SortedRows:
    order = chosen_order(query, directions)
    rows, cursor = listing.read_rows(
        read,
        names,
        cursor=query.get("cursor", ""),
        limit=limit,
        sort=order["sort"],
        direction=order["direction"],
    )
    pairs = [(name, value) for name, value in query.multi_items() if name != "cursor"]
    return SortedRows(rows, {"order": order, "next": cursor, "pairs": pairs})


def chosen_order(query: QueryParams, directions: Mapping[str, Direction]) -> dict[str, Any]:
    """The column and the direction that the reader chose, for the page and its JSON. `directions` has the columns by which the
    list can be sorted, each with the direction that is more useful; the first is the usual order."""
    sort = query.get("sort", "") or next(iter(directions))
    if sort not in directions:
        raise HttpProblem(400, "bad_sort", f"sort: use {', '.join(directions)}")
    direction = query.get("direction", "") or directions[sort]
    if direction not in {"asc", "desc"}:
        raise HttpProblem(400, "bad_sort", "direction: use asc, desc")
    return {"sort": sort, "direction": direction, "first": dict(directions)}
