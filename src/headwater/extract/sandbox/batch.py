"""Many documents at a time: one child process per worker, and a bounded number of documents in flight."""

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Self

from headwater.extract.sandbox.pool import kill_all
from headwater.extract.sandbox.sandboxed import Sandboxed
from headwater.model.errors import Permanent
from headwater.model.outcomes import ExtractHints, Reading, Unreadable

IN_FLIGHT_PER_WORKER = 4
Load = Callable[[], tuple[bytes, ExtractHints]]
"""Returns the bytes when a worker is free for them. Raises Permanent when they cannot be loaded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractResult:
    """The reading of one input, or why there is none."""

    name: str
    reading: Reading | Unreadable
    milliseconds: int = 0
    size: int = 0


@dataclass(slots=True)
class BatchExtractor:
    """A pool of threads, each waiting for a child process. A document that fails affects no other."""

    extract: Sandboxed
    workers: int = field(default_factory=lambda: os.cpu_count() or 1)
    in_flight: dict["Future[ExtractResult]", int] = field(default_factory=dict)
    threads: ThreadPoolExecutor | None = None
    submitted_count: int = 0

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

    def free_slots(self) -> int:
        return self.workers * IN_FLIGHT_PER_WORKER - len(self.in_flight)

    def submit(self, name: str, load: Load) -> None:
        assert self.threads is not None
        self.in_flight[self.threads.submit(_extract_one, self.extract, name, load)] = self.submitted_count
        self.submitted_count += 1

    def take_results(self, seconds: float) -> Iterator[tuple[int, ExtractResult]]:
        """The finished inputs with their numbers in the order of submission; waits up to `seconds` for the first."""
        if not self.in_flight:
            return
        finished, _ = wait(self.in_flight, seconds, FIRST_COMPLETED)
        for future in finished:
            yield self.in_flight.pop(future), future.result()


def _extract_one(extract: Sandboxed, name: str, load: Load) -> ExtractResult:
    started = time.monotonic()
    size = 0
    reading: Reading | Unreadable
    try:
        data, hints = load()
        size = len(data)
        reading = extract(data, hints)
    except Permanent as error:
        reading = Unreadable(error.reason, error.detail)
    return ExtractResult(
        name=name, reading=reading, milliseconds=round(1000 * (time.monotonic() - started)), size=size
    )
