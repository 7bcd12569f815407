"""The only source of time for content: it stands still until the control host moves it."""

from datetime import UTC, datetime, timedelta

START = datetime(2026, 11, 13, 9, 0, tzinfo=UTC)


class Clock:
    def __init__(self, now: datetime = START) -> None:
        self._now = now

    def now(self) -> datetime:
        return self._now

    def set(self, now: datetime) -> None:
        if now.tzinfo is None:
            raise ValueError("the demo clock needs a time with a zone")
        self._now = now.astimezone(UTC)

    def advance(self, step: timedelta) -> None:
        self._now += step
