"""Progress on standard error, for every command that takes long: updated in place on a terminal, a line every ten seconds
elsewhere, so that a log shows that the command is alive."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Self

from rich.console import Console

from headwater.cli.render.console import error_console, format_duration

LIVE_EVERY, LINE_EVERY = 0.4, 10.0
TICK_SECONDS = 0.2
CLEAR_LINE = "\r\033[K"


@dataclass
class Throttle:
    """Calls a function, at most once in so many seconds."""

    seconds: float
    act: Callable[[], None]
    clock: Callable[[], float] = time.monotonic
    last: float = field(init=False)

    def __post_init__(self) -> None:
        self.last = self.clock()

    def __call__(self) -> None:
        if self.clock() - self.last >= self.seconds:
            self.act()
            self.last = self.clock()


@dataclass
class Progress:
    """Call it often; it prints the line now and then."""

    line: Callable[[], str]
    quiet: bool = False
    clock: Callable[[], float] = time.monotonic
    console: Console = field(default_factory=error_console)
    throttle: Throttle = field(init=False)
    on_screen: bool = False

    def __post_init__(self) -> None:
        self.throttle = Throttle(
            LIVE_EVERY if self.console.is_terminal else LINE_EVERY, self._print, self.clock
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._clear()

    def __call__(self) -> None:
        if not self.quiet:
            self.throttle()

    def _print(self) -> None:
        if not self.console.is_terminal:
            self.console.print(self.line(), style="dim", soft_wrap=True)
            return
        self._clear()
        self.console.print(self.line(), style="dim", end="", no_wrap=True, overflow="ellipsis")
        self.on_screen = True

    def _clear(self) -> None:
        if self.on_screen:
            self.console.file.write(CLEAR_LINE)
            self.on_screen = False


@contextmanager
def ticking(line: str | Callable[[], str], *, quiet: bool = False) -> Iterator[None]:
    """Progress of an operation that cannot call it: a thread does, and adds how long it has taken. Not for operations that
    fork."""
    if quiet:
        yield
        return
    started, finished = time.monotonic(), threading.Event()

    def text() -> str:
        return f"{line if isinstance(line, str) else line()}, {format_duration(time.monotonic() - started)}"

    with Progress(text) as progress:

        def tick() -> None:
            while not finished.wait(TICK_SECONDS):
                progress()

        thread = threading.Thread(target=tick, daemon=True)
        thread.start()
        try:
            yield
        finally:
            finished.set()
            thread.join()


@dataclass
class ReadCounts:
    """What a command has read of its inputs."""

    total: int = 0
    read: int = 0
    size: int = 0
    started: float = field(default_factory=time.monotonic)

    def add(self, *, ok: bool, size: int) -> None:
        self.total += 1
        self.read += ok
        self.size += size

    def line(self) -> str:
        elapsed = max(0.001, time.monotonic() - self.started)
        return (
            f"{self.total} done, {self.read} read, {self.total - self.read} failed, "
            f"{self.total / elapsed:.0f} a second, {self.size / 1e6:.0f} MB"
        )


@contextmanager
def read_progress(counts: ReadCounts, *, quiet: bool) -> Iterator[Progress]:
    """Progress of reading inputs, and its last line as the summary."""
    with Progress(counts.line, quiet=quiet) as progress:
        yield progress
    if not quiet and counts.total > 1:
        progress.console.print(counts.line(), soft_wrap=True)
