"""The official gazette's daily summaries as leads: one per norm whose title speaks of what is looked for."""

from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any
from urllib.parse import urljoin

import msgspec

from headwater.model.errors import Permanent
from headwater.model.http import Request
from headwater.model.recipe import Discovery, PollSession
from headwater.model.source import Lead, Source
from headwater.sources.options import int_option, list_option
from headwater.text.folding import find_markers

USUAL_DAYS, MOST_DAYS = 7, 60
NO_ISSUE = 404
ACCEPTED = frozenset({200, NO_ISSUE})
JSON = {"Accept": "application/json"}


def discover_gazette(source: Source, now: datetime) -> PollSession:
    """Each day since the last one that was read; a day without an issue (Sundays) is no failure.

    Options: `words` (one of which the title must hold), `sections` (codes, all unless given), `days` (how far back the
    first look goes).
    """
    words, sections = list_option(source.options, "words"), list_option(source.options, "sections")
    leads: list[Lead] = []
    last = _last(source, now)
    day = last + timedelta(days=1)
    while day <= now.date():
        answer = yield Request(
            url=urljoin(source.url, f"{day:%Y%m%d}"),
            headers=JSON,
            purpose="api",
            source_kind=source.kind,
            accept=ACCEPTED,
        )
        assert answer is not None
        if answer.status != NO_ISSUE:
            leads += [
                _lead(item, day)
                for item in summary_items(_decoded(answer.body), sections)
                if _wanted(item, words)
            ]
            last = day
        elif day < now.date():
            last = day
        day += timedelta(days=1)
    return Discovery(leads=tuple(leads), watermark={"last": last.isoformat()})


def _last(source: Source, now: datetime) -> date:
    known = source.watermark.get("last")
    days = int_option(source.options, "days", default=USUAL_DAYS, most=MOST_DAYS)
    earliest = now.date() - timedelta(days=days)
    return max(date.fromisoformat(str(known)), earliest) if known else earliest


def _decoded(body: bytes) -> Any:
    try:
        return msgspec.json.decode(body)
    except msgspec.DecodeError as error:
        raise Permanent("malformed", f"the summary is no JSON: {error}") from error


def summary_items(payload: Any, sections: tuple[str, ...] = ()) -> Iterator[Mapping[str, Any]]:
    """Every item of a summary. At each level there may be one object or a list of them, and items hang below the
    department, its headings or its texts."""
    summary = _at(_at(payload, "data"), "sumario")
    for issue in _each(summary, "diario"):
        for section in _each(issue, "seccion"):
            if sections and str(section.get("codigo")) not in sections:
                continue
            yield from _each(section, "item")
            for department in _each(section, "departamento"):
                yield from _below(department)


def _below(department: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield from _each(department, "item")
    for name in ("epigrafe", "texto"):
        for part in _each(department, name):
            yield from _each(part, "item")


def _each(parent: Any, name: str) -> Iterator[Mapping[str, Any]]:
    found = _at(parent, name)
    yield from (one for one in (found if isinstance(found, list) else [found]) if isinstance(one, Mapping))


def _at(parent: Any, name: str) -> Any:
    return parent.get(name) if isinstance(parent, Mapping) else None


def _wanted(item: Mapping[str, Any], words: tuple[str, ...]) -> bool:
    if not item.get("identificador") or not item.get("url_xml"):
        return False
    return not words or bool(find_markers(str(item.get("titulo") or ""), words))


def _lead(item: Mapping[str, Any], day: date) -> Lead:
    return Lead(
        identity=str(item["identificador"]),
        url=str(item["url_xml"]),
        title=str(item.get("titulo") or "") or None,
        published=datetime(day.year, day.month, day.day, tzinfo=UTC),
        hints={"guid": str(item["identificador"])},
    )
