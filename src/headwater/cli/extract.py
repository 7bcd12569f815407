"""`headwater extract`."""

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TextIO

import msgspec
import typer

from headwater.cli.inputs import contents, inputs, is_address, shown
from headwater.cli.opening import settings_from
from headwater.cli.options import Quiet, given, verb
from headwater.cli.sentences import printable
from headwater.cli.telling import Counts, Telling
from headwater.extract.many import Crew, Read
from headwater.extract.read import read_any
from headwater.extract.sandbox import Sandboxed
from headwater.model.errors import Permanent, Refused
from headwater.model.ports import Fetcher
from headwater.model.reading import Hints, Unreadable
from headwater.model.web import Failure, Request, Response
from headwater.pure.responses import header

LOOK = 0.1
PATIENCE = timedelta(seconds=30)
Format = Literal["text", "markdown", "json"]


def extract(
    context: typer.Context,
    what: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH|URL…", help="Files, folders, patterns, addresses; - reads such from standard input."
        ),
    ],
    *,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write here instead of standard output.")
    ] = None,
    form: Annotated[
        Format, typer.Option("--format", help="json: a line per input; else only its text.")
    ] = "json",
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes that read; one per processor unless given.")
    ] = None,
    in_order: Annotated[
        bool, typer.Option("--in-order", help="Keep the order of the input; else as they are done.")
    ] = False,
    seconds: Annotated[float, typer.Option(min=0.1, help="The longest that one document may take.")] = 30.0,
    megabytes: Annotated[int, typer.Option(min=64, help="The most memory that a process may take.")] = 512,
    quiet: Quiet = False,
) -> None:
    """Read files or pages of any kind: text, metadata, tables and forms out of bytes.

    What cannot be read gets a line with the reason. Exit code 1 only if nothing could be read.
    """
    counts = Counts()
    with ExitStack() as stack:
        target = stack.enter_context(out.open("w", encoding="utf-8")) if out else sys.stdout
        crew = stack.enter_context(
            Crew(Sandboxed(read_any, seconds, megabytes), workers or os.cpu_count() or 1)
        )
        desk = stack.enter_context(Desk(context, crew))
        telling = stack.enter_context(Telling(counts, quiet=quiet or (not out and sys.stdout.isatty())))
        several = len(what) > 1 or not Path(what[0]).is_file()
        for done in _ordered(desk.results(inputs(what)), in_order=in_order):
            counts.add(ok=not isinstance(done.found, Unreadable), size=done.size)
            _write(done, target, form, headed=several)
            telling.now()
    if not counts.total:
        raise Refused("nothing_to_do", "there is no file there")
    if not counts.read:
        raise typer.Exit(1)


@dataclass
class Desk:
    """Files go to the crew at once, addresses by way of the fetcher."""

    context: typer.Context
    crew: Crew
    fetcher: Fetcher | None = None
    fetching: dict[str, str] = field(default_factory=dict)
    asked: int = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.fetcher is not None:
            self.fetcher.close()

    def results(self, names: Iterator[str]) -> Iterator[tuple[int, Read]]:
        more = True
        while more or self.fetching or self.crew.going:
            while more and self.crew.room() > len(self.fetching):
                name = next(names, None)
                if name is None:
                    more = False
                else:
                    self._begin(name)
            self._collect()
            yield from self.crew.done(LOOK)

    def _begin(self, name: str) -> None:
        if not is_address(name):
            self.crew.take(name, lambda: _file(name, self.crew.extract.largest))
            return
        if self.fetcher is None:
            from headwater.app import App  # noqa: PLC0415 - files need no installation

            self.fetcher = App(settings_from(given(self.context))).fetcher()
        token = str(self.asked)
        self.asked += 1
        self.fetching[token] = name
        self.fetcher.submit(token, Request(url=name, purpose="page", timeout=PATIENCE))

    def _collect(self) -> None:
        if self.fetcher is None or not self.fetching:
            return
        wait = timedelta(seconds=0 if self.crew.going else LOOK)
        for token, answer in self.fetcher.collect(len(self.fetching), wait):
            name = self.fetching.pop(token)
            self.crew.take(name, partial(_answered, answer))


def _file(name: str, largest: int) -> tuple[bytes, Hints]:
    return contents(name, largest), Hints(media_type=_named(name))


def _named(name: str) -> str | None:
    """What a name says about its content, where the content itself cannot."""
    endings = {
        ".md": "text/markdown",
        ".markdown": "text/markdown",
        ".txt": "text/plain",
        ".eml": "message/rfc822",
    }
    return endings.get(Path(name).suffix.lower())


def _answered(answer: Response | Failure) -> tuple[bytes, Hints]:
    if isinstance(answer, Failure):
        raise Permanent(answer.reason, answer.detail)
    if answer.status != 200:
        raise Permanent(f"http_{answer.status}", answer.url)
    return answer.body, Hints(url=answer.url, media_type=header(answer.headers, "content-type") or None)


def _ordered(results: Iterator[tuple[int, Read]], *, in_order: bool) -> Iterator[Read]:
    """As they are done, or as they were taken."""
    waiting: dict[int, Read] = {}
    following = 0
    for number, done in results:
        if not in_order:
            yield done
            continue
        waiting[number] = done
        while following in waiting:
            yield waiting.pop(following)
            following += 1


def _write(done: Read, target: TextIO, form: Format, *, headed: bool) -> None:
    if form == "json":
        target.write(msgspec.json.encode(record(done)).decode() + "\n")
    elif isinstance(done.found, Unreadable):
        detail = f": {done.found.detail}" if done.found.detail else ""
        sys.stderr.write(printable(f"{done.name}: {done.found.reason}{detail}") + "\n")
    else:
        head = f"==> {printable(done.name)} <==\n" if headed else ""
        text = done.found.plain if form == "text" else done.found.text
        target.write(f"{head}{text if target is not sys.stdout else printable(text)}\n")


def record(done: Read) -> dict[str, Any]:
    """A line of the output. Fields without a value are left out."""
    told: dict[str, Any] = {"input": shown(done.name)}
    told["ok"] = not isinstance(done.found, Unreadable)
    told |= {name: value for name, value in asdict(done.found).items() if value not in ("", None, (), {})}
    return told | {"bytes": done.size, "milliseconds": done.milliseconds}


app = verb(extract)
