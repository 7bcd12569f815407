"""Extraction where it can do no harm: in a child process that may be killed.

A child is started once and then reads document after document; it has a limit of memory, and the kernel's alarm clock
ends it when a document takes too long, even while native code runs. A document that kills its child ends as
Permanent("extractor_died"), one that takes too long as "extractor_timeout", one that wants too much memory as
"extractor_memory"; the next document gets a new child.
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
    """An extractor that lets another one work in a child process. The other must be importable by name, or be a
    value made of such. Each thread that calls at the same time has a child of its own; idle children are kept."""

    extract: Extract
    seconds: float = 30.0
    megabytes: int = 512
    largest: int = LARGEST

    def __call__(self, data: bytes, hints: ExtractHints) -> Reading | Unreadable:
        if len(data) > self.largest:
            return Unreadable("too_large", f"{len(data)} bytes; at most {self.largest} are read")
        return _pool(self).read(data, hints)

    def close(self) -> None:
        """End the idle children. Not needed at exit."""
        with _guard:
            pool = _pools.pop(_carried(self), None)
        if pool is not None:
            pool.close()


@dataclass(slots=True)
class ExtractorPool:
    """The idle children of one extractor, and the documents that lately killed one.

    A batch with a poisoned document is taken apart and tried again in halves; remembering the verdict for a while
    makes that cost one death instead of many.
    """

    wanted: Sandboxed
    idle: list[ExtractorProcess] = field(default_factory=list)
    busy: list[ExtractorProcess] = field(default_factory=list)
    verdicts: "OrderedDict[bytes, tuple[float, Permanent]]" = field(default_factory=OrderedDict)
    guard: threading.Lock = field(default_factory=threading.Lock)

    def read(self, data: bytes, hints: ExtractHints) -> Reading | Unreadable:
        if self.verdicts and (known := self._known(data)) is not None:
            raise known
        child = self._borrow()
        try:
            answer = child.read(data, hints)
        except ExtractorEnded as error:
            self._give_back(child, broken=True)
            verdict = Permanent(error.reason, error.detail)
            self._remember(data, verdict)
            raise verdict from None
        except BaseException:
            # Interrupted in the middle: nobody knows what it would answer next.
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
        child = ExtractorProcess.start(self.wanted.extract, self.wanted.seconds, self.wanted.megabytes)
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

    def _known(self, data: bytes) -> Permanent | None:
        found = self.verdicts.get(_digest(data))
        if found is None or time.monotonic() - found[0] > _REMEMBERED_SECONDS:
            return None
        return Permanent(found[1].reason, found[1].detail)

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
        """The busy ones too; whoever waits for them is told that they died."""
        with self.guard:
            busy = list(self.busy)
        for child in busy:
            child.end()

    def forget(self) -> None:
        """In a forked process: the children belong to the other one."""
        for child in (*self.idle, *self.busy):
            child.abandon()
        self.idle, self.busy = [], []
        self.guard = threading.Lock()


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=16).digest()


_pools: dict[bytes, ExtractorPool] = {}
_guard = threading.Lock()


def _carried(wanted: Sandboxed) -> bytes:
    """As it travels to another process; also the key under which its children are known."""
    try:
        return pickle.dumps(wanted)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise Refused("not_importable", f"the extractor cannot work in another process: {error}") from error


def _pool(wanted: Sandboxed) -> ExtractorPool:
    key = _carried(wanted)
    pool = _pools.get(key)
    if pool is None:
        with _guard:
            pool = _pools.setdefault(key, ExtractorPool(wanted))
    return pool


def kill_all() -> None:
    """End what is being read at once, for somebody who does not want to wait for it."""
    with _guard:
        pools = list(_pools.values())
    for pool in pools:
        pool.kill()


def close_all() -> None:
    """End every idle child of this process."""
    with _guard:
        pools = list(_pools.values())
        _pools.clear()
    for pool in pools:
        pool.close()


def _after_fork() -> None:
    global _guard  # noqa: PLW0603 - another thread may have held it when the process forked
    _guard = threading.Lock()
    for pool in _pools.values():
        pool.forget()


atexit.register(close_all)
os.register_at_fork(after_in_child=_after_fork)
