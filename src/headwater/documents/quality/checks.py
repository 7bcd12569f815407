"""Words that show that a page has the structure it should have."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace

from headwater.documents.cleaning.encoding import repair_text
from headwater.documents.language.codes import UNDETERMINED, primary_code
from headwater.model.document import Document
from headwater.model.outcomes import SetAside
from headwater.model.recipe import Outcome, StepContext
from headwater.text.words import count_words


def fold_accents(text: str) -> str:
    """Without accents and case: Documentación and DOCUMENTACION are one."""
    apart = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in apart if not unicodedata.combining(character))


def find_markers(text: str, markers: Sequence[str]) -> tuple[str, ...]:
    """Those of the markers that begin a word of the text ("plazo" is in "los plazos", not in "emplazo")."""
    bare = text.lower() if text.isascii() else fold_accents(text)
    return tuple(
        marker for marker in markers if re.search(rf"(?<!\w){re.escape(fold_accents(marker))}", bare)
    )


LOST_CHARACTER = "\ufffd"


@dataclass(frozen=True)
class CheckWords:
    """At least so many words of text."""

    minimum: int = 50
    name: str = "check-words"
    version: str = "1"

    def __call__(self, batch: Sequence[Document], context: StepContext) -> Sequence[Outcome]:
        del context
        return [self._check(document) for document in batch]

    def _check(self, document: Document) -> Outcome:
        words = count_words(document.text)
        if words < self.minimum:
            return SetAside("too_few_words", {"words": words, "least": self.minimum})
        return document.with_notes(words=words)


@dataclass(frozen=True)
class CheckLanguage:
    """One of these languages; `undetermined` says whether a text whose language could not be told may pass."""

    allowed: tuple[str, ...]
    undetermined: bool = False
    name: str = "check-language"
    version: str = "1"

    def __call__(self, batch: Sequence[Document], context: StepContext) -> Sequence[Outcome]:
        del context
        return [self._check(document) for document in batch]

    def _check(self, document: Document) -> Outcome:
        language = primary_code(document.language) or UNDETERMINED
        passes = self.undetermined if language == UNDETERMINED else language in self.allowed
        if passes:
            return document
        return SetAside("language_not_allowed", {"language": language, "allowed": list(self.allowed)})


@dataclass(frozen=True)
class CheckStructure:
    """At least so many of the markers in the text, whatever their accents and case."""

    markers: tuple[str, ...]
    minimum: int = 2
    name: str = "check-structure"
    version: str = "1"

    def __call__(self, batch: Sequence[Document], context: StepContext) -> Sequence[Outcome]:
        del context
        return [self._check(document) for document in batch]

    def _check(self, document: Document) -> Outcome:
        found = find_markers(document.text, self.markers)
        if len(found) < self.minimum:
            wanted = {"found": list(found), "markers": list(self.markers), "least": self.minimum}
            return SetAside("structure_missing", wanted)
        return document.with_notes(markers=list(found))


@dataclass(frozen=True)
class CheckEncoding:
    """Mojibake repaired; a text that lost more than `most_lost` of its characters for good is set aside."""

    max_lost: float = 0.01
    name: str = "check-encoding"
    version: str = "1"

    def __call__(self, batch: Sequence[Document], context: StepContext) -> Sequence[Outcome]:
        del context
        return [self._check(document) for document in batch]

    def _check(self, document: Document) -> Outcome:
        text, changes = repair_text(document.text)
        lost = text.count(LOST_CHARACTER)
        if lost > self.max_lost * max(1, len(text)):
            return SetAside("broken_encoding", {"lost": lost, "characters": len(text)})
        title, _ = repair_text(document.title)
        return replace(document, text=text, title=" ".join(title.split())).with_notes(lost=lost, **changes)
