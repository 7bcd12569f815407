"""Which language a document is in: declared or detected, dominant and second."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from py3langid.langid import MODEL_FILE, LanguageIdentifier

from headwater.documents.language.detector import (
    LanguageRules,
    Ranking,
    RankLanguages,
    detect_language,
    resolve_language,
)
from headwater.model.document import Document, FactKey
from headwater.model.recipe import Outcome, StepContext

SECONDARY_LANGUAGE = FactKey("secondary_language", str)
LANGUAGE_CONFIDENCE = FactKey("language_confidence", float)
TITLE_HELPS_BELOW = 200  # characters of text


@cache
def _model() -> LanguageIdentifier:
    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def rank_languages(text: str) -> Ranking:
    """py3langid over every language it knows. The model is read on the first call (about a second)."""
    ranking: Ranking = _model().rank(text)
    return ranking


@dataclass(frozen=True)
class DetectLanguage:
    """Sets `language`, with its origin, confidence and the second language of a bilingual page.

    `languages` are the recipe's; without them every widely written language is a candidate. A declaration is
    overruled by a text that shows another language with at least `overrule` confidence. At most so many `paragraphs`,
    spread over the text, are looked at: few are enough where nothing is bilingual, and one that is more than `sure`.
    """

    languages: tuple[str, ...] = ()
    min_confidence: float = 0.4
    overrule: float = 0.8
    paragraphs: int = 16
    sure: float = 1.0
    rank: RankLanguages = field(default=rank_languages, compare=False)
    name: str = "language"
    version: str = "1"

    def __call__(self, batch: Sequence[Document], context: StepContext) -> Sequence[Outcome]:
        del context
        rules = LanguageRules(
            languages=self.languages,
            min_confidence=self.min_confidence,
            max_paragraphs=self.paragraphs,
            sure=self.sure,
        )
        return [self._tell(document, rules) for document in batch]

    def _tell(self, document: Document, rules: LanguageRules) -> Document:
        found = detect_language(_sample(document), self.rank, rules)
        settled = resolve_language(
            document.language, document.origins.get("language", ""), found, self.overrule
        )
        told = replace(
            document,
            language=settled.language,
            origins={**document.origins, "language": settled.origin},
        ).with_fact(LANGUAGE_CONFIDENCE, found.confidence)
        if found.secondary:
            told = told.with_fact(SECONDARY_LANGUAGE, found.secondary)
        return told.with_notes(
            detected=found.language,
            confidence=found.confidence,
            declared=document.language,
            agreed=settled.agreed,
            secondary=found.secondary,
            shares=dict(found.shares),
        )


def _sample(document: Document) -> str:
    """A short text is judged together with its title."""
    if len(document.text) >= TITLE_HELPS_BELOW:
        return document.text
    return f"{document.title}\n{document.text}".strip()
