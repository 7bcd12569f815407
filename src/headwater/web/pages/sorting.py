"""How a list of a page is sorted: by links in the heads of its columns, which work without a script."""

from collections.abc import Mapping
from typing import Any

from starlette.datastructures import QueryParams

from headwater.store.reads.record_lists import Direction
from headwater.web.problems import HttpProblem

SORT_PARAMETERS = frozenset({"sort", "direction"})


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
