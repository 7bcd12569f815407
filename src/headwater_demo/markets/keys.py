"""The keys for the provider and the broker, with their quotas."""

from dataclasses import dataclass, field
from datetime import datetime


@dataclass(slots=True)
class Key:
    """`per_minute` 0 means unlimited; `closed` are prefixes of paths that the plan excludes."""

    per_minute: int = 0
    closed: tuple[str, ...] = ()
    request_counts: dict[datetime, int] = field(default_factory=dict)

    def admit(self, now: datetime) -> bool:
        """Counts a request in its minute; returns whether the quota still allows it."""
        minute = now.replace(second=0, microsecond=0)
        self.request_counts = {minute: self.request_counts.get(minute, 0) + 1}
        return not self.per_minute or self.request_counts[minute] <= self.per_minute


class KeyTable:
    """Keys by their value; `demo-key` is there from the start, without limits."""

    def __init__(self) -> None:
        self._keys: dict[str, Key] = {"demo-key": Key()}

    def add(self, value: str, *, per_minute: int = 0, closed: tuple[str, ...] = ()) -> None:
        self._keys[value] = Key(per_minute, closed)

    def revoke(self, value: str) -> None:
        self._keys.pop(value, None)

    def find(self, value: str) -> Key | None:
        return self._keys.get(value)
