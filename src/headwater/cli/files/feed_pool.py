"""Feeds read by several processes. A feed that breaks its reader does so alone, and its line says so."""

import resource
import signal
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import Self

import msgspec

from headwater.cli.files.feed_json import Record, failed_feed_record, feed_record
from headwater.cli.files.inputs import display_name, read_file
from headwater.model.errors import Permanent
from headwater.sources.feeds.parser import LARGEST_FEED

BATCH = 16
AHEAD = 3
SECONDS = 30.0
MEMORY = 2 << 30


@dataclass(frozen=True, slots=True)
class FeedInput:
    """A file to be read by whoever parses it, or an address with what it answered."""

    name: str
    data: bytes | None = None
    media_type: str | None = None
    refused: Permanent | None = None

    @property
    def url(self) -> str | None:
        return None if self.data is None else self.name


@dataclass(frozen=True, slots=True)
class FeedLine:
    """A line of the answer, encoded where it was made."""

    encoded: bytes
    ok: bool
    size: int


def read_batch(batch: Sequence[FeedInput]) -> list[FeedLine]:
    return [_line(one) for one in batch]


def _line(one: FeedInput) -> FeedLine:
    size = 0
    try:
        if one.refused is not None:
            raise one.refused
        data = one.data if one.data is not None else read_file(one.name, LARGEST_FEED)
        size = len(data)
        record = _in_time(one, data)
    except Permanent as error:
        record = failed_feed_record(display_name(one.name), error.reason, error.detail)
    return FeedLine(msgspec.json.encode(record), record["ok"], size)


def _in_time(one: FeedInput, data: bytes) -> Record:
    signal.signal(signal.SIGPROF, _too_slow)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        return feed_record(display_name(one.name), data, one.url, one.media_type)
    except MemoryError:
        raise Permanent("too_much_memory", f"more than {MEMORY >> 20} MB") from None
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _too_slow(_number: int, _frame: object) -> None:
    raise Permanent("too_slow", f"more than {SECONDS:g} seconds of the processor")


def limit_memory() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, hard))


@dataclass
class FeedPool:
    """Answers come in the order of the inputs; only so many are on the way at a time."""

    workers: int
    pool: ProcessPoolExecutor | None = None
    going: deque[tuple[list[FeedInput], "Future[list[FeedLine]]"]] = field(default_factory=deque)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.pool is not None:
            self.pool.shutdown(wait=False, cancel_futures=True)

    def read(self, wanted: Iterable[FeedInput]) -> Iterator[FeedLine]:
        batch: list[FeedInput] = []
        for one in wanted:
            batch.append(one)
            if len(batch) >= BATCH or one.data is not None:
                yield from self._take(batch)
                batch = []
        if batch and not self.going and len(batch) == 1:
            yield from read_batch(batch)  # a single file is not worth a process
            return
        yield from self._take(batch)
        while self.going:
            yield from self._first()

    def _take(self, batch: list[FeedInput]) -> Iterator[FeedLine]:
        if batch:
            self.going.append((batch, self._submit(batch)))
        if len(self.going) > self.workers * AHEAD:
            yield from self._first()

    def _first(self) -> Iterator[FeedLine]:
        batch, future = self.going.popleft()
        try:
            lines = future.result()
        except BrokenProcessPool:
            waiting = [one for later, _ in self.going for one in later]
            self.going.clear()
            lines = [line for one in (*batch, *waiting) for line in self._alone(one)]
        yield from lines

    def _alone(self, one: FeedInput) -> list[FeedLine]:
        try:
            return self._submit([one]).result()
        except BrokenProcessPool:
            return [
                FeedLine(
                    msgspec.json.encode(failed_feed_record(display_name(one.name), "reader_died")),
                    ok=False,
                    size=0,
                )
            ]

    def _submit(self, batch: list[FeedInput]) -> "Future[list[FeedLine]]":
        try:
            return self._pool().submit(read_batch, batch)
        except BrokenProcessPool:
            self.pool = None
            return self._pool().submit(read_batch, batch)

    def _pool(self) -> ProcessPoolExecutor:
        if self.pool is None:
            # Not forked: the process that fetches has threads, whose locks a fork would copy as they stand.
            context = get_context("spawn")
            self.pool = ProcessPoolExecutor(self.workers, context, initializer=limit_memory)
        return self.pool
