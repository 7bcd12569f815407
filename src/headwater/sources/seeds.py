"""Seed lists: URLs kept by hand as lines, tables or YAML, each a lead, checked again as often as the options say."""

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
URL_COLUMNS = ("url", "link", "address", "href", "uri")
SEPARATORS = ",;\t|"
BATCH = 1_000
LARGEST_FILE = 32 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Seed:
    """`extra` holds the further columns of the list."""

    url: str
    title: str = ""
    version: str = ""
    published: str = ""
    subject: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)


def discover_seeds(source: Source, now: datetime) -> PollSession:
    """A lead for every URL of a list; no requests.

    Options: `urls` (URLs, or mappings with `url`, `title`, `version`, `published`, `subject` and further values),
    `file` (a path to lines, .csv or .yaml), `recheck_every` (12h, 7d: how often each URL is fetched again). Without
    `urls` and `file`, the source's own URL is the seed.
    """
    warnings = WarningLog()
    every = duration_option(source.options, "recheck_every")
    batch: list[Lead] = []
    for seed in _seeds(source):
        if not site_of(seed.url):
            warnings("bad_address", seed.url)
            continue
        batch.append(_lead(seed, now, every, warnings))
        if len(batch) >= BATCH:
            yield LeadBatch(tuple(batch))
            batch = []
    return Discovery(leads=tuple(batch), warnings=warnings.lines())


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
            raise Permanent("bad_options", "urls: give a list of URLs, or a file that holds one")
        yield Seed(url=source.url)


def _lead(seed: Seed, now: datetime, every: timedelta | None, warnings: WarningLog) -> Lead:
    return Lead(
        identity=seed.url,
        url=seed.url,
        version=seed.version if every is None else f"{seed.version}#{recheck_period(seed.url, now, every)}",
        title=seed.title or None,
        published=parse_feed_date(seed.published, warnings),
        subject=seed.subject or None,
        hints=_as_json_object(seed.extra),
        revisit=every is not None,
        watched=every is not None,
    )


def recheck_period(url: str, now: datetime, every: timedelta) -> int:
    """The number of the period of length `every` that `now` lies in. The periods of each URL are shifted by its hash, so
    that a long list comes due gradually and not all at once."""
    seconds = every.total_seconds()
    shift = int.from_bytes(blake2b(url.encode("utf-8", "replace"), digest_size=4).digest()) / 2**32
    return int(now.timestamp() / seconds + shift)


def _as_json_object(extra: Mapping[str, Any]) -> dict[str, Any]:
    """The values as JSON: YAML has dates, the store does not."""
    return {name: _as_json(value) for name, value in extra.items()}


def _as_json(value: Any) -> Any:
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return _as_json_object({str(name): item for name, item in value.items()})
    return [_as_json(item) for item in value] if isinstance(value, list | tuple) else value


def read_list_file(path: Path, largest: int, reason: str) -> str:
    """The text of a list file. `reason` is the reason of the error for an unusable file."""
    try:
        if path.stat().st_size > largest:
            raise Permanent(reason, f"{path.name}: larger than {largest} bytes")
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise Permanent(reason, f"{path.name}: not UTF-8") from error
    except OSError as error:
        # The file may appear: it is just being saved, or a disk comes back.
        raise Temporary("missing_file", f"{path.name}: {error.strerror}") from error


def parse_seed_file(name: str, text: str) -> list[Seed]:
    """The seeds of a file, by its suffix: `.csv` and `.tsv` are tables, `.yaml` and `.yml` YAML, any other has lines."""
    text = text.removeprefix("\ufeff").replace("\x00", "")
    suffix = PurePath(name).suffix.lower()
    if suffix in (".csv", ".tsv"):
        return list(_seeds_from_table(text))
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
        raise Permanent("bad_seeds", "expected a list of URLs")
    return [_seed_from_entry(number, entry) for number, entry in enumerate(entries, 1)]


def _seed_from_entry(number: int, entry: Any) -> Seed:
    if isinstance(entry, str):
        return Seed(url=entry.strip())
    if isinstance(entry, Mapping) and isinstance(entry.get("url"), str):
        return _seed_from_values({str(name): value for name, value in entry.items()})
    raise Permanent("bad_seeds", f"entry {number}: expected a URL, or a mapping with a url")


def _yaml(name: str, text: str) -> Any:
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        position = getattr(error, "problem_mark", None)
        line = f" line {position.line + 1}" if position else ""
        raise Permanent("bad_seeds", f"{PurePath(name).name}{line}: not valid YAML") from error


def _seeds_from_table(text: str) -> Iterator[Seed]:
    """The columns are named by a header line in any order; without one, the first column that holds a URL counts."""
    first = text.split("\n", 1)[0]
    separator = max(SEPARATORS, key=first.count)
    rows = [row for row in csv.reader(io.StringIO(text), delimiter=separator) if any(map(str.strip, row))]
    if not rows:
        return
    names = [name.strip().lower() for name in rows[0]]
    url_column = next((names.index(name) for name in URL_COLUMNS if name in names), None)
    if url_column is None:
        yield from _seeds_without_header(rows)
        return
    names[url_column] = "url"
    for row in rows[1:]:
        yield _seed_from_values(
            {name: value.strip() for name, value in zip(names, row, strict=False) if name}
        )


def _seeds_without_header(rows: Iterable[list[str]]) -> Iterator[Seed]:
    for row in rows:
        cells = [cell.strip() for cell in row]
        yield Seed(url=next((cell for cell in cells if cell.startswith(("http://", "https://"))), cells[0]))


def _seed_from_values(values: Mapping[str, Any]) -> Seed:
    fields = {name: str(values[name]).strip() for name in SEED_FIELDS if values.get(name) not in (None, "")}
    extra = {
        name: value for name, value in values.items() if name not in SEED_FIELDS and value not in (None, "")
    }
    return Seed(**{"url": "", **fields}, extra=extra)
