"""Discovers norms in the daily summaries of the official gazette (BOE) by words in their titles."""

from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any
from urllib.parse import urljoin

from headwater.model.errors import Permanent
from headwater.model.http import Request
from headwater.model.recipe import Discovery, PollSession
from headwater.model.source import Lead, Source
from headwater.sources.options import int_option, list_option
from headwater.text.folding import find_markers
from headwater.text.json_payload import BadJson, decode_payload

DEFAULT_DAYS, MOST_DAYS = 7, 60
NO_ISSUE = 404
ACCEPTED = frozenset({200, NO_ISSUE})
JSON = {"Accept": "application/json"}


def discover_gazette(source: Source, now: datetime) -> PollSession:
    """Poll each day since the last one, and the current day every time: it may get a supplement. A day without an issue
    (Sundays) is not a failure.

    Options: `words` (the title must contain one of them), `sections` (codes, by default all), `days` (how far back the first
    poll goes).
    """
    words, sections = list_option(source.options, "words"), list_option(source.options, "sections")
    leads: list[Lead] = []
    last = _last_day(source, now)
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
                if _matches(item, words)
            ]
        if day < now.date():
            last = day
        day += timedelta(days=1)
    return Discovery(leads=tuple(leads), watermark={"last": last.isoformat()})


def _last_day(source: Source, now: datetime) -> date:
    last = source.watermark.get("last")
    days = int_option(source.options, "days", default=DEFAULT_DAYS, most=MOST_DAYS)
    earliest = now.date() - timedelta(days=days)
    return max(date.fromisoformat(str(last)), earliest) if last else earliest


def _decoded(body: bytes) -> Any:
    try:
        return decode_payload(body)
    except BadJson as error:
        raise Permanent("malformed", f"the summary is not JSON: {error}") from error


def summary_items(payload: Any, sections: tuple[str, ...] = ()) -> Iterator[Mapping[str, Any]]:
    """Every item of a summary. Each level may be one object or a list, and items are below the department, its headings or
    its texts."""
    summary = _child(_child(payload, "data"), "sumario")
    for issue in _children(summary, "diario"):
        for section in _children(issue, "seccion"):
            if sections and str(section.get("codigo")) not in sections:
                continue
            yield from _children(section, "item")
            for department in _children(section, "departamento"):
                yield from _department_items(department)


def _department_items(department: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield from _children(department, "item")
    for name in ("epigrafe", "texto"):
        for part in _children(department, name):
            yield from _children(part, "item")


def _children(parent: Any, name: str) -> Iterator[Mapping[str, Any]]:
    value = _child(parent, name)
    children = value if isinstance(value, list) else [value]
    yield from (child for child in children if isinstance(child, Mapping))


def _child(parent: Any, name: str) -> Any:
    return parent.get(name) if isinstance(parent, Mapping) else None


def _matches(item: Mapping[str, Any], words: tuple[str, ...]) -> bool:
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
