"""Tables for people, JSON for programs. Text from outside cannot control the terminal."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from headwater.text.printable import printable_text
from headwater.text.redaction import redact_record

SHORT_ID_LENGTH = 12


def console() -> Console:
    """Standard output: the result of the command."""
    return Console(highlight=False, markup=False, emoji=False)


def error_console() -> Console:
    """Standard error: progress and warnings, so that standard output holds data only."""
    return Console(stderr=True, highlight=False, markup=False, emoji=False)


def print_json(value: Any) -> None:
    """One JSON value on one line: every command prints JSON lines, and one about a single thing prints one of them."""
    sys.stdout.write(msgspec.json.encode(value).decode() + "\n")


def print_result(record: Mapping[str, Any], message: str, *, as_json: bool) -> None:
    """The outcome of a command that changes something: the record, or a sentence."""
    if as_json:
        print_json(record)
    else:
        console().print(cell(message), soft_wrap=True)


def print_notices(notices: Iterable[str]) -> None:
    """Sentences about what may have been meant otherwise, on standard error."""
    for notice in notices:
        end = "" if notice.endswith("?") else "."
        error_console().print(cell(f"{notice[:1].upper()}{notice[1:]}{end}", "yellow"), soft_wrap=True)


def print_json_lines(records: Iterable[Mapping[str, Any]]) -> None:
    """One JSON object per line."""
    for record in records:
        sys.stdout.write(msgspec.json.encode(record).decode() + "\n")


def table(
    *columns: str,
    numbers: Sequence[str] = (),
    flexible: str | None = None,
    widths: Mapping[str, int] | None = None,
) -> Table:
    """A plain table. The flexible column takes the room that the others leave. A column with a width is at most so wide on a
    terminal of 80 columns, and wider in proportion on others. What does not fit ends with an ellipsis."""
    scale = max(1.0, console().width / 80)
    listing = Table(
        box=None, pad_edge=False, header_style="bold", show_edge=False, expand=flexible is not None
    )
    for name in columns:
        listing.add_column(
            name,
            justify="right" if name in numbers else "left",
            no_wrap=True,
            overflow="ellipsis",
            ratio=1 if name == flexible else None,
            max_width=round(widths[name] * scale) if widths and name in widths else None,
        )
    return listing


def card(values: Mapping[str, object], indent: str = "") -> Table:
    """Labels and values, one pair per line; long values are folded, so that they can be copied."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for label, value in values.items():
        grid.add_row(Text(f"{indent}{label}", style="dim"), cell(value))
    return grid


def cell(value: object, style: str = "") -> Text:
    return Text("" if value is None else printable_text(redact_record(one_line(str(value)))), style=style)


def one_line(text: str) -> str:
    return " ".join(text.split())


def format_count(number: int, thing: str) -> str:
    """ "1 source", "2 sources"."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def short_id(key: str | None) -> str:
    """The beginning of an id, long enough to find the record again."""
    return (key or "")[:SHORT_ID_LENGTH]


def format_time(value: datetime | None) -> str:
    """Local time with its zone: "2026-11-14 07:00 CET"."""
    return f"{_local_minute(value)} {value.astimezone().tzname()}" if value else ""


def time_column(name: str, times: Sequence[datetime | None]) -> tuple[str, list[str]]:
    """The head of a column of local times, and its cells. The zone stands in the head, which leaves room for other columns;
    where summer time makes it differ, in the cells."""
    zones = {time.astimezone().tzname() for time in times if time}
    if len(zones) > 1:
        return name, [format_time(time) for time in times]
    head = f"{name} ({zones.pop()})" if zones else name
    return head, [_local_minute(time) if time else "" for time in times]


def _local_minute(value: datetime) -> str:
    return f"{value.astimezone():%Y-%m-%d %H:%M}"


def format_relative(time: datetime | None, now: datetime) -> str:
    """ "in 2 h", "3 d ago"."""
    if time is None:
        return ""
    seconds = (time - now).total_seconds()
    size = format_duration(abs(seconds))
    if size == "0 s":
        return "now"
    return f"in {size}" if seconds > 0 else f"{size} ago"


def format_due(time: datetime | None, now: datetime) -> str:
    """ "in 2 h", or "now" for what is due."""
    return "now" if time is not None and time <= now else format_relative(time, now)


def format_duration(seconds: float) -> str:
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"


def format_size(count: int) -> str:
    size = float(count)
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 1000 or unit == "GB":
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1000
    return str(count)
