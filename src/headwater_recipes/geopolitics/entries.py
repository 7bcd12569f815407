"""Lists of entries that another system found: each is an address with a flashpoint, and optional metadata."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from headwater.model.errors import Permanent
from headwater.model.recipe import Discovery, LeadBatch, PollSession
from headwater.model.source import Lead, Source
from headwater.model.warning_log import WarningLog
from headwater.sources.seeds import Seed, parse_seed_entries, parse_seed_file, read_list_file
from headwater.text.language_names import language_code
from headwater.text.written_dates import parse_feed_date, plausible_date
from headwater_recipes.geopolitics.flashpoints import flashpoint_id

BATCH = 1_000
LARGEST_FILE = 64 * 1024 * 1024
FLASHPOINT_COLUMNS = ("flashpoint_id", "flashpoint")
DATE_COLUMNS = ("seendate", "seen_at", "published_at", "date")
ATTRIBUTE_COLUMNS = ("domain", "sourcecountry", "title_en")


def discover_entries(source: Source, now: datetime) -> PollSession:
    """Discover the entries of a list. Options: `entries` (addresses, or mappings) or `file` (.csv, .tsv, .yaml or lines).

    Columns, all but `url` optional: id, flashpoint_id (or flashpoint), title, seendate, domain, language (a code or an
    English name), sourcecountry, description, image, content. An entry with content is not fetched.
    """
    warnings = WarningLog()
    batch: list[Lead] = []
    for seed in _seeds(source):
        lead = entry_lead(_columns(seed), source.subject, now, warnings)
        if lead is not None:
            batch.append(lead)
        if len(batch) >= BATCH:
            yield LeadBatch(tuple(batch))
            batch = []
    return Discovery(leads=tuple(batch), warnings=warnings.lines())


def entry_lead(
    columns: Mapping[str, str], subject: str | None, now: datetime, warnings: WarningLog
) -> Lead | None:
    """The lead of an entry. An entry without an address or a flashpoint is counted as a warning."""
    url = columns.get("url", "")
    if not url.startswith(("http://", "https://")):
        warnings("entry_without_link", columns.get("id") or url or columns.get("title", ""))
        return None
    flashpoint = next((columns[name] for name in FLASHPOINT_COLUMNS if columns.get(name)), None)
    subject = flashpoint_id(flashpoint) if flashpoint else subject
    if subject is None:
        warnings("entry_without_flashpoint", url)
        return None
    date = next((columns[name] for name in DATE_COLUMNS if columns.get(name)), None)
    content = columns.get("content") or None
    return Lead(
        identity=columns.get("id") or url,
        url=url,
        title=columns.get("title") or None,
        published=plausible_date(parse_feed_date(date, warnings), now, warnings),
        body=content,
        body_type="text/plain" if content else "text/html",
        hints=_hints(columns),
        subject=subject,
    )


def _hints(columns: Mapping[str, str]) -> dict[str, Any]:
    hints = {
        "guid": columns.get("id"),
        "summary": columns.get("description"),
        "image": columns.get("image"),
        "language": language_code(columns.get("language", "")),
        "attributes": {name: columns[name] for name in ATTRIBUTE_COLUMNS if columns.get(name)},
    }
    return {name: value for name, value in hints.items() if value}


def _columns(seed: Seed) -> dict[str, str]:
    columns = {"url": seed.url, "title": seed.title, "date": seed.published, "flashpoint": seed.subject}
    return {name: value for name, value in columns.items() if value} | {
        name: str(value) for name, value in seed.extra.items()
    }


def _seeds(source: Source) -> Iterator[Seed]:
    options = source.options
    if "entries" in options:
        yield from parse_seed_entries(options["entries"])
    if "file" in options:
        yield from parse_seed_file(
            str(options["file"]), read_list_file(Path(str(options["file"])), LARGEST_FILE, "bad_entries")
        )
    if "entries" not in options and "file" not in options:
        raise Permanent("bad_options", "set `entries` (a list) or `file` (its path)")
