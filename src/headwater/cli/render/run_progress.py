"""Progress of a run: a live table on a terminal, lines elsewhere."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import msgspec
from rich.console import Console, RenderableType
from rich.live import Live
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from headwater.app import App
from headwater.cli.options import GlobalOptions
from headwater.cli.render.console import error_console, format_count, format_duration
from headwater.cli.render.progress import LIVE_EVERY, Progress, Throttle
from headwater.cli.render.run_summary import RecipeCounts, recipe_counts


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
        # With log lines between, a line cannot be updated in place.
        with Progress(view.line, console=Console(file=console.file, force_terminal=False)) as progress:
            yield progress
        return
    with Live(view.panel(), console=console, auto_refresh=False, transient=True) as display:
        spinner = Throttle(LIVE_EVERY, lambda: display.update(view.panel(), refresh=True))
        yield spinner


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
            not_kept = counts.duplicate + counts.dropped + counts.quarantined
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
        f"{counts.quarantined} quarantined, {counts.waiting} waiting, "
        f"{counts.to_deliver} to deliver, {counts.delivered} delivered"
    )
