"""CPU seconds by part of the work, each without the parts inside it."""

import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ParamSpec, TypeVar

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

WORLD = "world"
"""Generating feeds and pages: of neither side."""
START = "start"
"""Imports, models, an empty database: once, however many articles follow."""
READ = "read feeds and pages"
DUPLICATES = "duplicates"
STORE = "claim, compose and store"
# What only Headwater does.
ARCHIVE, CLEAN, LANGUAGE, QUALITY = "archive", "clean", "language", "quality"
INDEX, STORIES, SUMMARIES, FILES = "search index", "stories", "summaries", "files"
SAME_WORK = (READ, DUPLICATES, STORE)
"""What the script does, too."""


@dataclass
class PartTimer:
    """Switches between parts: what is running belongs to the part that was entered last."""

    seconds: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    part: str = START
    since: float = 0.0

    def switch(self, part: str) -> str:
        """Returns the part that ran until now."""
        now, before = time.process_time(), self.part
        self.seconds[before] += now - self.since
        self.part, self.since = part, now
        return before

    def timed(self, part: str, function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
        def run(*arguments: Parameters.args, **named: Parameters.kwargs) -> Result:
            before = self.switch(part)
            try:
                return function(*arguments, **named)
            finally:
                self.switch(before)

        return run

    def replace_timed(self, owner: Any, *parts_by_name: tuple[str, str]) -> None:
        """Replaces functions of a module or methods of a class, given as (name, part)."""
        for name, part in parts_by_name:
            setattr(owner, name, self.timed(part, getattr(owner, name)))


def ms_by_part(seconds: Mapping[str, float], articles: int) -> dict[str, float]:
    """Milliseconds per article, the largest part first."""
    parts = {name: 1000 * value / articles for name, value in seconds.items() if name != WORLD}
    return {name: round(value, 3) for name, value in sorted(parts.items(), key=lambda pair: -pair[1])}


def same_work_ms(parts: Mapping[str, float]) -> float:
    return sum(parts.get(name, 0.0) for name in SAME_WORK)
