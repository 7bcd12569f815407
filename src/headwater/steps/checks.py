"""Checks after parsing, for any recipe: enough words, the right language, the expected structure, sound characters.

A document that fails is set aside with what was found and what was wanted; with other settings it can be sent again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from headwater.model.document import Document
from headwater.model.outcome import SetAside
from headwater.model.recipe import Context, Outcome
from headwater.pure.cleaning import repair
from headwater.pure.language import UNDETERMINED, primary
from headwater.pure.quality import count_words, markers_in

LOST_CHARACTER = "\ufffd"


@dataclass(frozen=True)
class CheckWords:
    """At least so many words of text."""

    least: int = 50
    name: str = "check-words"
    version: str = "1"

    def __call__(self, batch: Sequence[Document], context: Context) -> Sequence[Outcome]:
        del context
        return [self._check(document) for document in batch]

    def _check(self, document: Document) -> Outcome:
        words = count_words(document.text)
        if words < self.least:
            return SetAside("too_few_words", {"words": words, "least": self.least})
        return document.noting(words=words)


@dataclass(frozen=True)
class CheckLanguage:
    """One of these languages; `undetermined` says whether a text whose language could not be told may pass."""

    allowed: tuple[str, ...]
    undetermined: bool = False
    name: str = "check-language"
    version: str = "1"

    def __call__(self, batch: Sequence[Document], context: Context) -> Sequence[Outcome]:
        del context
        return [self._check(document) for document in batch]

    def _check(self, document: Document) -> Outcome:
        language = primary(document.language) or UNDETERMINED
        passes = self.undetermined if language == UNDETERMINED else language in self.allowed
        if passes:
            return document
        return SetAside("language_not_allowed", {"language": language, "allowed": list(self.allowed)})


@dataclass(frozen=True)
class CheckStructure:
    """At least so many of the markers in the text, whatever their accents and case."""

    markers: tuple[str, ...]
    least: int = 2
    name: str = "check-structure"
    version: str = "1"

    def __call__(self, batch: Sequence[Document], context: Context) -> Sequence[Outcome]:
        del context
        return [self._check(document) for document in batch]

    def _check(self, document: Document) -> Outcome:
        found = markers_in(document.text, self.markers)
        if len(found) < self.least:
            wanted = {"found": list(found), "markers": list(self.markers), "least": self.least}
            return SetAside("structure_missing", wanted)
        return document.noting(markers=list(found))


@dataclass(frozen=True)
class CheckEncoding:
    """Mojibake repaired; a text that lost more than `most_lost` of its characters for good is set aside."""

    most_lost: float = 0.01
    name: str = "check-encoding"
    version: str = "1"

    def __call__(self, batch: Sequence[Document], context: Context) -> Sequence[Outcome]:
        del context
        return [self._check(document) for document in batch]

    def _check(self, document: Document) -> Outcome:
        text, changes = repair(document.text)
        lost = text.count(LOST_CHARACTER)
        if lost > self.most_lost * max(1, len(text)):
            return SetAside("broken_encoding", {"lost": lost, "characters": len(text)})
        title, _ = repair(document.title)
        return replace(document, text=text, title=" ".join(title.split())).noting(lost=lost, **changes)
