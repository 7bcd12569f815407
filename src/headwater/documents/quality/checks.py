"""Checking steps for any recipe: enough words, an allowed language, the expected structure, intact characters.

A document that fails is quarantined with what was found and what was required; after a change of settings it can be
sent again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from headwater.documents.cleaning.encoding import repair_text
from headwater.documents.language.codes import UNDETERMINED, primary_code
from headwater.model.document import Document
from headwater.model.outcomes import SetAside
from headwater.model.recipe import Outcome, StepContext
from headwater.text.folding import find_markers
from headwater.text.words import count_words

LOST_CHARACTER = "\ufffd"


@dataclass(frozen=True)
class CheckWords:
    """Requires at least `minimum` words of text."""

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
    """Requires one of the `allowed` languages; `undetermined`: a text without a detected language passes."""

    allowed: tuple[str, ...]
    undetermined: bool = False
    name: str = "check-language"
    version: str = "1"

    def __call__(self, batch: Sequence[Document], context: StepContext) -> Sequence[Outcome]:
        del context
        return [self._check(document) for document in batch]

    def _check(self, document: Document) -> Outcome:
        language = primary_code(document.language) or UNDETERMINED
        is_allowed = self.undetermined if language == UNDETERMINED else language in self.allowed
        if is_allowed:
            return document
        return SetAside("language_not_allowed", {"language": language, "allowed": list(self.allowed)})


@dataclass(frozen=True)
class CheckStructure:
    """Requires at least `minimum` of the markers in the text, ignoring accents and case."""

    markers: tuple[str, ...]
    minimum: int = 2
    name: str = "check-structure"
    version: str = "1"

    def __call__(self, batch: Sequence[Document], context: StepContext) -> Sequence[Outcome]:
        del context
        return [self._check(document) for document in batch]

    def _check(self, document: Document) -> Outcome:
        present = find_markers(document.text, self.markers)
        if len(present) < self.minimum:
            evidence = {"found": list(present), "markers": list(self.markers), "least": self.minimum}
            return SetAside("structure_missing", evidence)
        return document.with_notes(markers=list(present))


@dataclass(frozen=True)
class CheckEncoding:
    """Repairs mojibake; quarantines a text of which more than the share `max_lost` of the characters is lost."""

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
