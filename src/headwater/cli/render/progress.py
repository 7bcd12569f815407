"""What is happening, while it happens: a live table on a terminal, a line now and then elsewhere."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Self

import msgspec
from rich.console import Console, RenderableType
from rich.live import Live
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from headwater.app import App
from headwater.cli.options import GlobalOptions
from headwater.cli.render.console import error_console, format_count, format_duration
from headwater.cli.render.run_summary import RecipeCounts, recipe_counts

LIVE_EVERY, LINE_EVERY = 0.4, 3.0
REPEAT_UNCHANGED_AFTER = 10


def wants_live(options: GlobalOptions, console: Console) -> bool:
    """A live table is torn by log lines, so whoever asks for logs gets plain lines of progress as well."""
    return console.is_terminal and options.log is None and options.log_level is None


def with_quiet_logs(app: App, *, live: bool) -> App:
    """Warnings that the live table shows anyway are not logged over it."""
    return App(msgspec.structs.replace(app.settings, log_level="error"), app.clock) if live else app


@contextmanager
def show_progress(
    app: App, recipes: Sequence[str], *, quiet: bool, live: bool
) -> Iterator[Callable[[], None]]:
    """Gives the function to call several times a second; it looks at the rows only now and then."""
    if quiet:
        yield lambda: None
        return
    console = error_console()
    look = ProgressView(app, recipes)
    if not live:
        yield Throttle(LINE_EVERY, ChangePrinter(look.line, lambda line: console.print(line, soft_wrap=True)))
        return
    with Live(look.panel(), console=console, auto_refresh=False, transient=True) as display:
        spinner = Throttle(LIVE_EVERY, lambda: display.update(look.panel(), refresh=True))
        yield spinner


@dataclass
class Throttle:
    """Calls a function, but not more often than so many seconds."""

    seconds: float
    act: Callable[[], None]
    last: float = field(default_factory=time.monotonic)

    def __call__(self) -> None:
        if time.monotonic() - self.last >= self.seconds:
            self.act()
            self.last = time.monotonic()


@dataclass
class ChangePrinter:
    """Tells what changed; what did not only now and then, as a sign of life."""

    read: Callable[[], str]
    tell: Callable[[str], None]
    told: str = ""
    silent: int = 0

    def __call__(self) -> None:
        line = self.read()
        self.silent += 1
        if line != self.told or self.silent >= REPEAT_UNCHANGED_AFTER:
            self.tell(line)
            self.told, self.silent = line, 0


@dataclass
class ProgressView:
    """Reads the counts of the recipes and shows them."""

    app: App
    recipes: Sequence[str]
    begun: float = field(default_factory=time.monotonic)
    spinner: Spinner = field(default_factory=lambda: Spinner("dots"))

    def read(self) -> list[tuple[str, RecipeCounts, int]]:
        """Each recipe's name, figures, and how many of its sources are being polled."""
        now = self.app.clock()
        found = [(name, self.app.catalogue.status(name, now)) for name in self.recipes]
        return [(name, recipe_counts(status), status["unfinished"]["poll"]["due"]) for name, status in found]

    def line(self) -> str:
        parts = [f"{name}: {counts_line(seen)}" for name, seen, _ in self.read()]
        return "; ".join(parts)

    def panel(self) -> RenderableType:
        grid = Table.grid(padding=(0, 2))
        for _ in range(7):
            grid.add_column(justify="right")
        heads = ("came in", "kept", "not kept", "waiting", "delivered", "")
        grid.add_row(self.spinner, *(Text(head, style="dim") for head in heads))
        for name, seen, due in self.read():
            ended = seen.duplicate + seen.dropped + seen.set_aside + seen.quarantined
            counts = (seen.came_in, seen.kept, ended, seen.waiting, seen.delivered)
            feeds = (
                f"{format_count(due, 'source')} to poll"
                if due
                else format_duration(time.monotonic() - self.begun)
            )
            cells = (Text(str(count), style="bold") for count in counts)
            grid.add_row(Text(name, style="bold cyan"), *cells, Text(feeds, style="dim"))
        return grid


def counts_line(seen: RecipeCounts) -> str:
    return (
        f"{seen.came_in} came in, {seen.kept} kept, {seen.duplicate} duplicate, {seen.dropped} dropped, "
        f"{seen.set_aside} set aside, {seen.quarantined} quarantined, {seen.waiting} waiting, "
        f"{seen.delivered} delivered"
    )


TELL_LIVE, TELL_LINE = 0.3, 5.0


@dataclass
class ReadCounts:
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
class ReadProgress:
    """Progress on standard error: in place on a terminal, a line now and then elsewhere."""

    counts: ReadCounts
    quiet: bool
    console: Console = field(default_factory=error_console)
    every: Throttle | None = None

    def __enter__(self) -> Self:
        live = self.console.is_terminal
        self.every = Throttle(TELL_LIVE if live else TELL_LINE, self._tell)
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
