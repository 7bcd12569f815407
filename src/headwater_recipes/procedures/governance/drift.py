"""Whether a file is still true: how long ago its page was last seen unchanged, and whether it is there at all."""

from datetime import datetime, timedelta

THRESHOLD = timedelta(days=90)
STALE_FROM = 0.5


def drift(
    last_verified: datetime | None, now: datetime, *, changed: bool = False, missing: bool = False
) -> tuple[str, float]:
    """(status, score): missing (the page is gone), drifted (its page changed, or nobody looked for 90 days), stale
    (nobody looked for half of that), current. The score is days without a look over 90."""
    if missing or last_verified is None:
        return "missing", 1.0
    score = round(max(timedelta(0), now - last_verified) / THRESHOLD, 3)
    if changed or score > 1:
        return "drifted", score
    return ("stale" if score > STALE_FROM else "current"), score
