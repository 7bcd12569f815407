"""Times as arguments: a day, a time, or a duration before now."""

from datetime import UTC, datetime, tzinfo

from headwater.model.errors import Refused
from headwater.text.periods import EXAMPLES, parse_period


def parse_time(text: str, now: datetime, option: str, zone: tzinfo | None = UTC) -> datetime:
    """The first moment of what the text names, in UTC. `zone` is that of a time that names none; None stands for the zone
    of this machine, with its summer time."""
    period = parse_period(text, now, zone)
    if period is None:
        raise Refused("bad_moment", f"{option}: '{text}' is not a time; write for example {EXAMPLES}")
    return period.start
