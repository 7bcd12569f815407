"""Progress on standard error: a live table on a terminal, a line every few seconds elsewhere."""

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
READ_LIVE_EVERY, READ_LINE_EVERY = 0.3, 5.0
REPEAT_UNCHANGED_AFTER = 10


def wants_live(options: GlobalOptions, console: Console) -> bool:
    """Log lines would tear a live table apart, so with logs progress is printed as plain lines."""
    return console.is_terminal and options.log is None and options.log_level is None


def with_quiet_logs(app: App, *, live: bool) -> App:
    """The live table shows failures itself: warnings are not logged over it."""
    return App(msgspec.structs.replace(app.settings, log_level="error"), app.clock) if live else app


@contextmanager
def show_progress(
    app: App, recipes: Sequence[str], *, quiet: bool, live: bool
) -> Iterator[Callable[[], None]]:
    """Yields a function to call several times a second; it reads the database every few seconds at most."""
    if quiet:
        yield lambda: None
        return
    console = error_console()
    view = ProgressView(app, recipes)
    if not live:
        yield Throttle(LINE_EVERY, ChangePrinter(view.line, lambda line: console.print(line, soft_wrap=True)))
        return
    with Live(view.panel(), console=console, auto_refresh=False, transient=True) as display:
        spinner = Throttle(LIVE_EVERY, lambda: display.update(view.panel(), refresh=True))
        yield spinner


@dataclass
class Throttle:
    """Calls a function, at most once in so many seconds."""

    seconds: float
    act: Callable[[], None]
    last: float = field(default_factory=time.monotonic)

    def __call__(self) -> None:
        if time.monotonic() - self.last >= self.seconds:
            self.act()
            self.last = time.monotonic()


@dataclass
class ChangePrinter:
    """Prints a line when it changes, and an unchanged line every so often, to show that the program is alive."""

    read: Callable[[], str]
    print_line: Callable[[str], None]
    printed: str = ""
    unchanged: int = 0

    def __call__(self) -> None:
        line = self.read()
        self.unchanged += 1
        if line != self.printed or self.unchanged >= REPEAT_UNCHANGED_AFTER:
            self.print_line(line)
            self.printed, self.unchanged = line, 0


@dataclass
class ProgressView:
    """Reads the counts of the recipes and renders them."""

    app: App
    recipes: Sequence[str]
    started: float = field(default_factory=time.monotonic)
    spinner: Spinner = field(default_factory=lambda: Spinner("dots"))

    def read(self) -> list[tuple[str, RecipeCounts, int]]:
        """Each recipe's name, counts, and number of sources that are due."""
        now = self.app.clock()
        statuses = [(name, self.app.catalogue.status(name, now)) for name in self.recipes]
        return [
            (name, recipe_counts(status), status["unfinished"]["poll"]["due"]) for name, status in statuses
        ]

    def line(self) -> str:
        parts = [f"{name}: {counts_line(counts)}" for name, counts, _ in self.read()]
        return "; ".join(parts)

    def panel(self) -> RenderableType:
        grid = Table.grid(padding=(0, 2))
        for _ in range(7):
            grid.add_column(justify="right")
        heads = ("came in", "kept", "not kept", "waiting", "delivered", "")
        grid.add_row(self.spinner, *(Text(head, style="dim") for head in heads))
        for name, counts, due in self.read():
            not_kept = counts.duplicate + counts.dropped + counts.set_aside + counts.quarantined
            numbers = (counts.came_in, counts.kept, not_kept, counts.waiting, counts.delivered)
            activity = (
                f"{format_count(due, 'source')} to poll"
                if due
                else format_duration(time.monotonic() - self.started)
            )
            cells = (Text(str(count), style="bold") for count in numbers)
            grid.add_row(Text(name, style="bold cyan"), *cells, Text(activity, style="dim"))
        return grid


def counts_line(counts: RecipeCounts) -> str:
    return (
        f"{counts.came_in} came in, {counts.kept} kept, {counts.duplicate} duplicate, {counts.dropped} dropped, "
        f"{counts.set_aside} set aside, {counts.quarantined} quarantined, {counts.waiting} waiting, "
        f"{counts.delivered} delivered"
    )


@dataclass
class ReadCounts:
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


@dataclass
class ReadProgress:
    """Progress on standard error: updated in place on a terminal, a line every few seconds elsewhere."""

    counts: ReadCounts
    quiet: bool
    console: Console = field(default_factory=error_console)
    every: Throttle | None = None

    def __enter__(self) -> Self:
        live = self.console.is_terminal
        self.every = Throttle(READ_LIVE_EVERY if live else READ_LINE_EVERY, self._print)
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None and not self.quiet and self.counts.total > 1:
            self._print(last=True)

    def now(self) -> None:
        if not self.quiet and self.every is not None:
            self.every()

    def _print(self, *, last: bool = False) -> None:
        live = self.console.is_terminal
        self.console.print(self.counts.line(), end="\n" if last or not live else "\r", soft_wrap=True)
