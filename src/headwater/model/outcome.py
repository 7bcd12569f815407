from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from headwater.model.trace import Trace


@dataclass(frozen=True, slots=True)
class Drop:
    """No, because: the record ends here. `of` names the original when the reason is that it exists already; `trace`
    is what to remember of it all the same."""

    reason: str
    of: str | None = None
    score: float | None = None
    evidence: Mapping[str, Any] = field(default_factory=dict)
    trace: Trace | None = None


@dataclass(frozen=True, slots=True)
class SetAside:
    """Not now, but perhaps with other code or settings: kept in quarantine with its reason, and can be sent again."""

    reason: str
    evidence: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Sent:
    """A delivery that arrived; `receipt` is whatever the receiver answered."""

    receipt: str = ""
