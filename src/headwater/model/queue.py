"""What is left for other programs to take."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueItem:
    """One thing in a queue. The same id is the same thing, however often it is put there."""

    id: str
    queue: str
    recipe: str
    document: str
    payload: Mapping[str, Any]


Keep = Callable[[Sequence[QueueItem]], object]
"""Puts items where they are safe; returns once they are."""


class Supply(Protocol):
    """Queues elsewhere, from which items are taken over when somebody asks for more than is here. Raises Temporary when
    that place cannot be asked."""

    def hand_over(self, queue: str, limit: int, keep: Keep) -> int:
        """Give up to so many items to `keep`, oldest first, and let go of them only when it returns; gives how many."""
        ...

    def waiting(self) -> Mapping[str, int]:
        """How many items wait in each queue that has any."""
        ...

    def peek(self, queue: str, limit: int) -> Sequence[Mapping[str, Any]]:
        """The next items, as they are."""
        ...
