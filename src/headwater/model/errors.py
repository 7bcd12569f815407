"""How a part of a recipe fails.

    Drop(reason)                 a value, not an error: the record ends here, with its reason (outcomes.py)
    HeadwaterError
    ├── Temporary                try again, not before `delay`
    ├── Permanent                the record goes to quarantine with the reason
    └── Refused                  an operator's mistake: bad configuration, unknown recipe, missing database
        └── MovedAway            the installation is in another environment; every process here stops

Parts raise; only the engine catches.
"""

from datetime import timedelta


class HeadwaterError(Exception):
    """Base class of the errors that Headwater raises on purpose. `reason` is a short machine-readable code."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.detail = detail


class Temporary(HeadwaterError):
    """Try again. `delay` is the minimum wait; without it the engine's backoff applies. `counts` is False when the record
    was only postponed, not attempted."""

    def __init__(
        self, reason: str, detail: str = "", *, delay: timedelta | None = None, counts: bool = True
    ) -> None:
        super().__init__(reason, detail)
        self.delay = delay
        self.counts = counts


class Permanent(HeadwaterError):
    """Do not try again: the same input and the same code give the same result."""


class Refused(HeadwaterError):
    """The request cannot be carried out; `detail` is one sentence that says what to do instead."""


class MovedAway(Refused):
    """The installation moved to another environment, or the move to this one has not ended; nothing is written here."""
