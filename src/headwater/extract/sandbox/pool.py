"""Extraction where it can do no harm: in a child process that can be killed.

A child reads document after document. It has a memory limit, and the kernel's timer ends it when a document takes too
long, even while native code runs. A document that kills its child raises Permanent("extractor_died"), one that takes too
long "extractor_timeout", one that needs too much memory "extractor_memory". The next document gets a new child.
"""

import atexit
import os
import pickle
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from hashlib import blake2b

from headwater.extract.sandbox.process import ExtractorEnded, ExtractorProcess
from headwater.model.errors import Permanent, Refused
from headwater.model.outcomes import ExtractHints, Reading, Unreadable
from headwater.model.recipe import Extract

LARGEST = 256_000_000
_REMEMBERED = 256
_REMEMBERED_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Sandboxed:
    """An extractor that runs another one in a child process. The other must be picklable: importable by name, or made
    of values that are. Concurrent threads use one child each; idle children are kept."""

    extract: Extract
    seconds: float = 30.0
    megabytes: int = 512
    largest: int = LARGEST

    def __call__(self, data: bytes, hints: ExtractHints) -> Reading | Unreadable:
        if len(data) > self.largest:
            return Unreadable("too_large", f"{len(data)} bytes; at most {self.largest} are read")
        return _pool(self).read(data, hints)

    def close(self) -> None:
        """Ends the idle children. Not needed at exit."""
        with _guard:
            pool = _pools.pop(_pickled(self), None)
        if pool is not None:
            pool.close()


@dataclass(slots=True)
class ExtractorPool:
    """The children of one extractor, and the documents that recently killed one.

    A batch with such a document is retried in halves. Remembering the verdict for a while makes that cost one child
    instead of many.
    """

    extractor: Sandboxed
    idle: list[ExtractorProcess] = field(default_factory=list)
    busy: list[ExtractorProcess] = field(default_factory=list)
    verdicts: "OrderedDict[bytes, tuple[float, Permanent]]" = field(default_factory=OrderedDict)
    guard: threading.Lock = field(default_factory=threading.Lock)

    def read(self, data: bytes, hints: ExtractHints) -> Reading | Unreadable:
        if self.verdicts and (verdict := self._remembered_verdict(data)) is not None:
            raise verdict
        child = self._borrow()
        try:
            answer = child.read(data, hints)
        except ExtractorEnded as error:
            self._give_back(child, broken=True)
            verdict = Permanent(error.reason, error.detail)
            self._remember(data, verdict)
            raise verdict from None
        except BaseException:
            # Interrupted in the middle: what the child would answer next is unknown.
            self._give_back(child, broken=True)
            raise
        self._give_back(child)
        if isinstance(answer, Permanent):
            raise answer
        return answer

    def _borrow(self) -> ExtractorProcess:
        with self.guard:
            while self.idle:
                child = self.idle.pop()
                if child.is_alive():
                    self.busy.append(child)
                    return child
                child.kill()
        child = ExtractorProcess.start(
            self.extractor.extract, self.extractor.seconds, self.extractor.megabytes
        )
        with self.guard:
            self.busy.append(child)
        return child

    def _give_back(self, child: ExtractorProcess, *, broken: bool = False) -> None:
        with self.guard:
            self.busy = [other for other in self.busy if other is not child]
            if not broken and not child.is_worn:
                self.idle.append(child)
                return
        if broken:
            child.kill()
        else:
            child.close()

    def _remembered_verdict(self, data: bytes) -> Permanent | None:
        remembered_at, verdict = self.verdicts.get(_digest(data), (-_REMEMBERED_SECONDS, None))
        if verdict is None or time.monotonic() - remembered_at > _REMEMBERED_SECONDS:
            return None
        return Permanent(verdict.reason, verdict.detail)

    def _remember(self, data: bytes, verdict: Permanent) -> None:
        with self.guard:
            self.verdicts[_digest(data)] = (time.monotonic(), verdict)
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


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=16).digest()


_pools: dict[bytes, ExtractorPool] = {}
_guard = threading.Lock()


def _pickled(extractor: Sandboxed) -> bytes:
    """What is sent to the child; also the key of the extractor's pool."""
    try:
        return pickle.dumps(extractor)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise Refused(
            "not_importable", f"the extractor cannot be sent to another process: {error}"
        ) from error


def _pool(extractor: Sandboxed) -> ExtractorPool:
    key = _pickled(extractor)
    pool = _pools.get(key)
    if pool is None:
        with _guard:
            pool = _pools.setdefault(key, ExtractorPool(extractor))
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
