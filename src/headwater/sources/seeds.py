"""Addresses from a list, each a lead; looked at again as often as the options say."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from hashlib import blake2b
from pathlib import Path, PurePath
from typing import Any

import yaml

from headwater.model.errors import Permanent, Temporary
from headwater.model.recipe import Discovery, LeadBatch, PollSession
from headwater.model.source import Lead, Source
from headwater.model.warning_log import WarningLog
from headwater.sources.options import duration_option
from headwater.sources.scope import site_of
from headwater.text.written_dates import parse_feed_date

SEED_FIELDS = ("url", "title", "version", "published", "subject")
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


def parse_seed_file(name: str, text: str) -> list[Seed]:
    """By the ending of the file's name: `.csv` and `.tsv` are tables, `.yaml` and `.yml` YAML, all else lines."""
    text = text.removeprefix("\ufeff").replace("\x00", "")
    suffix = PurePath(name).suffix.lower()
    if suffix in (".csv", ".tsv"):
        return list(_table(text))
    if suffix in (".yaml", ".yml"):
        return parse_seed_entries(_yaml(name, text))
    return [
        Seed(url=line.strip())
        for line in text.splitlines()
        if line.strip() and not line.strip().startswith("#")
    ]


def parse_seed_entries(entries: Any) -> list[Seed]:
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
    named = {name: str(said[name]).strip() for name in SEED_FIELDS if said.get(name) not in (None, "")}
    extra = {
        name: value for name, value in said.items() if name not in SEED_FIELDS and value not in (None, "")
    }
    return Seed(**{"url": "", **named}, extra=extra)


def read_list_file(path: Path, largest: int, reason: str) -> str:
    """Its text. `reason` names what is wrong with a file that no list can be read from."""
    try:
        if path.stat().st_size > largest:
            raise Permanent(reason, f"{path.name}: larger than {largest} bytes")
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise Permanent(reason, f"{path.name}: not UTF-8") from error
    except OSError as error:
        # It may be on its way: somebody saves it, or a disk comes back.
        raise Temporary("missing_file", f"{path.name}: {error.strerror}") from error


BATCH = 1_000
LARGEST_FILE = 32 * 1024 * 1024


def discover_seeds(source: Source, now: datetime) -> PollSession:
    """The addresses of a list. It asks nobody: the leads are fetched like all others.

    Options: `urls` (addresses, or mappings with `url`, `title`, `version`, `published`, `subject` and whatever else
    is worth keeping), `file` (a path to lines, .csv or .yaml), `recheck_every` (12h, 7d: each address is asked for
    again so often). Without either, the source's own address is the seed.
    """
    notes = WarningLog()
    every = duration_option(source.options, "recheck_every")
    batch: list[Lead] = []
    for seed in _seeds(source):
        if not site_of(seed.url):
            notes("bad_address", seed.url)
            continue
        batch.append(_lead(seed, now, every, notes))
        if len(batch) >= BATCH:
            yield LeadBatch(tuple(batch))
            batch = []
    return Discovery(leads=tuple(batch), warnings=notes.lines())


def _seeds(source: Source) -> Iterator[Seed]:
    options = source.options
    if "urls" in options:
        yield from parse_seed_entries(options["urls"])
    if "file" in options:
        yield from parse_seed_file(
            str(options["file"]), read_list_file(Path(str(options["file"])), LARGEST_FILE, "bad_seeds")
        )
    if "urls" not in options and "file" not in options:
        if not source.url:
            raise Permanent("bad_options", "urls: no list of addresses, and no file that holds one")
        yield Seed(url=source.url)


def _lead(seed: Seed, now: datetime, every: timedelta | None, notes: WarningLog) -> Lead:
    return Lead(
        identity=seed.url,
        url=seed.url,
        version=seed.version if every is None else f"{seed.version}#{recheck_period(seed.url, now, every)}",
        title=seed.title or None,
        published=parse_feed_date(seed.published, notes),
        subject=seed.subject or None,
        hints=_plain(seed.extra),
        revisit=every is not None,
    )


def recheck_period(url: str, now: datetime, every: timedelta) -> int:
    """The number of the span of this length in which `now` lies. Each address has spans that begin at a moment of its
    own: a long list comes due little by little, not all at once."""
    seconds = every.total_seconds()
    shift = int.from_bytes(blake2b(url.encode("utf-8", "replace"), digest_size=4).digest()) / 2**32
    return int(now.timestamp() / seconds + shift)


def _plain(extra: Mapping[str, Any]) -> dict[str, Any]:
    """YAML knows dates; what is stored knows texts."""
    return {name: _said(value) for name, value in extra.items()}


def _said(value: Any) -> Any:
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return _plain({str(name): one for name, one in value.items()})
    return [_said(one) for one in value] if isinstance(value, list | tuple) else value
