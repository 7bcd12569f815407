"""Many documents at a time: as many children as there are workers, a bounded number of documents on the way."""

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Self

from headwater.extract.sandbox.pool import Sandboxed, kill_all
from headwater.model.errors import Permanent
from headwater.model.outcomes import ExtractHints, Reading, Unreadable

AHEAD = 4
Load = Callable[[], tuple[bytes, ExtractHints]]
"""Gives the bytes when it is their turn; raises Permanent if they cannot be had."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractResult:
    """What became of one input."""

    name: str
    found: Reading | Unreadable
    milliseconds: int = 0
    size: int = 0


@dataclass(slots=True)
class BatchExtractor:
    """Threads that wait for children. A document that fails does so alone."""

    extract: Sandboxed
    workers: int = field(default_factory=lambda: os.cpu_count() or 1)
    going: dict["Future[ExtractResult]", int] = field(default_factory=dict)
    threads: ThreadPoolExecutor | None = None
    taken: int = 0

    def __enter__(self) -> Self:
        self.threads = ThreadPoolExecutor(self.workers)
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        assert self.threads is not None
        if kind is not None:
            self.threads.shutdown(wait=False, cancel_futures=True)
            kill_all()
        self.threads.shutdown()
        self.extract.close()

    def room(self) -> int:
        return self.workers * AHEAD - len(self.going)

    def take(self, name: str, load: Load) -> None:
        assert self.threads is not None
        self.going[self.threads.submit(_extract_one, self.extract, name, load)] = self.taken
        self.taken += 1

    def done(self, seconds: float) -> Iterator[tuple[int, ExtractResult]]:
        """What is ready, waiting at most so long for the first; with the number under which it was taken."""
        if not self.going:
            return
        ready, _ = wait(self.going, seconds, FIRST_COMPLETED)
        for future in ready:
            yield self.going.pop(future), future.result()


def _extract_one(extract: Sandboxed, name: str, load: Load) -> ExtractResult:
    begun = time.monotonic()
    size = 0
    found: Reading | Unreadable
    try:
        data, hints = load()
        size = len(data)
        found = extract(data, hints)
    except Permanent as error:
        found = Unreadable(error.reason, error.detail)
    return ExtractResult(
        name=name, found=found, milliseconds=round(1000 * (time.monotonic() - begun)), size=size
    )
