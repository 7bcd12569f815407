"""Lists of addresses that somebody keeps by hand: lines, tables or YAML."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

import yaml

from headwater.model.errors import Permanent

NAMED = ("url", "title", "version", "published", "subject")
ADDRESS_NAMES = ("url", "link", "address", "href", "uri")
SEPARATORS = ",;\t|"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seed:
    """`extra` is whatever else was said about it, by name."""

    url: str
    title: str = ""
    version: str = ""
    published: str = ""
    subject: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)


def read_file(name: str, text: str) -> list[Seed]:
    """By the ending of the file's name: `.csv` and `.tsv` are tables, `.yaml` and `.yml` YAML, all else lines."""
    text = text.removeprefix("\ufeff").replace("\x00", "")
    suffix = PurePath(name).suffix.lower()
    if suffix in (".csv", ".tsv"):
        return list(_table(text))
    if suffix in (".yaml", ".yml"):
        return read_entries(_yaml(name, text))
    return [
        Seed(url=line.strip())
        for line in text.splitlines()
        if line.strip() and not line.strip().startswith("#")
    ]


def read_entries(entries: Any) -> list[Seed]:
    """Texts or mappings with a `url`, or a mapping that holds such a list under `seeds`, `urls` or `sources`."""
    if isinstance(entries, Mapping) and "url" not in entries:
        entries = next((entries[name] for name in ("seeds", "urls", "sources") if name in entries), None)
    if isinstance(entries, str | Mapping):
        entries = [entries]
    if not isinstance(entries, list | tuple):
        raise Permanent("bad_seeds", "a list of addresses is needed")
    return [_entry(number, entry) for number, entry in enumerate(entries, 1)]


def _entry(number: int, entry: Any) -> Seed:
    if isinstance(entry, str):
        return Seed(url=entry.strip())
    if isinstance(entry, Mapping) and isinstance(entry.get("url"), str):
        return _seed({str(name): value for name, value in entry.items()})
    raise Permanent("bad_seeds", f"entry {number}: an address is needed, or a mapping with a url")


def _yaml(name: str, text: str) -> Any:
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f" line {mark.line + 1}" if mark else ""
        raise Permanent("bad_seeds", f"{PurePath(name).name}{line}: not valid YAML") from error


def _table(text: str) -> Iterator[Seed]:
    """With a line of names above, in any order; without one the first column that holds addresses is taken."""
    first = text.split("\n", 1)[0]
    separator = max(SEPARATORS, key=first.count)
    rows = [row for row in csv.reader(io.StringIO(text), delimiter=separator) if any(map(str.strip, row))]
    if not rows:
        return
    names = [name.strip().lower() for name in rows[0]]
    address = next((names.index(name) for name in ADDRESS_NAMES if name in names), None)
    if address is None:
        yield from _unnamed(rows)
        return
    names[address] = "url"
    for row in rows[1:]:
        yield _seed({name: value.strip() for name, value in zip(names, row, strict=False) if name})


def _unnamed(rows: Iterable[list[str]]) -> Iterator[Seed]:
    for row in rows:
        cells = [cell.strip() for cell in row]
        yield Seed(url=next((cell for cell in cells if cell.startswith(("http://", "https://"))), cells[0]))


def _seed(said: Mapping[str, Any]) -> Seed:
    named = {name: str(said[name]).strip() for name in NAMED if said.get(name) not in (None, "")}
    extra = {name: value for name, value in said.items() if name not in NAMED and value not in (None, "")}
    return Seed(**{"url": "", **named}, extra=extra)
