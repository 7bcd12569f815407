"""Memory of a process that works through batches: Python's garbage collector, and what the C library keeps for later."""

import ctypes
import gc
from collections.abc import Callable
from functools import cache

COLLECT_AFTER = 100_000
"""New objects: a batch makes that many and drops them all, so that a collection after every 700, or in the middle of a batch, finds
nothing."""


def collect_rarely() -> None:
    """For the beginning of a process: what is imported stays, so that a tenth of the time that it takes would go into collections
    that find nothing."""
    gc.set_threshold(COLLECT_AFTER)


def freeze_loaded_objects() -> None:
    """For a process that has imported what it needs, before it works or forks: what is in memory now stays there, and the
    collector need not look at it again. It is not asked once more: of 140,000 objects it would free a thousand, in 80 ms."""
    gc.freeze()
    collect_rarely()


def return_free_memory() -> None:
    """For the moment after a job that held many documents: the C library keeps what it freed between blocks that are in use, a
    tenth of the process. To give it back takes a few milliseconds."""
    trim = _malloc_trim()
    if trim is not None:
        trim(0)


@cache
def _malloc_trim() -> Callable[[int], int] | None:
    """Of glibc; other C libraries have none."""
    return getattr(ctypes.CDLL(None), "malloc_trim", None)
