"""Isolates failing records: a failing batch is bisected until the record that fails is alone; the others go on."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from headwater.model.errors import HeadwaterError, Temporary
from headwater.text.redaction import redact_text

MAX_DETAIL_LENGTH = 500

T = TypeVar("T")
R = TypeVar("R")


def bisect_batch(
    work: Callable[[Sequence[T]], Sequence[R]],
    items: Sequence[T],
    on_failure: Callable[[T, Exception], R],
) -> list[R]:
    """Returns one result per item, in order. An item that fails alone gets the result of `on_failure`.

    A temporary error concerns what the whole batch needs (a server, a disk), so it is not bisected: all items wait.
    """
    if not items:
        return []
    try:
        results = list(work(items))
    except Temporary as error:
        return [on_failure(item, error) for item in items]
    except Exception as error:  # noqa: BLE001 - the one place that catches: whatever a part raises becomes a reason
        if len(items) == 1:
            return [on_failure(items[0], error)]
        middle = len(items) // 2
        return bisect_batch(work, items[:middle], on_failure) + bisect_batch(work, items[middle:], on_failure)
    if len(results) != len(items):
        mismatch = ValueError(f"{len(items)} records went in, {len(results)} came out")
        return [on_failure(item, mismatch) for item in items]
    return results


def bisect_commit(
    commit: Callable[[Sequence[T]], R], results: Sequence[T], replace_unstorable: Callable[[T, Exception], T]
) -> list[R]:
    """Commits the results. One that the store rejects is found by bisecting and replaced by what `replace_unstorable`
    returns, so that it stops neither the others nor the worker. Errors of the store itself are not bisected."""
    try:
        return [commit(results)]
    except HeadwaterError:
        raise
    except Exception as error:  # noqa: BLE001 - as in `bisect_batch`: it becomes the reason of that one record
        if len(results) == 1:
            return [commit([replace_unstorable(results[0], error)])]
        middle = len(results) // 2
        return bisect_commit(commit, results[:middle], replace_unstorable) + bisect_commit(
            commit, results[middle:], replace_unstorable
        )


def error_reason(error: Exception) -> tuple[str, str]:
    """Returns a machine-readable reason and one line for people, without the secrets of URLs."""
    if isinstance(error, HeadwaterError):  # other exceptions have a `reason` too, with another meaning
        return error.reason, redact_text(error.detail)[:MAX_DETAIL_LENGTH]
    lines = str(error).strip().splitlines()
    return f"error:{type(error).__name__}", redact_text(lines[0] if lines else "")[:MAX_DETAIL_LENGTH]
