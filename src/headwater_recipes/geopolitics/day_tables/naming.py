"""Tables by day: `feed_entries_20261113`. Whatever else has a like name (copies, backups) is not one of them."""

import re
from collections.abc import Iterable

DAY = re.compile(r"\d{8}")
ENTRIES, FLASHPOINTS, CLUSTERS = "feed_entries", "flash_point", "news_clusters"


def of_day(base: str, day: str) -> str:
    """The name of a day's table; a day that is no eight digits never becomes part of a statement."""
    if not DAY.fullmatch(day):
        raise ValueError("a day is eight digits")
    return f"{base}_{day}"


def latest_day(names: Iterable[str], wanted: str | None = None) -> str | None:
    """The last day that has both entries and flashpoints, or the one that is wanted, if it has."""
    known = set(names)
    days = {name.removeprefix(f"{ENTRIES}_") for name in known if name.startswith(f"{ENTRIES}_")}
    whole = [day for day in days if DAY.fullmatch(day) and of_day(FLASHPOINTS, day) in known]
    if wanted is not None:
        asked = wanted.replace("-", "")
        return asked if asked in whole else None
    return max(whole, default=None)
