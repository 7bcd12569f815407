"""Times as arguments: a day, a time, or a duration before now."""

from datetime import UTC, datetime, timedelta, tzinfo

from headwater.model.errors import Refused
from headwater.settings.sources import DURATION, parse_duration

DAYS = {"today": timedelta(0), "yesterday": timedelta(days=1)}


def parse_time(text: str, now: datetime, option: str, zone: tzinfo | None = UTC) -> datetime:
    """ "2026-11-14", "2026-11-14T06:00", "24h" for 24 hours ago, "today" or "yesterday"; in UTC. `zone` is that of a time
    that names none; None stands for the zone of this machine, with its summer time."""
    word = text.strip()
    if (days := DAYS.get(word.lower())) is not None:
        midnight = now.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
        return _in_zone(midnight - days, zone)
    if DURATION.fullmatch(word):
        return now - parse_duration(word, option)
    try:
        time = datetime.fromisoformat(word)
    except ValueError:
        raise Refused(
            "bad_moment",
            f"{option}: '{text}' is not a time; write for example 2026-11-14, 2026-11-14T06:00, 24h or yesterday",
        ) from None
    return time.astimezone(UTC) if time.tzinfo else _in_zone(time, zone)


def _in_zone(time: datetime, zone: tzinfo | None) -> datetime:
    return (time.astimezone() if zone is None else time.replace(tzinfo=zone)).astimezone(UTC)
