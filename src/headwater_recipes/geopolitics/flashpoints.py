"""The list of flashpoints and their sources: a YAML file written by hand, or a CSV export of a table."""

import csv
import io
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec

from headwater.documents.places.countries import countries
from headwater.model.errors import Refused
from headwater.model.keys import source_key
from headwater.model.page import PageMode
from headwater.model.source import Source
from headwater.model.subject import Subject
from headwater.settings.sources import SourceLine, make_source
from headwater.settings.yaml_file import load_yaml
from headwater_recipes.geopolitics.day_tables.database import checked_reference

RECIPE = "geopolitics"
KIND = "flashpoint"
ENTRIES = "entries"
DAY_TABLES = "day_tables"


class FlashpointFeed(msgspec.Struct, forbid_unknown_fields=True):
    """A feed of a flashpoint with more than its address."""

    url: str
    name: str = ""
    kind: str = "feed"
    cron: str | None = None
    every: str | None = None
    pages: PageMode | None = None
    credibility: float = 0.5
    options: dict[str, Any] = {}


class FlashpointLine(msgspec.Struct, forbid_unknown_fields=True):
    """`id`: a UUID of another system. Any other text, or none, is turned into one. `countries`: where it lies, as codes such
    as PE; they hold for stories whose documents name no country. `pages`: what is done with the pages of its feeds and
    entries; a feed may say otherwise."""

    title: str
    id: str = ""
    description: str = ""
    entities: list[str] = []
    domains: list[str] = []
    countries: list[str] = []
    active: bool = True
    pages: PageMode | None = None
    feeds: list[str | FlashpointFeed] = []
    entries: str | list[Any] = []


class FlashpointFile(msgspec.Struct, forbid_unknown_fields=True):
    """`entries`: lists whose entries name their flashpoint. `database` (env:NAME or file:PATH): a PostgreSQL with day
    tables. `date`: the day to read instead of the newest. `pages`: what is done with the pages of these lists and
    tables."""

    flashpoints: list[FlashpointLine] = []
    entries: list[str] = []
    database: str | None = None
    date: str | None = None
    pages: PageMode | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FlashpointList:
    sources: tuple[Source, ...]
    subjects: tuple[Subject, ...]
    database: str | None = None


def flashpoint_id(name: str) -> str:
    """A UUID in its usual spelling. Any other name becomes a UUID, always the same."""
    try:
        return str(UUID(name))
    except ValueError:
        digest = blake2b(name.strip().casefold().encode("utf-8", "replace"), digest_size=16).digest()
        return str(UUID(bytes=digest, version=5))


def load_flashpoints(path: Path, day: str | None = None) -> FlashpointList:
    """A YAML file of flashpoints with their feeds and lists, or a CSV table of flashpoints (id, title, description)
    with the entries in `entries.csv` next to it. `day` is the day table to read, by default the `date` of the file or the
    newest."""
    file = _table(path) if path.suffix.lower() == ".csv" else load_yaml(path, FlashpointFile)
    ids = [flashpoint_id(line.id or line.title) for line in file.flashpoints]
    duplicates = [key for key, count in Counter(ids).items() if count > 1]
    if duplicates:
        titles = [line.title for line, key in zip(file.flashpoints, ids, strict=True) if key == duplicates[0]]
        raise Refused("bad_config", f"{path}: flashpoints: '{titles[0]}' and '{titles[1]}' have the same id")
    sources = [
        source for number, line in enumerate(file.flashpoints) for source in _sources(path, number, line)
    ]
    lists = [_list(f"entries {name}", {"file": _beside(path, name)}, None) for name in file.entries]
    if file.database is not None:
        lists.append(_database(checked_reference(file.database), day or file.date))
    sources += [replace(source, pages=file.pages) for source in lists]
    subjects = tuple(_subject(line) for line in file.flashpoints)
    return FlashpointList(sources=tuple(sources), subjects=subjects, database=file.database)


def _database(address: str, day: str | None) -> Source:
    options = {"database": address} | ({} if day is None else {"date": day})
    name = f"day tables of {address}"
    return Source(
        id=source_key(RECIPE, DAY_TABLES, address, name),
        recipe=RECIPE,
        kind=DAY_TABLES,
        name=name,
        options=options,
    )


def _subject(line: FlashpointLine) -> Subject:
    return Subject(
        id=flashpoint_id(line.id or line.title),
        name=line.title,
        kind=KIND,
        active=line.active,
        attributes={
            "description": line.description,
            "entities": line.entities,
            "domains": line.domains,
            "countries": _checked_countries(line),
        },
    )


def _checked_countries(line: FlashpointLine) -> list[str]:
    codes = [code.upper() for code in line.countries]
    if wrong := [code for code in codes if code not in countries()]:
        raise Refused(
            "bad_config",
            f"flashpoint '{line.title}': there is no country '{wrong[0]}'; use a code such as PE",
        )
    return codes


def _sources(path: Path, number: int, line: FlashpointLine) -> Iterator[Source]:
    subject = flashpoint_id(line.id or line.title)
    for feed_number, entry in enumerate(line.feeds):
        feed = FlashpointFeed(url=entry) if isinstance(entry, str) else entry
        yield _feed(line, feed, subject, f"{path}: flashpoints[{number}].feeds[{feed_number}]")
    if line.entries:
        is_file = isinstance(line.entries, str)
        options = {"file": _beside(path, str(line.entries))} if is_file else {"entries": line.entries}
        entries = _list(f"{line.title}: entries", options, subject, active=line.active)
        yield replace(entries, pages=line.pages)


def _feed(line: FlashpointLine, feed: FlashpointFeed, subject: str, where: str) -> Source:
    source_line = SourceLine(
        name=feed.name or f"{line.title}: {feed.url}",
        url=feed.url,
        kind=feed.kind,
        cron=feed.cron,
        every=feed.every,
        subject=subject,
        pages=feed.pages or line.pages,
        credibility=feed.credibility,
        active=line.active,
        options=feed.options,
    )
    # One feed may serve several flashpoints: each has its own source.
    source_id = source_key(RECIPE, feed.kind, f"{subject} {feed.url}", source_line.name)
    return replace(make_source(source_line, RECIPE, where), id=source_id)


def _list(name: str, options: dict[str, Any], subject: str | None, *, active: bool = True) -> Source:
    return Source(
        id=source_key(RECIPE, ENTRIES, f"{subject} {options.get('file', '')}", name),
        recipe=RECIPE,
        kind=ENTRIES,
        name=name,
        options=options,
        subject=subject,
        active=active,
    )


def _beside(path: Path, name: str) -> str:
    """Paths of lists are relative to the file that names them."""
    return str(path.parent / name)


def _table(path: Path) -> FlashpointFile:
    try:
        rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"))))
    except FileNotFoundError as error:
        raise Refused("missing_file", f"file {path} not found") from error
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise Refused("bad_config", f"{path}: not a readable CSV file in UTF-8") from error
    if not rows or "title" not in rows[0]:
        raise Refused("bad_config", f"{path}: the first line must name the columns, among them title")
    lines = [
        FlashpointLine(
            title=row["title"] or "", id=row.get("id") or "", description=row.get("description") or ""
        )
        for row in rows
    ]
    entries = [name for name in ("entries.csv", "entries.yaml") if (path.parent / name).exists()]
    return FlashpointFile(flashpoints=lines, entries=entries)
