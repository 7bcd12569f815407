"""The request log of the demo internet: what was requested, when, and the status. The oldest records are dropped first."""

from collections import deque
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

CAPACITY = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedRequest:
    """`started` and `ended` are monotonic seconds of the server process, `wall` is seconds since the epoch."""

    number: int
    started: float
    ended: float
    wall: float
    method: str
    host: str
    path: str
    query: str
    headers: Mapping[str, str]
    status: int
    fault: str

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


class RequestLog:
    def __init__(self, capacity: int = CAPACITY) -> None:
        self._records: deque[LoggedRequest] = deque(maxlen=capacity)
        self._next = 0

    def next_number(self) -> int:
        self._next += 1
        return self._next

    def add(self, record: LoggedRequest) -> None:
        self._records.append(record)

    def since(self, number: int) -> list[LoggedRequest]:
        return sorted(
            (record for record in self._records if record.number > number), key=lambda record: record.number
        )

    def clear(self) -> None:
        self._records.clear()
