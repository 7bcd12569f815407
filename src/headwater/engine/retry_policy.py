"""How often work is tried."""

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How many records are claimed at once, for how long, and how often each is tried.

    `max_worker_deaths` must not be less than `max_attempts`: a record that is only postponed then ends for its own reason.
    """

    batch: int = 100
    lease: timedelta = timedelta(minutes=5)
    max_attempts: int = 6
    isolate_after: int = 2
    max_worker_deaths: int = 6
