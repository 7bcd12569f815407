"""An article of the demo internet."""

import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

# original: first of its text.        daily_report: same form every day, new figures; never a copy.
# exact_copy: same title and text on another site.   near_copy: edited text of another site.
# shared_guid: same text under the identifier of the original, another address.
Kind = Literal["original", "daily_report", "exact_copy", "near_copy", "shared_guid"]
Topic = Literal["markets", "protocols", "regulation", "security", "business"]
TOPICS: tuple[Topic, ...] = ("markets", "protocols", "regulation", "security", "business")


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoArticle:
    """`group` is shared by exact copies, `story` also by edited ones; `copy_of` names the article copied from."""

    id: str
    kind: Kind
    group: str
    story: str
    copy_of: str | None = None
    host: str
    path: str
    guid: str
    title: str
    author: str
    published: datetime
    modified: datetime
    description: str
    keywords: tuple[str, ...]
    topic: Topic
    language: str
    paragraphs: tuple[str, ...]

    @property
    def url(self) -> str:
        return f"http://{self.host}{self.path}"

    @property
    def image(self) -> str:
        return f"http://{self.host}/images/{self.id}.png"


def title_slug(title: str) -> str:
    plain = unicodedata.normalize("NFKD", title.lower().replace("ß", "ss")).encode("ascii", "ignore").decode()
    return "-".join(re.findall(r"[a-z0-9]+", plain)[:12])
