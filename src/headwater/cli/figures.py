"""Counts of a recipe at one moment, and what changed between two."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from headwater.model.work import State

Status = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """`came_in` is everything sources told of; of it, so much was kept, ended, or is still to be done."""

    came_in: int = 0
    kept: int = 0
    duplicate: int = 0
    dropped: int = 0
    set_aside: int = 0
    quarantined: int = 0
    waiting: int = 0
    stories: int = 0
    delivered: int = 0

    def since(self, before: "Figures") -> "Figures":
        return Figures(**{f.name: getattr(self, f.name) - getattr(before, f.name) for f in fields(Figures)})

    @property
    def nothing_new(self) -> bool:
        return not (self.came_in or self.kept or self.delivered)


def figures(status: Status) -> Figures:
    leads, documents = status["leads"], status["documents"]

    def ended(state: State) -> int:
        return int(documents.get(state, 0)) + int(leads.get(state, 0))

    waiting = (part for task, part in status["unfinished"].items() if task not in {"poll", "replay"})
    return Figures(
        came_in=sum(leads.values()),
        kept=documents.get(State.KEPT, 0),
        duplicate=ended(State.DUPLICATE),
        dropped=ended(State.DROPPED),
        set_aside=ended(State.ASIDE),
        quarantined=ended(State.QUARANTINED),
        waiting=sum(part["due"] + part["later"] for part in waiting),
        stories=status["stories"],
        delivered=status["deliveries"].get(State.DONE, 0),
    )
