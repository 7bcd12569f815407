"""The three answers of a part that cannot simply succeed.

    Drop(reason)                 a value: "no, because": the record ends here, with its reason (outcome.py)
    HeadwaterError
    ├── Temporary                "later": try again, not before `delay`
    ├── Permanent                "never": this record goes to quarantine with the reason
    └── Refused                  an operator's mistake: bad configuration, unknown recipe, missing database
        └── MovedAway            the installation lives elsewhere, now or still: whoever works here stops

Parts raise; only the engine catches.
"""

from datetime import timedelta


class HeadwaterError(Exception):
    """Root of everything Headwater raises on purpose. `reason` is a short machine-readable code."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.detail = detail


class Temporary(HeadwaterError):
    """Later. `delay` is the least time to wait; without it the engine's backoff decides. `counts` is False when
    nothing was tried, only postponed."""

    def __init__(
        self, reason: str, detail: str = "", *, delay: timedelta | None = None, counts: bool = True
    ) -> None:
        super().__init__(reason, detail)
        self.delay = delay
        self.counts = counts


class Permanent(HeadwaterError):
    """Never. Trying again with the same input and the same code gives the same answer."""


class Refused(HeadwaterError):
    """What was asked cannot be done; `detail` is one sentence that says what to do instead."""


class MovedAway(Refused):
    """The installation moved to another home, or has not left the one from which it comes; nothing is written here."""
