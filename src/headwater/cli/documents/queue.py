"""`headwater queue`."""

import os
import socket
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from headwater.cli.environment import open_app
from headwater.cli.options import Json, Limit, OptionalLimit, command_group
from headwater.cli.render.console import cell, console, print_json_lines, print_result, table
from headwater.model.errors import Refused
from headwater.settings.sources import parse_duration
from headwater.store.changes.queues import SqlQueues
from headwater.text.json_payload import BadJson, decode_payload

app = command_group("Take items from the queues of recipes and acknowledge them.")
Name = Annotated[
    str, typer.Argument(metavar="QUEUE", help="The name of the queue, or its last part: extraction.")
]
Item = Annotated[str, typer.Argument(metavar="ID", help="The id of the item, as `pop` printed it.")]


@app.command("list")
def list_queues(context: typer.Context, limit: OptionalLimit = None, as_json: Json = False) -> None:
    """List the queues with their numbers of waiting, leased, done and failed items."""
    rows = _queues(context).counts()[:limit]
    if as_json:
        print_json_lines(rows)
        return
    counts = ("waiting", "leased", "done", "failed")
    listing = table("queue", *counts, numbers=counts, flexible="queue")
    for row in rows:
        listing.add_row(*(cell(row[name]) for name in ("queue", *counts)))
    console().print(listing if rows else "No queue has items yet.")


@app.command("peek")
def peek(context: typer.Context, queue: Name, limit: Limit = 1) -> None:
    """Print the items that `pop` would take now, one JSON object per line, without taking them."""
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
        typer.Option(
            metavar="DURATION",
            help="After this time without an acknowledgement others get the item: 90s, 15m.",
        ),
    ] = "15m",
    owner: Annotated[str | None, typer.Option(help="Name of the consumer; default: this shell.")] = None,
) -> None:
    """Take the next items: one JSON object per line, each with its id.

    Delivery is at least once: an item that is not acknowledged before its lease ends goes to the next consumer.
    """
    queues = _queues(context)
    owner_name = owner or f"{socket.gethostname()}:{os.getppid()}"
    print_json_lines(
        queues.pop(queues.find_queue(queue), owner_name, limit, parse_duration(lease, "--lease"))
    )


@app.command("ack")
def ack(
    context: typer.Context,
    item: Item,
    *,
    result: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="JSON result to store; - reads it from standard input."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Acknowledge an item as done."""
    _queues(context).ack(item, _result(result))
    print_result({"id": item, "state": "done"}, f"{item} is done.", as_json=as_json)


@app.command("fail")
def fail(
    context: typer.Context,
    item: Item,
    reason: Annotated[
        str, typer.Option(help="The reason; it is stored with the item.")
    ] = "extraction_failed",
    as_json: Json = False,
) -> None:
    """Report that an item failed: it is retried after ten minutes, five times in total."""
    _queues(context).report_failure(item, reason)
    print_result(
        {"id": item, "state": "failed"},
        f"{item} counts as failed; it is due again in ten minutes, unless this was its last attempt.",
        as_json=as_json,
    )


@app.command("retry")
def retry(
    context: typer.Context,
    queue: Annotated[str | None, typer.Argument(metavar="QUEUE", help="Only this queue.")] = None,
    as_json: Json = False,
) -> None:
    """Retry the items that failed for good."""
    queues = _queues(context)
    count = queues.retry(queues.find_queue(queue) if queue else None)
    print_result({"count": count}, f"{count} items are waiting again.", as_json=as_json)


@app.command("refill")
def refill(context: typer.Context, queue: Name, as_json: Json = False) -> None:
    """Put items that were lost from the list on the Redis server there again.

    These are the items for which nobody has reported success or failure and which are not on the list. Workers do this on
    their own after four hours, and at once when the server has lost all its data.
    """
    installation = open_app(context)
    queues = installation.queues
    if queues.supply is None:
        raise Refused("no_lists", "there are no lists without the setting `queues`; the queues are rows")
    count = installation.queue_lists(queues).refill(queues.supply, queues.find_queue(queue))
    print_result({"count": count}, f"{count} items are on the list again.", as_json=as_json)


def _queues(context: typer.Context) -> SqlQueues:
    return open_app(context).queues


def _result(path: Path | None) -> dict[str, Any] | None:
    if path is None:
        return None
    try:
        raw = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
        return decode_payload(raw, dict[str, Any])
    except OSError as error:
        raise Refused("unreadable_file", f"{path} cannot be read: {error.strerror}") from error
    except BadJson as error:
        raise Refused("bad_result", f"{path} is not a JSON object: {error}") from error
