"""How replays look: how far they have come, what would change."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from headwater.cli.render.console import cell, format_time, short_id, table
from headwater.model.replay import ReplayState, ReplayVerdict

Record = Mapping[str, Any]
STYLES = {"worse": "red", "failed": "red", "changed": "yellow", "better": "green", "same": "dim"}
FIELDS_SHOWN = 15


def progress_line(found: Record) -> str:
    if found["state"] in {ReplayState.APPLYING, ReplayState.APPLIED}:
        return f"{found['replaced']} replaced, {found['moved_on']} moved on, {found['stays']} stay"
    counts = ", ".join(f"{found[verdict]} {verdict.value}" for verdict in ReplayVerdict)
    return f"{found['compared']} of {_total(found)} compared: {counts}"


def _total(found: Record) -> str:
    return str(found["listed"]) if found["listed_all"] else f"about {found['expected']}"


def replay_table(found: Sequence[Record]) -> Table:
    numbers = ("compared", ReplayVerdict.BETTER.value, ReplayVerdict.CHANGED.value, ReplayVerdict.WORSE.value)
    made = table("id", "recipe", "since", "state", *numbers, numbers=numbers)
    for row in found:
        made.add_row(
            cell(short_id(row["id"]), "cyan"),
            cell(row["recipe"]),
            f"{row['since']:%Y-%m-%d}",
            cell(row["state"]),
            *(cell(row[name]) for name in numbers),
        )
    return made


def replay_card(found: Record) -> Iterator[RenderableType]:
    grid = Table.grid(padding=(0, 2))
    lines = {
        "replay": short_id(found["id"]),
        "recipe": found["recipe"],
        "documents": f"that came from {format_time(found['since'])} to {format_time(found['until'])}",
        "state": found["state"],
        "compared": f"{found['compared']} of {_total(found)}",
        "verdicts": ", ".join(f"{found[verdict]} {verdict.value}" for verdict in ReplayVerdict),
    }
    if found["chosen"]:
        lines["replaced"] = progress_line({**found, "state": ReplayState.APPLIED})
    for label, text in lines.items():
        grid.add_row(Text(label, style="dim"), cell(text))
    yield grid
    if found["fields"]:
        yield _fields(found["fields"])
    if found["state"] == ReplayState.REPORTED:
        yield Text(f"\nLook:    headwater replay report {short_id(found['id'])}", style="dim")
        yield Text(f"Replace: headwater replay apply {short_id(found['id'])}", style="dim")


def _fields(fields: Mapping[str, Mapping[str, int]]) -> Table:
    """The most frequent first."""
    made = table("field", "better", "changed", "worse", numbers=("better", "changed", "worse"))
    often = sorted(fields.items(), key=lambda pair: (-sum(pair[1].values()), pair[0]))
    for name, told in often[:FIELDS_SHOWN]:
        made.add_row(cell(name, "cyan"), *(cell(told[word]) for word in ("better", "changed", "worse")))
    return made


def print_replay_report(out: Console, found: Record, rows: Iterable[Record]) -> None:
    for part in replay_card(found):
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
