"""Numbers over time: what a source says that is no text. It goes into tables of its own, past all steps."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """What a symbol was traded at during one span ("1day", "1hour") that began at `at`."""

    symbol: str
    span: str
    at: datetime
    open: float | None = None
    high: float | None = None
    low: float | None = None
    close: float | None = None
    volume: float | None = None
    average: float | None = None
    trades: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """How something stood at a moment: an account, a position, an order, the particulars of a symbol."""

    kind: str
    name: str
    at: datetime
    value: Mapping[str, Any] = field(default_factory=dict)
