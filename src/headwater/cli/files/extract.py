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

from headwater.cli.environment import settings_from
from headwater.cli.files.inputs import display_name, expand_inputs, is_url, read_file
from headwater.cli.options import Quiet, global_options, single_command
from headwater.cli.render.messages import printable_text
from headwater.cli.render.progress import ReadCounts, ReadProgress
from headwater.extract.reader import read_any
from headwater.extract.sandbox.batch import BatchExtractor, ExtractResult
from headwater.extract.sandbox.pool import Sandboxed
from headwater.fetch.responses import header_value
from headwater.model.errors import Permanent, Refused
from headwater.model.http import Failure, Request, Response
from headwater.model.outcomes import ExtractHints, Unreadable
from headwater.model.ports import Fetcher

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
    counts = ReadCounts()
    with ExitStack() as stack:
        target = stack.enter_context(out.open("w", encoding="utf-8")) if out else sys.stdout
        crew = stack.enter_context(
            BatchExtractor(Sandboxed(read_any, seconds, megabytes), workers or os.cpu_count() or 1)
        )
        desk = stack.enter_context(InputDispatcher(context, crew))
        telling = stack.enter_context(ReadProgress(counts, quiet=quiet or (not out and sys.stdout.isatty())))
        several = len(what) > 1 or not Path(what[0]).is_file()
        for done in _ordered(desk.results(expand_inputs(what)), in_order=in_order):
            counts.add(ok=not isinstance(done.reading, Unreadable), size=done.size)
            _write(done, target, form, headed=several)
            telling.now()
    if not counts.total:
        raise Refused("nothing_to_do", "there is no file there")
    if not counts.read:
        raise typer.Exit(1)


@dataclass
class InputDispatcher:
    """Files go to the crew at once, addresses by way of the fetcher."""

    context: typer.Context
    crew: BatchExtractor
    fetcher: Fetcher | None = None
    fetching: dict[str, str] = field(default_factory=dict)
    asked: int = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.fetcher is not None:
            self.fetcher.close()

    def results(self, names: Iterator[str]) -> Iterator[tuple[int, ExtractResult]]:
        more = True
        while more or self.fetching or self.crew.in_flight:
            while more and self.crew.free_slots() > len(self.fetching):
                name = next(names, None)
                if name is None:
                    more = False
                else:
                    self._begin(name)
            self._collect()
            yield from self.crew.completed(LOOK)

    def _begin(self, name: str) -> None:
        if not is_url(name):
            self.crew.submit(name, lambda: _file(name, self.crew.extract.largest))
            return
        if self.fetcher is None:
            from headwater.app import App  # noqa: PLC0415 - files need no installation

            self.fetcher = App(settings_from(global_options(self.context))).fetcher()
        token = str(self.asked)
        self.asked += 1
        self.fetching[token] = name
        self.fetcher.submit(token, Request(url=name, purpose="page", timeout=PATIENCE))

    def _collect(self) -> None:
        if self.fetcher is None or not self.fetching:
            return
        wait = timedelta(seconds=0 if self.crew.in_flight else LOOK)
        for token, answer in self.fetcher.collect(len(self.fetching), wait):
            name = self.fetching.pop(token)
            self.crew.submit(name, partial(_answered, answer))


def _file(name: str, largest: int) -> tuple[bytes, ExtractHints]:
    return read_file(name, largest), ExtractHints(media_type=_named(name))


def _named(name: str) -> str | None:
    """What a name says about its content, where the content itself cannot."""
    endings = {
        ".md": "text/markdown",
        ".markdown": "text/markdown",
        ".txt": "text/plain",
        ".eml": "message/rfc822",
    }
    return endings.get(Path(name).suffix.lower())


def _answered(answer: Response | Failure) -> tuple[bytes, ExtractHints]:
    if isinstance(answer, Failure):
        raise Permanent(answer.reason, answer.detail)
    if answer.status != 200:
        raise Permanent(f"http_{answer.status}", answer.url)
    return answer.body, ExtractHints(
        url=answer.url, media_type=header_value(answer.headers, "content-type") or None
    )


def _ordered(results: Iterator[tuple[int, ExtractResult]], *, in_order: bool) -> Iterator[ExtractResult]:
    """As they are done, or as they were taken."""
    waiting: dict[int, ExtractResult] = {}
    following = 0
    for number, done in results:
        if not in_order:
            yield done
            continue
        waiting[number] = done
        while following in waiting:
            yield waiting.pop(following)
            following += 1


def _write(done: ExtractResult, target: TextIO, form: Format, *, headed: bool) -> None:
    if form == "json":
        target.write(msgspec.json.encode(result_record(done)).decode() + "\n")
    elif isinstance(done.reading, Unreadable):
        detail = f": {done.reading.detail}" if done.reading.detail else ""
        sys.stderr.write(printable_text(f"{done.name}: {done.reading.reason}{detail}") + "\n")
    else:
        head = f"==> {printable_text(done.name)} <==\n" if headed else ""
        text = done.reading.plain if form == "text" else done.reading.text
        target.write(f"{head}{text if target is not sys.stdout else printable_text(text)}\n")


def result_record(done: ExtractResult) -> dict[str, Any]:
    """A line of the output. Fields without a value are left out."""
    told: dict[str, Any] = {"input": display_name(done.name)}
    told["ok"] = not isinstance(done.reading, Unreadable)
    told |= {name: value for name, value in asdict(done.reading).items() if value not in ("", None, (), {})}
    return told | {"bytes": done.size, "milliseconds": done.milliseconds}


app = single_command(extract)
