"""Days between two documents make them less alike; the first few do not."""

from collections.abc import Sequence
from datetime import datetime

import numpy as np
import numpy.typing as npt

Days = npt.NDArray[np.float32]

GRACE_DAYS = 3.0
HALVING_DAYS = 21.0
LEAST = 0.5


def days_of(moments: Sequence[datetime | None]) -> Days:
    """As days, from wherever; not a number where the moment is unknown."""
    return np.array(
        [np.nan if m is None else m.timestamp() / 86400 for m in moments], dtype=np.float64
    ).astype(np.float32)


def nearness(one: Days, other: Days) -> Days:
    """What is left of a similarity, by the days between: 1 at first and for unknown moments, never under a half."""
    apart = np.nan_to_num(np.abs(one - other), nan=0.0)
    fading = np.exp2(-np.maximum(apart - GRACE_DAYS, 0) / HALVING_DAYS)
    left: Days = np.maximum(fading, LEAST).astype(np.float32)
    return left
