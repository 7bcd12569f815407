from dataclasses import dataclass
from datetime import datetime

LEAD = 1000
"""So many characters of a text are read for its meaning: news says first what it is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """What is put into stories. `group` (a flashpoint, a desk, a day) is never crossed by a story."""

    id: str
    title: str = ""
    text: str = ""
    published_at: datetime | None = None
    group: str = ""

    @property
    def lead(self) -> str:
        """What an encoder reads."""
        return f"{self.title}. {self.text[:LEAD]}" if self.text else self.title
