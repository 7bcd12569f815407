"""What normalisation is given: an extracted page and who it belongs to."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

LanguageDetector = Callable[[str], str]
"""The language of a stretch of text; empty when it cannot be told."""


def no_language(text: str) -> str:
    del text
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcedurePage:
    url: str
    text: str
    title: str = ""
    description: str = ""
    language: str = "es"
    secondary: str = ""
    media_type: str = "text/html"
    attributes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def site(self) -> Mapping[str, Any]:
        told = self.attributes.get("site")
        if isinstance(told, Mapping):
            return told
        running = self.attributes.get("running") or ()
        return {"header": " · ".join(map(str, running))} if running else {}

    @property
    def page_title(self) -> str:
        return str(self.attributes.get("page_title") or "")

    @property
    def buttons(self) -> frozenset[str]:
        """Addresses of links that are dressed as buttons."""
        return frozenset(map(str, self.attributes.get("buttons") or ()))

    @property
    def gazette(self) -> Mapping[str, Any]:
        told = self.attributes.get("boe")
        return told if isinstance(told, Mapping) else {}
