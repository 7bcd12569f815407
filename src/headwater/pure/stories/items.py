from dataclasses import dataclass
from datetime import datetime

from headwater.pure.stories.terms import outlined

LEAD, WORDS, PIECES = 2000, 80, 128
"""So many characters of a text are read for its meaning, so many words of them, and so many pieces of words: news says first
what it is about. Small words are left out, because they cost an encoder half of its time and tell no story from another."""


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
        return f"{self.title}. {outlined(self.text[:LEAD], WORDS)}" if self.text else self.title
