"""Flashpoints: what is watched, and where its entries come from. YAML says it by hand, CSV comes out of tables."""

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

from headwater.model.errors import Refused
from headwater.model.keys import source_key
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
    """A feed of a flashpoint, where more than its address is to be said."""

    url: str
    name: str = ""
    kind: str = "feed"
    cron: str | None = None
    every: str | None = None
    credibility: float = 0.5
    options: dict[str, Any] = {}


class FlashpointLine(msgspec.Struct, forbid_unknown_fields=True):
    """`id` may be a UUID that others know; anything else, or nothing, is made into one."""

    title: str
    id: str = ""
    description: str = ""
    entities: list[str] = []
    domains: list[str] = []
    active: bool = True
    feeds: list[str | FlashpointFeed] = []
    entries: str | list[Any] = []


class FlashpointFile(msgspec.Struct, forbid_unknown_fields=True):
    """`entries` are lists that say themselves which flashpoint each entry belongs to. `database` (env:NAME or file:PATH)
    is a PostgreSQL with tables by day, `date` the day that is read instead of the newest."""

    flashpoints: list[FlashpointLine] = []
    entries: list[str] = []
    database: str | None = None
    date: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FlashpointList:
    sources: tuple[Source, ...]
    subjects: tuple[Subject, ...]
    database: str | None = None


def flashpoint_id(told: str) -> str:
    """A UUID as it is, in its usual spelling; any other name becomes one, always the same."""
    try:
        return str(UUID(told))
    except ValueError:
        digest = blake2b(told.strip().casefold().encode("utf-8", "replace"), digest_size=16).digest()
        return str(UUID(bytes=digest, version=5))


def load_flashpoints(path: Path, day: str | None = None) -> FlashpointList:
    """A YAML file of flashpoints with their feeds and lists, or a CSV table of flashpoints (id, title, description)
    whose entries lie beside it in `entries.csv`. Of tables by day `day` is read, or what the file says, or the newest."""
    file = _table(path) if path.suffix.lower() == ".csv" else load_yaml(path, FlashpointFile)
    known = [flashpoint_id(line.id or line.title) for line in file.flashpoints]
    twice = [key for key, count in Counter(known).items() if count > 1]
    if twice:
        titles = [line.title for line, key in zip(file.flashpoints, known, strict=True) if key == twice[0]]
        raise Refused("bad_config", f"{path}: flashpoints: '{titles[0]}' and '{titles[1]}' have the same id")
    sources = [
        source for place, line in enumerate(file.flashpoints) for source in _sources(path, place, line)
    ]
    sources += [_list(f"entries {name}", {"file": _beside(path, name)}, None) for name in file.entries]
    if file.database is not None:
        sources.append(_database(checked_reference(file.database), day or file.date))
    subjects = tuple(_subject(line) for line in file.flashpoints)
    return FlashpointList(sources=tuple(sources), subjects=subjects, database=file.database)


def _database(address: str, day: str | None) -> Source:
    told = {"database": address} | ({} if day is None else {"date": day})
    name = f"day tables of {address}"
    return Source(
        id=source_key(RECIPE, DAY_TABLES, address, name),
        recipe=RECIPE,
        kind=DAY_TABLES,
        name=name,
        options=told,
    )


def _subject(line: FlashpointLine) -> Subject:
    return Subject(
        id=flashpoint_id(line.id or line.title),
        name=line.title,
        kind=KIND,
        active=line.active,
        attributes={"description": line.description, "entities": line.entities, "domains": line.domains},
    )


def _sources(path: Path, place: int, line: FlashpointLine) -> Iterator[Source]:
    subject = flashpoint_id(line.id or line.title)
    for number, said in enumerate(line.feeds):
        told = FlashpointFeed(url=said) if isinstance(said, str) else said
        yield _feed(line, told, subject, f"{path}: flashpoints[{place}].feeds[{number}]")
    if line.entries:
        named = isinstance(line.entries, str)
        listed = {"file": _beside(path, str(line.entries))} if named else {"entries": line.entries}
        yield _list(f"{line.title}: entries", listed, subject, active=line.active)


def _feed(line: FlashpointLine, told: FlashpointFeed, subject: str, where: str) -> Source:
    wanted = SourceLine(
        name=told.name or f"{line.title}: {told.url}",
        url=told.url,
        kind=told.kind,
        cron=told.cron,
        every=told.every,
        subject=subject,
        credibility=told.credibility,
        active=line.active,
        options=told.options,
    )
    # One feed may serve several flashpoints: each reads it for itself.
    own = source_key(RECIPE, told.kind, f"{subject} {told.url}", wanted.name)
    return replace(make_source(wanted, RECIPE, where), id=own)


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
    """Lists are named from the file that names them."""
    return str(path.parent / name)


def _table(path: Path) -> FlashpointFile:
    try:
        rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"))))
    except FileNotFoundError as error:
        raise Refused("missing_file", f"there is no file {path}") from error
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise Refused("bad_config", f"{path}: not a table in UTF-8 that can be read") from error
    if not rows or "title" not in rows[0]:
        raise Refused("bad_config", f"{path}: a line of names is needed above, among them title")
    lines = [
        FlashpointLine(
            title=row["title"] or "", id=row.get("id") or "", description=row.get("description") or ""
        )
        for row in rows
    ]
    entries = [name for name in ("entries.csv", "entries.yaml") if (path.parent / name).exists()]
    return FlashpointFile(flashpoints=lines, entries=entries)
