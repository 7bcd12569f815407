"""What is happening, while it happens: a live table on a terminal, a line now and then elsewhere."""

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
from headwater.cli.figures import Figures, figures
from headwater.cli.options import Options
from headwater.cli.output import count_of, side_console, span

LIVE_EVERY, LINE_EVERY = 0.4, 3.0
SIGN_OF_LIFE = 10


def wants_live(options: Options, console: Console) -> bool:
    """A live table is torn by log lines, so whoever asks for logs gets plain lines of progress as well."""
    return console.is_terminal and options.log is None and options.log_level is None


def without_noise(app: App, *, live: bool) -> App:
    """Warnings that the live table shows anyway are not logged over it."""
    return App(msgspec.structs.replace(app.settings, log_level="error"), app.clock) if live else app


@contextmanager
def watching(app: App, recipes: Sequence[str], *, quiet: bool, live: bool) -> Iterator[Callable[[], None]]:
    """Gives the function to call several times a second; it looks at the rows only now and then."""
    if quiet:
        yield lambda: None
        return
    console = side_console()
    look = Look(app, recipes)
    if not live:
        yield Every(LINE_EVERY, Changes(look.line, lambda line: console.print(line, soft_wrap=True)))
        return
    with Live(look.panel(), console=console, auto_refresh=False, transient=True) as display:
        spinner = Every(LIVE_EVERY, lambda: display.update(look.panel(), refresh=True))
        yield spinner


@dataclass
class Every:
    """Calls a function, but not more often than so many seconds."""

    seconds: float
    act: Callable[[], None]
    last: float = field(default_factory=time.monotonic)

    def __call__(self) -> None:
        if time.monotonic() - self.last >= self.seconds:
            self.act()
            self.last = time.monotonic()


@dataclass
class Changes:
    """Tells what changed; what did not only now and then, as a sign of life."""

    read: Callable[[], str]
    tell: Callable[[str], None]
    told: str = ""
    silent: int = 0

    def __call__(self) -> None:
        line = self.read()
        self.silent += 1
        if line != self.told or self.silent >= SIGN_OF_LIFE:
            self.tell(line)
            self.told, self.silent = line, 0


@dataclass
class Look:
    """Reads the counts of the recipes and shows them."""

    app: App
    recipes: Sequence[str]
    begun: float = field(default_factory=time.monotonic)
    spinner: Spinner = field(default_factory=lambda: Spinner("dots"))

    def read(self) -> list[tuple[str, Figures, int]]:
        """Each recipe's name, figures, and how many of its sources are being polled."""
        now = self.app.clock()
        found = [(name, self.app.catalogue.status(name, now)) for name in self.recipes]
        return [(name, figures(status), status["unfinished"]["poll"]["due"]) for name, status in found]

    def line(self) -> str:
        parts = [f"{name}: {line_of(seen)}" for name, seen, _ in self.read()]
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
            feeds = f"{count_of(due, 'source')} to poll" if due else span(time.monotonic() - self.begun)
            cells = (Text(str(count), style="bold") for count in counts)
            grid.add_row(Text(name, style="bold cyan"), *cells, Text(feeds, style="dim"))
        return grid


def line_of(seen: Figures) -> str:
    return (
        f"{seen.came_in} came in, {seen.kept} kept, {seen.duplicate} duplicate, {seen.dropped} dropped, "
        f"{seen.set_aside} set aside, {seen.quarantined} quarantined, {seen.waiting} waiting, "
        f"{seen.delivered} delivered"
    )
