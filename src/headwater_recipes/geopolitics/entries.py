"""Lists of entries that somebody else found: each an address with a flashpoint, and what is known of it already."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from headwater.discover.list_file import list_file
from headwater.discover.seeds.reading import Seed, read_entries, read_file
from headwater.model.errors import Permanent
from headwater.model.lead import Lead
from headwater.model.recipe import Conversation, Discovery, Found
from headwater.model.source import Source
from headwater.pure.feeds import plausible
from headwater.pure.feeds.dates import read_date
from headwater.pure.feeds.notes import Notes
from headwater_recipes.geopolitics.flashpoints import flashpoint_id
from headwater_recipes.geopolitics.languages import language_code

BATCH = 1_000
LARGEST_FILE = 64 * 1024 * 1024
FLASHPOINT = ("flashpoint_id", "flashpoint")
SEEN = ("seendate", "seen_at", "published_at", "date")
ABOUT = ("domain", "sourcecountry", "title_en")


def discover_entries(source: Source, now: datetime) -> Conversation:
    """The entries of a list. Options: `entries` (addresses, or mappings) or `file` (.csv, .tsv, .yaml or lines).

    Columns, all but `url` optional: id, flashpoint_id (or flashpoint), title, seendate, domain, language (a code or an
    English name), sourcecountry, description, image, content. An entry that brings its content is not fetched.
    """
    notes = Notes()
    batch: list[Lead] = []
    for seed in _seeds(source):
        lead = entry_lead(_said(seed), source.subject, now, notes)
        if lead is not None:
            batch.append(lead)
        if len(batch) >= BATCH:
            yield Found(tuple(batch))
            batch = []
    return Discovery(leads=tuple(batch), warnings=notes.as_warnings())


def entry_lead(said: Mapping[str, str], subject: str | None, now: datetime, notes: Notes) -> Lead | None:
    """What an entry leads to; one without an address or a flashpoint is counted in the notes."""
    url = said.get("url", "")
    if not url.startswith(("http://", "https://")):
        notes("entry_without_link", said.get("id") or url or said.get("title", ""))
        return None
    named = next((said[name] for name in FLASHPOINT if said.get(name)), None)
    whose = flashpoint_id(named) if named else subject
    if whose is None:
        notes("entry_without_flashpoint", url)
        return None
    seen = next((said[name] for name in SEEN if said.get(name)), None)
    content = said.get("content") or None
    return Lead(
        identity=said.get("id") or url,
        url=url,
        title=said.get("title") or None,
        published=plausible(read_date(seen, notes), now, notes),
        body=content,
        body_type="text/plain" if content else "text/html",
        hints=_hints(said),
        subject=whose,
    )


def _hints(said: Mapping[str, str]) -> dict[str, Any]:
    known = {
        "guid": said.get("id"),
        "summary": said.get("description"),
        "image": said.get("image"),
        "language": language_code(said.get("language", "")),
        "attributes": {name: said[name] for name in ABOUT if said.get(name)},
    }
    return {name: value for name, value in known.items() if value}


def _said(seed: Seed) -> dict[str, str]:
    named = {"url": seed.url, "title": seed.title, "date": seed.published, "flashpoint": seed.subject}
    return {name: value for name, value in named.items() if value} | {
        name: str(value) for name, value in seed.extra.items()
    }


def _seeds(source: Source) -> Iterator[Seed]:
    options = source.options
    if "entries" in options:
        yield from read_entries(options["entries"])
    if "file" in options:
        yield from read_file(
            str(options["file"]), list_file(Path(str(options["file"])), LARGEST_FILE, "bad_entries")
        )
    if "entries" not in options and "file" not in options:
        raise Permanent("bad_options", "entries: no list of entries, and no file that holds one")
