"""Entries of a day: addresses with a flashpoint, and the pages behind them, made up and written to files once."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.cycle.pages import page
from benchmarks.cycle.prose import Piece, piece

PER_PUBLISHER = 20
FLASHPOINTS = 12


class Entry(NamedTuple):
    url: str
    title: str
    flashpoint: str
    html: str


def entries(count: int) -> Iterator[Entry]:
    for number in range(count):
        one = piece(number // PER_PUBLISHER, number % PER_PUBLISHER)
        yield Entry(one.url, one.title, flashpoint_of(one), page(one, PER_PUBLISHER).decode())


def flashpoint_of(one: Piece) -> str:
    """Two publishers in turn write about one flashpoint, so that copies meet."""
    return f"Flashpoint {one.feed // 2 % FLASHPOINTS}"


def write(folder: Path, count: int) -> None:
    """The pages, a line each; the list of entries; the flashpoints."""
    with (
        (folder / "pages.jsonl").open("w", encoding="utf-8") as pages,
        (folder / "entries.csv").open("w", encoding="utf-8", newline="") as listed,
    ):
        rows = csv.writer(listed)
        rows.writerow(("id", "url", "flashpoint", "title"))
        for number, entry in enumerate(entries(count)):
            pages.write(json.dumps(entry._asdict()) + "\n")
            rows.writerow((f"entry-{number}", entry.url, entry.flashpoint, entry.title))
    watched = {
        "flashpoints": [{"title": f"Flashpoint {number}"} for number in range(FLASHPOINTS)],
        "entries": [str(folder / "entries.csv")],
    }
    (folder / "flashpoints.yaml").write_text(json.dumps(watched), encoding="utf-8")


def read(folder: Path) -> Iterator[Entry]:
    with (folder / "pages.jsonl").open(encoding="utf-8") as pages:
        for line in pages:
            yield Entry(**json.loads(line))
