"""Moments as people write them: a day, a moment, or so long ago."""

from datetime import datetime

from headwater.model.errors import Refused
from headwater.settings.sources import DURATION, parse_duration
from headwater.text.dates import parse_iso_date


def parse_time(text: str, now: datetime, where: str) -> datetime:
    """ "2026-11-14", "2026-11-14T06:00", "24h" (ago). Without a zone it is UTC."""
    if DURATION.fullmatch(text.strip()):
        return now - parse_duration(text, where)
    moment = parse_iso_date(text)
    if moment is None:
        raise Refused(
            "bad_moment",
            f"{where}: '{text}' is no moment; write for example 2026-11-14, 2026-11-14T06:00 or 24h",
        )
    return moment
