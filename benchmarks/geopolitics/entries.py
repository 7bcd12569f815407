"""Entries of a day: addresses with a flashpoint and their pages, generated and written to files once."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.cycle.pages import article_page
from benchmarks.cycle.prose import WireArticle, wire_article

PER_PUBLISHER = 20
FLASHPOINTS = 12


class Entry(NamedTuple):
    url: str
    title: str
    flashpoint: str
    html: str


def entries(count: int) -> Iterator[Entry]:
    for number in range(count):
        article = wire_article(number // PER_PUBLISHER, number % PER_PUBLISHER)
        yield Entry(
            article.url, article.title, flashpoint_of(article), article_page(article, PER_PUBLISHER).decode()
        )


def flashpoint_of(article: WireArticle) -> str:
    """Pairs of publishers share a flashpoint, so that copies end up in one group."""
    return f"Flashpoint {article.feed // 2 % FLASHPOINTS}"


def write(folder: Path, count: int) -> None:
    """Writes the pages, one per line; the list of entries; the flashpoints."""
    with (
        (folder / "pages.jsonl").open("w", encoding="utf-8") as pages,
        (folder / "entries.csv").open("w", encoding="utf-8", newline="") as entry_list,
    ):
        rows = csv.writer(entry_list)
        rows.writerow(("id", "url", "flashpoint", "title"))
        for number, entry in enumerate(entries(count)):
            pages.write(json.dumps(entry._asdict()) + "\n")
            rows.writerow((f"entry-{number}", entry.url, entry.flashpoint, entry.title))
    settings = {
        "flashpoints": [{"title": f"Flashpoint {number}"} for number in range(FLASHPOINTS)],
        "entries": [str(folder / "entries.csv")],
    }
    (folder / "flashpoints.yaml").write_text(json.dumps(settings), encoding="utf-8")


def read(folder: Path) -> Iterator[Entry]:
    with (folder / "pages.jsonl").open(encoding="utf-8") as pages:
        for line in pages:
            yield Entry(**json.loads(line))
