"""`headwater queue`: what is left for other programs, taken from a shell."""

import os
import socket
import sys
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from headwater.cli.environment import open_app
from headwater.cli.options import Json, command_group
from headwater.cli.render.console import cell, console, print_json, print_json_lines, table
from headwater.model.errors import Refused
from headwater.settings.sources import parse_duration
from headwater.store.admin.queues import SqlQueues

app = command_group("Take documents from the queues that recipes fill; acknowledge them.")
Name = Annotated[str, typer.Argument(metavar="QUEUE", help="Its name, or the last part of it: extraction.")]
Item = Annotated[str, typer.Argument(metavar="ID", help="The item's id, as it was popped.")]
Limit = Annotated[int, typer.Option(min=1, max=1000, help="How many at most.")]


@app.command("list")
def list_queues(context: typer.Context, as_json: Json = False) -> None:
    """List the queues with how many items wait, are taken, done or given up."""
    found = _queues(context).counts()
    if as_json:
        print_json_lines(found)
        return
    made = table("queue", "waiting", "leased", "done", "failed", flexible="queue")
    for row in found:
        made.add_row(*(cell(row[name]) for name in ("queue", "waiting", "leased", "done", "failed")))
    console().print(made if found else "No queue has an item yet.")


@app.command("peek")
def peek(context: typer.Context, queue: Name, limit: Limit = 1) -> None:
    """Print the next items, one JSON object a line, without taking them."""
    queues = _queues(context)
    print_json_lines(queues.peek(queues.find_queue(queue), limit))


@app.command("pop")
def pop(
    context: typer.Context,
    queue: Name,
    *,
    limit: Limit = 1,
    lease: Annotated[
        str,
        typer.Option(metavar="DURATION", help="Others get it if it is not acknowledged in time: 90s, 15m."),
    ] = "15m",
    owner: Annotated[str | None, typer.Option(help="Who takes it; this shell unless given.")] = None,
) -> None:
    """Take the next items: one JSON object a line, each with its id.

    At least once: an item that is not acknowledged before its lease ends is given to the next who asks.
    """
    queues = _queues(context)
    taker = owner or f"{socket.gethostname()}:{os.getppid()}"
    print_json_lines(queues.pop(queues.find_queue(queue), taker, limit, parse_duration(lease, "--lease")))


@app.command("ack")
def ack(
    context: typer.Context,
    item: Item,
    *,
    result: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="JSON that came of it, to be kept; - reads it from the input."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Say that an item was dealt with."""
    _queues(context).ack(item, _result(result))
    _tell(f"{item} is done.", {"id": item, "state": "done"}, as_json=as_json)


@app.command("fail")
def fail(
    context: typer.Context,
    item: Item,
    reason: Annotated[str, typer.Option(help="Why; it stays with the item.")] = "extraction_failed",
    as_json: Json = False,
) -> None:
    """Say that an item could not be dealt with: it comes again after ten minutes, five times in all."""
    _queues(context).fail(item, reason)
    _tell(
        f"{item} comes again, unless it was tried often enough.",
        {"id": item, "state": "failed"},
        as_json=as_json,
    )


@app.command("retry")
def retry(
    context: typer.Context,
    queue: Annotated[str | None, typer.Argument(metavar="QUEUE", help="Only this queue.")] = None,
    as_json: Json = False,
) -> None:
    """Send again what was given up."""
    queues = _queues(context)
    count = queues.retry(queues.find_queue(queue) if queue else None)
    _tell(f"{count} items wait again.", {"count": count}, as_json=as_json)


def _queues(context: typer.Context) -> SqlQueues:
    return open_app(context).queues


def _result(path: Path | None) -> dict[str, Any] | None:
    if path is None:
        return None
    try:
        raw = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
        return msgspec.json.decode(raw, type=dict[str, Any])
    except OSError as error:
        raise Refused("unreadable_file", f"{path} cannot be read: {error.strerror}") from error
    except msgspec.DecodeError as error:
        raise Refused("bad_result", f"{path} is not a JSON object: {error}") from error


def _tell(sentence: str, record: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(record)
    else:
        console().print(cell(sentence), soft_wrap=True)
