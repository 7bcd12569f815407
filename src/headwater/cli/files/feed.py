"""`headwater feed`."""

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, TextIO

import msgspec
import typer

from headwater.cli.environment import settings_from
from headwater.cli.files.feed_pool import FeedInput, FeedLine, FeedPool
from headwater.cli.files.inputs import expand_inputs, is_url
from headwater.cli.options import Json, Quiet, global_options, single_command
from headwater.cli.render.console import format_count
from headwater.cli.render.messages import printable_text
from headwater.cli.render.progress import ReadCounts, ReadProgress
from headwater.fetch.responses import header_value
from headwater.model.errors import Permanent, Refused
from headwater.model.http import Failure, Request, Response
from headwater.model.ports import Fetcher

PATIENCE = timedelta(seconds=30)
FETCH_BATCH = 64


def feed(
    context: typer.Context,
    what: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH|URL…", help="Files, folders, patterns, addresses; - reads such from standard input."
        ),
    ],
    *,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write JSON lines here instead of to standard output."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes that read; one per processor unless given.")
    ] = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Read feeds of any format and condition: what each says of itself, its entries, what was wrong with it.

    A line for each, in the order of the input. What is no feed gets a line with the reason. Exit code 1 only if
    nothing could be read.
    """
    counts = ReadCounts()
    with ExitStack() as stack:
        target = stack.enter_context(out.open("w", encoding="utf-8")) if out else sys.stdout
        crew = stack.enter_context(FeedPool(workers or os.cpu_count() or 1))
        shows = not out and sys.stdout.isatty()
        telling = stack.enter_context(ReadProgress(counts, quiet=quiet or shows))
        for line in crew.read(_inputs(context, expand_inputs(what))):
            counts.add(ok=line.ok, size=line.size)
            _write(line, target, as_json=as_json or out is not None)
            telling.now()
    if not counts.total:
        raise Refused("nothing_to_do", "there is no file there")
    if not counts.read:
        raise typer.Exit(1)


def _write(line: FeedLine, target: TextIO, *, as_json: bool) -> None:
    text = line.encoded.decode() if as_json else printable_text(_sentence(msgspec.json.decode(line.encoded)))
    target.write(text + "\n")


def _sentence(record: dict[str, Any]) -> str:
    """ "a.xml: rss20 'Ledger Lane', 12 entries; malformed: …"."""
    if not record["ok"]:
        return f"{record['path']}: {record['reason']} {record['detail']}".rstrip()
    entries = format_count(len(record["entries"]), "entry").replace("entrys", "entries")
    told = "; ".join(record["warnings"])
    return f"{record['path']}: {record['format']} '{record['title'] or ''}', {entries}" + (
        f"; {told}" if told else ""
    )


def _inputs(context: typer.Context, names: Iterator[str]) -> Iterator[FeedInput]:
    """Files as they stand; addresses with what they answered, so many at a time."""
    asking: list[str] = []
    with ExitStack() as stack:
        fetcher: Fetcher | None = None
        for name in names:
            if not is_url(name):
                yield from _answers(fetcher, asking)
                yield FeedInput(name)
                continue
            if fetcher is None:
                fetcher = _fetcher(context)
                stack.callback(fetcher.close)
            asking.append(name)
            if len(asking) >= FETCH_BATCH:
                yield from _answers(fetcher, asking)
        yield from _answers(fetcher, asking)


def _fetcher(context: typer.Context) -> Fetcher:
    from headwater.app import App  # noqa: PLC0415 - files need no installation

    return App(settings_from(global_options(context))).fetcher()


def _answers(fetcher: Fetcher | None, asking: list[str]) -> Iterator[FeedInput]:
    """What the addresses answered, in their order; asks for them and empties the list."""
    if fetcher is None or not asking:
        return
    for number, name in enumerate(asking):
        fetcher.submit(str(number), Request(url=name, purpose="feed", source_kind="feed", timeout=PATIENCE))
    answers: dict[str, Response | Failure] = {}
    while len(answers) < len(asking):
        answers.update(fetcher.collect(len(asking), timedelta(seconds=0.5)))
    yield from (_answered(name, answers[str(number)]) for number, name in enumerate(asking))
    asking.clear()


def _answered(name: str, answer: Response | Failure) -> FeedInput:
    if isinstance(answer, Failure):
        return FeedInput(name, refused=Permanent(answer.reason, answer.detail))
    if answer.status != 200:
        return FeedInput(name, refused=Permanent(f"http_{answer.status}", answer.url))
    return FeedInput(name, data=answer.body, media_type=header_value(answer.headers, "content-type") or None)


app = single_command(feed)
