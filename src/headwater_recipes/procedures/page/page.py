"""The input of normalisation: an extracted page."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from headwater_recipes.procedures.fields.value import NO_VALUE, FieldValue

LanguageDetector = Callable[[str], str]
"""Returns the language of a text. Empty when it is unknown."""


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
        frame = self.attributes.get("site")
        if isinstance(frame, Mapping):
            return frame
        running = self.attributes.get("running") or ()
        return {"header": " · ".join(map(str, running))} if running else {}

    @property
    def page_title(self) -> str:
        return str(self.attributes.get("page_title") or "")

    def stated(self, name: str) -> FieldValue:
        """What the page states for programs (JSON-LD): `organism` or `telephone`."""
        facts = self.attributes.get("linked_data")
        fact = facts.get(name) if isinstance(facts, Mapping) else None
        return FieldValue(fact["text"], origin=f"json-ld:{fact['key']}") if fact else NO_VALUE

    @property
    def line_places(self) -> Sequence[tuple[int, int, Mapping[str, Any]]]:
        """(start, end, place in the captured bytes) of the lines of the text."""
        return tuple(self.attributes.get("line_places") or ())

    @property
    def frame_places(self) -> Mapping[str, Mapping[str, Any]]:
        """Where the names in the frame of the site stand, by part of the frame."""
        return self.attributes.get("frame_places") or {}

    @property
    def buttons(self) -> frozenset[str]:
        """The targets of links that are styled as buttons."""
        return frozenset(map(str, self.attributes.get("buttons") or ()))

    @property
    def gazette(self) -> Mapping[str, Any]:
        metadata = self.attributes.get("boe")
        return metadata if isinstance(metadata, Mapping) else {}
