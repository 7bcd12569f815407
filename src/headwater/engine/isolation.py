"""A failing batch is divided until the record that fails stands alone; the others go on."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from headwater.model.errors import HeadwaterError, Temporary

T = TypeVar("T")
R = TypeVar("R")


def bisect_batch(
    work: Callable[[Sequence[T]], Sequence[R]], items: Sequence[T], failed: Callable[[T, Exception], R]
) -> list[R]:
    """`work` over the items, one result each, in order. A record that fails alone gets what `failed` makes of it.

    "Later" concerns whatever the batch needs (a server, a disk), so it is not divided: all of it waits.
    """
    if not items:
        return []
    try:
        results = list(work(items))
    except Temporary as later:
        return [failed(item, later) for item in items]
    except Exception as error:  # noqa: BLE001 - the one place that catches: whatever a part raises becomes a reason
        if len(items) == 1:
            return [failed(items[0], error)]
        middle = len(items) // 2
        return bisect_batch(work, items[:middle], failed) + bisect_batch(work, items[middle:], failed)
    if len(results) != len(items):
        mismatch = ValueError(f"{len(items)} records went in, {len(results)} came out")
        return [failed(item, mismatch) for item in items]
    return results


def bisect_commit(
    commit: Callable[[Sequence[T]], R], results: Sequence[T], unfit: Callable[[T, Exception], T]
) -> list[R]:
    """Commit the results; one that the store cannot take is found by dividing and replaced by what `unfit` makes of
    it, so that it stops neither the others nor the worker. Trouble with the store itself is not divided."""
    try:
        return [commit(results)]
    except HeadwaterError:
        raise
    except Exception as error:  # noqa: BLE001 - as in `divide`: it becomes the reason of that one record
        if len(results) == 1:
            return [commit([unfit(results[0], error)])]
        middle = len(results) // 2
        return bisect_commit(commit, results[:middle], unfit) + bisect_commit(commit, results[middle:], unfit)


def error_reason(error: Exception) -> tuple[str, str]:
    """A machine-readable reason and one line for people."""
    if isinstance(error, HeadwaterError):  # others have a `reason` too, and mean something else by it
        return error.reason, error.detail[:500]
    detail = str(error).strip().splitlines()[0] if str(error).strip() else ""
    return f"error:{type(error).__name__}", detail[:500]
