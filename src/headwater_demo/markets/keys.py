"""Who may ask the provider and the broker, and how often."""

from dataclasses import dataclass, field
from datetime import datetime


@dataclass(slots=True)
class Key:
    """`per_minute` 0 is no limit; `closed` are beginnings of paths that its plan does not include."""

    per_minute: int = 0
    closed: tuple[str, ...] = ()
    asked: dict[datetime, int] = field(default_factory=dict)

    def admit(self, now: datetime) -> bool:
        """Count a request in its minute; whether the plan still bears it."""
        minute = now.replace(second=0, microsecond=0)
        self.asked = {minute: self.asked.get(minute, 0) + 1}
        return not self.per_minute or self.asked[minute] <= self.per_minute


class KeyTable:
    """Keys by their value; `demo-key` is there from the start and may everything."""

    def __init__(self) -> None:
        self._keys: dict[str, Key] = {"demo-key": Key()}

    def give(self, value: str, *, per_minute: int = 0, closed: tuple[str, ...] = ()) -> None:
        self._keys[value] = Key(per_minute, closed)

    def revoke(self, value: str) -> None:
        self._keys.pop(value, None)

    def find(self, value: str) -> Key | None:
        return self._keys.get(value)
