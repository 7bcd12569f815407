"""Addresses from a list, each a lead; looked at again as often as the options say."""

from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from hashlib import blake2b
from pathlib import Path
from typing import Any

from headwater.discover.list_file import list_file
from headwater.discover.seeds.reading import Seed, read_entries, read_file
from headwater.model.errors import Permanent
from headwater.model.lead import Lead
from headwater.model.recipe import Conversation, Discovery, Found
from headwater.model.source import Source
from headwater.pure.crawling import duration, site_of
from headwater.pure.feeds.dates import read_date
from headwater.pure.feeds.notes import Notes

BATCH = 1_000
LARGEST_FILE = 32 * 1024 * 1024


def discover_seeds(source: Source, now: datetime) -> Conversation:
    """The addresses of a list. It asks nobody: the leads are fetched like all others.

    Options: `urls` (addresses, or mappings with `url`, `title`, `version`, `published`, `subject` and whatever else
    is worth keeping), `file` (a path to lines, .csv or .yaml), `recheck_every` (12h, 7d: each address is asked for
    again so often). Without either, the source's own address is the seed.
    """
    notes = Notes()
    every = duration(source.options, "recheck_every")
    batch: list[Lead] = []
    for seed in _seeds(source):
        if not site_of(seed.url):
            notes("bad_address", seed.url)
            continue
        batch.append(_lead(seed, now, every, notes))
        if len(batch) >= BATCH:
            yield Found(tuple(batch))
            batch = []
    return Discovery(leads=tuple(batch), warnings=notes.as_warnings())


def _seeds(source: Source) -> Iterator[Seed]:
    options = source.options
    if "urls" in options:
        yield from read_entries(options["urls"])
    if "file" in options:
        yield from read_file(
            str(options["file"]), list_file(Path(str(options["file"])), LARGEST_FILE, "bad_seeds")
        )
    if "urls" not in options and "file" not in options:
        if not source.url:
            raise Permanent("bad_options", "urls: no list of addresses, and no file that holds one")
        yield Seed(url=source.url)


def _lead(seed: Seed, now: datetime, every: timedelta | None, notes: Notes) -> Lead:
    return Lead(
        identity=seed.url,
        url=seed.url,
        version=seed.version if every is None else f"{seed.version}#{turn(seed.url, now, every)}",
        title=seed.title or None,
        published=read_date(seed.published, notes),
        subject=seed.subject or None,
        hints=_plain(seed.extra),
        revisit=every is not None,
    )


def turn(url: str, now: datetime, every: timedelta) -> int:
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
