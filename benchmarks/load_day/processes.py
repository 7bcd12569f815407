"""What the processes of the day use: CPU seconds and memory, read from /proc. Asking psutil for all children reads every process
of the machine, which at four times a round cost as much as the engine."""

import os
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from benchmarks.load_day.world import DayWorld

MEGABYTE = 1024 * 1024
TICKS = os.sysconf("SC_CLK_TCK")
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


@dataclass
class Processes:
    """CPU seconds of this process, its readers and the database server, without what the world cost."""

    world: DayWorld
    server: int | None = None
    """The process id of PostgreSQL."""

    def seconds(self) -> float:
        times = os.times()
        own = time.process_time() - self.world.spent
        readers = sum(map(_seconds, self._readers()))
        server = _tree_seconds(self.server) if self.server else 0.0
        return own + times.children_user + times.children_system + readers + server

    def megabytes(self) -> tuple[float, float]:
        """Memory of this process, and of the largest reader."""
        readers = max(map(_resident_bytes, self._readers()), default=0)
        return _resident_bytes(os.getpid()) / MEGABYTE, readers / MEGABYTE

    def _readers(self) -> list[int]:
        return [child for child in _children(os.getpid()) if child != self.server]


def yardstick_milliseconds() -> float:
    """CPU time of a piece of work that is always the same: words counted, sorted, hashed."""
    start = time.process_time()
    words = [f"word{number * 7919 % 20_011}" for number in range(100_000)]
    for word, _ in sorted(Counter(words).items()):
        blake2b(word.encode(), digest_size=12).hexdigest()
    return 1000 * (time.process_time() - start)


def _children(pid: int) -> Iterator[int]:
    """Of all its threads. A process may end while it is looked at."""
    for file in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            yield from map(int, file.read_text().split())
        except OSError:
            continue


def _tree_seconds(pid: int) -> float:
    return _seconds(pid) + sum(map(_tree_seconds, _children(pid)))


def _seconds(pid: int) -> float:
    """CPU seconds of a process and of its children that have ended; nothing if it has ended itself."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / TICKS


def _resident_bytes(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE_BYTES
    except OSError:
        return 0
