"""How far a verb that reads many things has come, told on standard error."""

import time
from dataclasses import dataclass, field
from typing import Self

from rich.console import Console

from headwater.cli.output import side_console
from headwater.cli.progress import Every

TELL_LIVE, TELL_LINE = 0.3, 5.0


@dataclass
class Counts:
    total: int = 0
    read: int = 0
    size: int = 0
    begun: float = field(default_factory=time.monotonic)

    def add(self, *, ok: bool, size: int) -> None:
        self.total += 1
        self.read += ok
        self.size += size

    def line(self) -> str:
        elapsed = max(0.001, time.monotonic() - self.begun)
        return (
            f"{self.total} done, {self.read} read, {self.total - self.read} not, "
            f"{self.total / elapsed:.0f} a second, {self.size / 1e6:.0f} MB"
        )


@dataclass
class Telling:
    """Progress on standard error: in place on a terminal, a line now and then elsewhere."""

    counts: Counts
    quiet: bool
    console: Console = field(default_factory=side_console)
    every: Every | None = None

    def __enter__(self) -> Self:
        live = self.console.is_terminal
        self.every = Every(TELL_LIVE if live else TELL_LINE, self._tell)
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None and not self.quiet and self.counts.total > 1:
            self._tell(last=True)

    def now(self) -> None:
        if not self.quiet and self.every is not None:
            self.every()

    def _tell(self, *, last: bool = False) -> None:
        live = self.console.is_terminal
        self.console.print(self.counts.line(), end="\n" if last or not live else "\r", soft_wrap=True)
