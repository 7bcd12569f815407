"""Replays: their progress, and what would change."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from headwater.cli.render.console import card, cell, format_time, short_id, table
from headwater.model.replay import ReplayState, ReplayVerdict

Record = Mapping[str, Any]
STYLES = {"worse": "red", "failed": "red", "changed": "yellow", "better": "green", "same": "dim"}
FIELDS_SHOWN = 15


def progress_line(replay: Record) -> str:
    if replay["state"] in {ReplayState.APPLYING, ReplayState.APPLIED}:
        return f"{replay['replaced']} replaced, {replay['moved_on']} moved on, {replay['stays']} stay"
    counts = ", ".join(f"{replay[verdict]} {verdict.value}" for verdict in ReplayVerdict)
    return f"{replay['compared']} of {_total(replay)} compared: {counts}"


def _total(replay: Record) -> str:
    return str(replay["listed_count"]) if replay["listed_all"] else f"about {replay['expected_count']}"


def replay_table(replays: Sequence[Record]) -> Table:
    numbers = ("compared", ReplayVerdict.BETTER.value, ReplayVerdict.CHANGED.value, ReplayVerdict.WORSE.value)
    listing = table("id", "recipe", "since", "state", *numbers, numbers=numbers)
    for row in replays:
        listing.add_row(
            cell(short_id(row["id"]), "cyan"),
            cell(row["recipe"]),
            f"{row['since'].astimezone():%Y-%m-%d}",
            cell(row["state"]),
            *(cell(row[name]) for name in numbers),
        )
    return listing


def replay_card(replay: Record) -> Iterator[RenderableType]:
    lines = {
        "replay": short_id(replay["id"]),
        "recipe": replay["recipe"],
        "documents": f"that came in from {format_time(replay['since'])} to {format_time(replay['until'])}",
        "state": replay["state"],
        "compared": f"{replay['compared']} of {_total(replay)}",
        "verdicts": ", ".join(f"{replay[verdict]} {verdict.value}" for verdict in ReplayVerdict),
    }
    if replay["chosen_verdicts"]:
        lines["replaced"] = progress_line({**replay, "state": ReplayState.APPLIED})
    yield card(lines)
    if replay["fields"]:
        yield _fields(replay["fields"])
    if replay["state"] == ReplayState.REPORTED:
        yield Text(f"\nReport:  headwater replay report {short_id(replay['id'])}", style="dim")
        yield Text(f"Replace: headwater replay apply {short_id(replay['id'])}", style="dim")


def _fields(fields: Mapping[str, Mapping[str, int]]) -> Table:
    """The most frequently changed fields first."""
    listing = table("field", "better", "changed", "worse", numbers=("better", "changed", "worse"))
    by_frequency = sorted(fields.items(), key=lambda pair: (-sum(pair[1].values()), pair[0]))
    for name, verdicts in by_frequency[:FIELDS_SHOWN]:
        listing.add_row(
            cell(name, "cyan"), *(cell(verdicts[word]) for word in ("better", "changed", "worse"))
        )
    return listing


def print_replay_report(out: Console, replay: Record, rows: Iterable[Record]) -> None:
    for part in replay_card(replay):
        out.print(part)
    for row in rows:
        out.print()
        head = Text.assemble(
            (row["verdict"], STYLES[row["verdict"]]), "  ", (short_id(row["document_id"]), "cyan"), "  "
        )
        out.print(head + cell(row["title"] or row["url"]), soft_wrap=True)
        if row["reason"]:
            out.print(Text("  ") + cell(f"{row['reason']}: {row['detail'] or ''}"), soft_wrap=True)
        for difference in row["differences"] or ():
            _show_difference(out, difference)


def _show_difference(out: Console, difference: Record) -> None:
    out.print(Text("  ") + cell(difference["field"], "bold"))
    for sign, style, value in (("-", "red", difference["before"]), ("+", "green", difference["after"])):
        if value:
            out.print(Text(f"    {sign} ", style=style) + cell(value), soft_wrap=True)
