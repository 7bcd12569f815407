"""The children of this process, and the documents that recently ended one.

A child reads batch after batch. It has a memory limit, and the kernel's timer ends it when a document takes too long, even
while native code runs. A document that kills its child fails with Permanent("extractor_died"), one that takes too long with
"extractor_timeout", one that needs too much memory with "extractor_memory". The next document gets a new child.
"""

import atexit
import os
import pickle
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from headwater.extract.sandbox.answers import Parser, ResultDecoder, result_decoder
from headwater.extract.sandbox.process import ExtractorEnded, ExtractorProcess, NotImported
from headwater.extract.sandbox.requests import Item
from headwater.model.errors import Permanent, Refused

_REMEMBERED = 256
_REMEMBERED_SECONDS = 120.0
_MOST_ITEMS, _MOST_BYTES = 64, 512_000  # of one request


@dataclass(slots=True)
class ExtractorPool:
    """The children with the same limits; every parser can use them.

    A batch with a document that ends its child is retried in halves by the engine. Remembering the verdict for a while makes
    that cost one child instead of many.
    """

    seconds: float
    megabytes: int
    idle: list[ExtractorProcess] = field(default_factory=list)
    busy: list[ExtractorProcess] = field(default_factory=list)
    parsers: dict[bytes, None] = field(default_factory=dict)
    verdicts: "OrderedDict[bytes, tuple[float, Permanent]]" = field(default_factory=OrderedDict)
    guard: threading.Lock = field(default_factory=threading.Lock)

    def read(self, parser: Parser, items: Sequence[Item]) -> Iterator[Any]:
        """One result for each item, in order: what the parser returned, or a Permanent error of that item alone."""
        pickled, decoder = pickle_parser(parser), result_decoder(parser)
        position = 0
        while position < len(items):
            item = items[position]
            if self.verdicts and (verdict := self._remembered_verdict(pickled, item)) is not None:
                position += 1
                yield verdict
                continue
            for result in self._read_request(pickled, decoder, self._next_request(pickled, items, position)):
                position += 1
                yield result

    def _next_request(self, pickled: bytes, items: Sequence[Item], position: int) -> tuple[Item, ...]:
        """As many small items as one request carries; an item that ended a child before is left for later."""
        size, end = len(items[position][2]), position + 1
        while end < len(items) and end - position < _MOST_ITEMS:
            size += len(items[end][2])
            if size > _MOST_BYTES:
                break
            if self.verdicts and self._remembered_verdict(pickled, items[end]) is not None:
                break
            end += 1
        return tuple(items[position:end])

    def _read_request(self, pickled: bytes, decoder: ResultDecoder, items: tuple[Item, ...]) -> Iterator[Any]:
        """The first results, up to the item that ends the child, or all of them. Answers that were lost with the child are
        asked for again, without that item."""
        child = self._borrow(pickled)
        answered = 0
        try:
            for result in child.read(pickled, items, decoder):
                answered += 1
                yield result
        except ExtractorEnded as error:
            guilty = min(max(child.started() - 1, answered), len(items) - 1)
            verdict = Permanent(error.reason, error.detail)
            self._remember(pickled, items[guilty], verdict)
            if guilty == answered:
                yield verdict
        except NotImported as error:
            self._require_import(pickled, str(error))
        finally:
            # Ended or interrupted in the middle: what the child would answer next is unknown.
            self._give_back(child, broken=answered < len(items))

    def _require_import(self, pickled: bytes, detail: str) -> None:
        """The next child imports this parser at its start; idle ones cannot any more."""
        with self.guard:
            if pickled in self.parsers:
                raise Refused(
                    "not_importable", f"the extractor cannot be imported in another process: {detail}"
                )
            self.parsers[pickled] = None
        self.close()

    def _borrow(self, pickled: bytes) -> ExtractorProcess:
        with self.guard:
            while self.idle:
                child = self.idle.pop()
                if child.is_alive():
                    self.busy.append(child)
                    return child
                child.kill()
            self.parsers[pickled] = None
            parsers = tuple(self.parsers)
        child = ExtractorProcess.start(parsers, self.seconds, self.megabytes)
        with self.guard:
            self.busy.append(child)
        return child

    def _give_back(self, child: ExtractorProcess, *, broken: bool) -> None:
        with self.guard:
            self.busy = [other for other in self.busy if other is not child]
            if not broken and not child.is_worn:
                self.idle.append(child)
                return
        if broken:
            child.kill()
        else:
            child.close()

    def _remembered_verdict(self, pickled: bytes, item: Item) -> Permanent | None:
        remembered_at, verdict = self.verdicts.get(_digest(pickled, item), (-_REMEMBERED_SECONDS, None))
        if verdict is None or time.monotonic() - remembered_at > _REMEMBERED_SECONDS:
            return None
        return Permanent(verdict.reason, verdict.detail)

    def _remember(self, pickled: bytes, item: Item, verdict: Permanent) -> None:
        with self.guard:
            self.verdicts[_digest(pickled, item)] = (time.monotonic(), verdict)
            while len(self.verdicts) > _REMEMBERED:
                self.verdicts.popitem(last=False)

    def close(self) -> None:
        with self.guard:
            idle, self.idle = self.idle, []
        for child in idle:
            child.close()

    def kill(self) -> None:
        """Ends the busy children; their callers get "extractor_died"."""
        with self.guard:
            busy = list(self.busy)
        for child in busy:
            child.end()

    def abandon_all(self) -> None:
        """For a forked process: the children belong to its parent."""
        for child in (*self.idle, *self.busy):
            child.abandon()
        self.idle, self.busy = [], []
        self.guard = threading.Lock()


def pickle_parser(parser: Parser) -> bytes:
    """What is sent to the child: the name of the parser, and the values that it is made of."""
    try:
        return pickle.dumps(parser)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise Refused(
            "not_importable", f"the extractor cannot be sent to another process: {error}"
        ) from error


def _digest(pickled: bytes, item: Item) -> bytes:
    return blake2b(item[2], digest_size=16, key=blake2b(pickled, digest_size=32).digest()).digest()


_pools: dict[tuple[float, int], ExtractorPool] = {}
_guard = threading.Lock()


def pool_with_limits(seconds: float, megabytes: int) -> ExtractorPool:
    key = (seconds, megabytes)
    pool = _pools.get(key)
    if pool is None:
        with _guard:
            pool = _pools.setdefault(key, ExtractorPool(seconds, megabytes))
    return pool


def kill_all() -> None:
    """Ends at once whatever is being read in this process."""
    with _guard:
        pools = list(_pools.values())
    for pool in pools:
        pool.kill()


def close_all() -> None:
    """Ends every idle child of this process."""
    with _guard:
        pools = list(_pools.values())
        _pools.clear()
    for pool in pools:
        pool.close()


def _after_fork() -> None:
    global _guard  # noqa: PLW0603 - another thread may have held it when the process forked
    _guard = threading.Lock()
    for pool in _pools.values():
        pool.abandon_all()


atexit.register(close_all)
os.register_at_fork(after_in_child=_after_fork)
