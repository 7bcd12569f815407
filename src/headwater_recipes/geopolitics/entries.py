"""Languages as lists of entries name them: by code, or in English."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from headwater.model.errors import Permanent
from headwater.model.recipe import Discovery, LeadBatch, PollSession
from headwater.model.source import Lead, Source
from headwater.model.warning_log import WarningLog
from headwater.sources.seeds import Seed, parse_seed_entries, parse_seed_file, read_list_file
from headwater.text.written_dates import parse_feed_date, plausible_date
from headwater_recipes.geopolitics.flashpoints import flashpoint_id

LANGUAGE_CODES = {
    "albanian": "sq",
    "arabic": "ar",
    "armenian": "hy",
    "azerbaijani": "az",
    "belarusian": "be",
    "bengali": "bn",
    "bulgarian": "bg",
    "catalan": "ca",
    "chinese": "zh",
    "croatian": "hr",
    "czech": "cs",
    "danish": "da",
    "dutch": "nl",
    "english": "en",
    "estonian": "et",
    "finnish": "fi",
    "french": "fr",
    "georgian": "ka",
    "german": "de",
    "greek": "el",
    "hebrew": "he",
    "hindi": "hi",
    "hungarian": "hu",
    "indonesian": "id",
    "italian": "it",
    "japanese": "ja",
    "korean": "ko",
    "latvian": "lv",
    "lithuanian": "lt",
    "macedonian": "mk",
    "norwegian": "no",
    "persian": "fa",
    "polish": "pl",
    "portuguese": "pt",
    "romanian": "ro",
    "russian": "ru",
    "serbian": "sr",
    "slovak": "sk",
    "slovenian": "sl",
    "spanish": "es",
    "swahili": "sw",
    "swedish": "sv",
    "thai": "th",
    "turkish": "tr",
    "ukrainian": "uk",
    "urdu": "ur",
    "vietnamese": "vi",
}
LONGEST_CODE = 3


def language_code(told: str) -> str:
    """The code; "" for a name that nobody knows."""
    name = told.strip().casefold()
    if name.isascii() and name.isalpha() and 2 <= len(name) <= LONGEST_CODE:
        return name
    return LANGUAGE_CODES.get(name, "")


BATCH = 1_000
LARGEST_FILE = 64 * 1024 * 1024
FLASHPOINT_COLUMNS = ("flashpoint_id", "flashpoint")
DATE_COLUMNS = ("seendate", "seen_at", "published_at", "date")
ATTRIBUTE_COLUMNS = ("domain", "sourcecountry", "title_en")


def discover_entries(source: Source, now: datetime) -> PollSession:
    """The entries of a list. Options: `entries` (addresses, or mappings) or `file` (.csv, .tsv, .yaml or lines).

    Columns, all but `url` optional: id, flashpoint_id (or flashpoint), title, seendate, domain, language (a code or an
    English name), sourcecountry, description, image, content. An entry that brings its content is not fetched.
    """
    notes = WarningLog()
    batch: list[Lead] = []
    for seed in _seeds(source):
        lead = entry_lead(_said(seed), source.subject, now, notes)
        if lead is not None:
            batch.append(lead)
        if len(batch) >= BATCH:
            yield LeadBatch(tuple(batch))
            batch = []
    return Discovery(leads=tuple(batch), warnings=notes.lines())


def entry_lead(said: Mapping[str, str], subject: str | None, now: datetime, notes: WarningLog) -> Lead | None:
    """What an entry leads to; one without an address or a flashpoint is counted in the notes."""
    url = said.get("url", "")
    if not url.startswith(("http://", "https://")):
        notes("entry_without_link", said.get("id") or url or said.get("title", ""))
        return None
    named = next((said[name] for name in FLASHPOINT_COLUMNS if said.get(name)), None)
    whose = flashpoint_id(named) if named else subject
    if whose is None:
        notes("entry_without_flashpoint", url)
        return None
    seen = next((said[name] for name in DATE_COLUMNS if said.get(name)), None)
    content = said.get("content") or None
    return Lead(
        identity=said.get("id") or url,
        url=url,
        title=said.get("title") or None,
        published=plausible_date(parse_feed_date(seen, notes), now, notes),
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
        "attributes": {name: said[name] for name in ATTRIBUTE_COLUMNS if said.get(name)},
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
        yield from parse_seed_entries(options["entries"])
    if "file" in options:
        yield from parse_seed_file(
            str(options["file"]), read_list_file(Path(str(options["file"])), LARGEST_FILE, "bad_entries")
        )
    if "entries" not in options and "file" not in options:
        raise Permanent("bad_options", "entries: no list of entries, and no file that holds one")
