"""Lists of sources in YAML."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
from cronsim import CronSim, CronSimError

from headwater.fetch.guard.routes import is_request_url
from headwater.fetch.source_secrets import check_headers
from headwater.model.errors import Refused
from headwater.model.keys import source_key
from headwater.model.page import PageMode
from headwater.model.schedule import INTERVAL_OPTION
from headwater.model.source import Source, Trigger
from headwater.model.source_kind import HEADERS_OPTION
from headwater.model.subject import MAX_SUBJECT_LENGTH
from headwater.settings.yaml_file import load_yaml
from headwater.sources.options import LONGEST
from headwater.text import periods
from headwater.text.printable import printable_line
from headwater.text.redaction import redact_url


class SourceLine(msgspec.Struct, forbid_unknown_fields=True):
    """`pages`: what is done with the pages of news items: `never`, `try` or `require`."""

    name: str
    url: str = ""
    kind: str = "feed"
    every: str | None = None
    cron: str | None = None
    subject: str | None = None
    pages: PageMode | None = None
    credibility: float = 0.5
    active: bool = True
    options: dict[str, Any] = {}


class SourceFile(msgspec.Struct, forbid_unknown_fields=True):
    sources: list[SourceLine]


def load_sources(path: Path, recipe: str) -> tuple[Source, ...]:
    """Returns the sources of a recipe from a YAML file."""
    lines = load_yaml(path, SourceFile).sources
    return tuple(make_source(line, recipe, where=f"{path}: sources[{i}]") for i, line in enumerate(lines))


def make_source(line: SourceLine, recipe: str, where: str) -> Source:
    if printable_line(line.name) != line.name:
        raise Refused("bad_config", f"{where}.name: remove the line breaks and control characters")
    if line.url:
        check_address(line.url, f"{where}.url")
    if line.subject is not None and not 0 < len(line.subject) <= MAX_SUBJECT_LENGTH:
        raise Refused("bad_config", f"{where}.subject: use 1 to {MAX_SUBJECT_LENGTH} characters")
    return Source(
        id=source_key(recipe, line.kind, line.url, line.name),
        recipe=recipe,
        kind=line.kind,
        name=line.name,
        url=line.url,
        options=_check_options(line.options, f"{where}.options"),
        trigger=parse_trigger(line.every, line.cron, where),
        subject=line.subject,
        pages=line.pages,
        credibility=line.credibility,
        active=line.active,
    )


def _check_options(options: dict[str, Any], where: str) -> dict[str, Any]:
    interval = options.get(INTERVAL_OPTION, 1)
    try:
        is_usable = 0 < float(interval) <= LONGEST.total_seconds()
    except (TypeError, ValueError, OverflowError):
        is_usable = False
    if not is_usable:
        raise Refused(
            "bad_config",
            f"{where}.{INTERVAL_OPTION}: '{interval}' is not a number of seconds, more than 0 and at most ten years",
        )
    fallback = options.get("fallback", [])
    for address in fallback if isinstance(fallback, list | tuple) else [fallback]:
        check_address(str(address), f"{where}.fallback")
    if problem := check_headers(options.get(HEADERS_OPTION, {})):
        raise Refused("bad_config", f"{where}.{HEADERS_OPTION}: {problem}")
    return options


def check_address(url: str, where: str) -> None:
    """Refuses an address that could never be fetched."""
    if not url.startswith(("http://", "https://")):
        raise Refused(
            "bad_config",
            f"{where}: '{redact_url(url)}' is not an http(s) address; write it whole, like https://example.org/feed",
        )
    _refuse_user_information(url, where)
    if not is_request_url(url):
        raise Refused(
            "bad_config",
            f"{where}: '{redact_url(url)}' is not a correct address; no request can be sent to it",
        )


def _refuse_user_information(url: str, where: str) -> None:
    """Such a URL is never fetched, and every list would show the password."""
    if "@" in re.split(r"[/?#]", url.partition("//")[2], maxsplit=1)[0]:
        raise Refused("bad_config", f"{where}: remove the user and the password before the '@'")


def parse_trigger(every: str | None, cron: str | None, where: str) -> Trigger | None:
    if every is not None and cron is not None:
        raise Refused("bad_config", f"{where}: set either 'every' or 'cron', not both")
    if cron is not None:
        try:
            CronSim(cron, datetime.now(UTC))
        except CronSimError as error:
            raise Refused(
                "bad_config", f"{where}.cron: '{cron}' is not a cron expression: {error}"
            ) from error
        return Trigger(cron=cron)
    if every is None:
        return None
    duration = parse_duration(every, f"{where}.every")
    if not duration:
        raise Refused("bad_config", f"{where}.every: it must be longer than 0; write for example 90s or 15m")
    return Trigger(every=duration)


def parse_duration(text: str, where: str) -> timedelta:
    """Parses durations like "90s", "15m", "4h" and "1d"."""
    duration = periods.parse_duration(text)
    if duration is None:
        raise Refused(
            "bad_config", f"{where}: '{text}' is not a duration; write for example 90s, 15m, 4h or 1d"
        )
    return duration
