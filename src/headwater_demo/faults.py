"""Faults on demand: scripted per host and path, or requested with the header `X-Fake-Fault`."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

HEADER = "x-fake-fault"
ANY = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What goes wrong with one response.

    status: answer with it instead (with `retry_after` as seconds or a date).
    delay: wait this many seconds first.
    truncate: send only this many bytes of a body that was announced as longer.
    reset: reset the connection without a response.
    html: answer 200 with an HTML error page, whatever was requested.
    """

    status: int | None = None
    retry_after: str | None = None
    delay: float = 0.0
    truncate: int | None = None
    reset: bool = False
    html: bool = False

    def label(self) -> str:
        settings = ((item.name, getattr(self, item.name)) for item in fields(self))
        return ",".join(f"{name}={value}" for name, value in settings if value not in (None, False, 0.0))


def parse_fault(header: str) -> Fault:
    """Reads `status=429,retry_after=2`, `delay=5`, `truncate=100`, `reset` or `html`; ValueError on anything else."""
    pairs = (part.strip().partition("=") for part in header.split(",") if part.strip())
    return fault_from({name: value if equals else True for name, equals, value in pairs})


def fault_from(settings: Mapping[str, Any]) -> Fault:
    unknown = settings.keys() - _READ.keys()
    if unknown:
        raise ValueError(f"unknown fault: {', '.join(sorted(unknown))}")
    return Fault(**{name: _READ[name](value) for name, value in settings.items() if value is not None})


_READ: dict[str, Any] = {
    "status": int,
    "retry_after": str,
    "delay": float,
    "truncate": int,
    "reset": bool,
    "html": bool,
}


class FaultQueue:
    """Scripted faults, first in first out per (host, path); an exact path is used up before the host's `*`."""

    def __init__(self) -> None:
        self._queues: dict[tuple[str, str], deque[Fault]] = {}

    def push(self, host: str, path: str, fault: Fault, *, times: int = 1) -> None:
        self._queues.setdefault((host, path), deque()).extend([fault] * times)

    def take(self, host: str, path: str) -> Fault | None:
        for key in ((host, path), (host, ANY), (ANY, ANY)):
            queue = self._queues.get(key)
            if queue:
                return queue.popleft()
        return None

    def left(self) -> int:
        return sum(map(len, self._queues.values()))

    def clear(self) -> None:
        self._queues.clear()
