"""What is left for other programs to take."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueItem:
    """One thing in a queue. The same id is the same thing, however often it is put there."""

    id: str
    queue: str
    recipe: str
    document: str
    payload: Mapping[str, Any]
