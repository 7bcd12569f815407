"""Dates that can be, and those that cannot: nothing appears before it was published, nor before there was a web."""

from datetime import UTC, datetime, timedelta

from headwater.pure.feeds.notes import Note

FIRST = datetime(1990, 1, 1, tzinfo=UTC)
# A clock in another zone, or a zone misnamed, is wrong by less than that.
MISTAKEN_ZONE = timedelta(hours=26)


def plausible(moment: datetime | None, now: datetime, note: Note) -> datetime | None:
    """The moment; the present for one that is ahead by no more than a mistaken zone; None for what cannot be."""
    if moment is None:
        return None
    if moment < FIRST:
        note("date_before_the_web", moment.isoformat())
        return None
    if moment <= now:
        return moment
    note("date_in_the_future", moment.isoformat())
    return now if moment - now <= MISTAKEN_ZONE else None
