"""The language step: declared or detected, dominant and second language."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from headwater.documents.language.detector import (
    LanguageRules,
    RankLanguages,
    detect_language,
    resolve_language,
)
from headwater.documents.language.model import language_model
from headwater.documents.language.short_text import Ranking
from headwater.model.document import Document, FactKey
from headwater.model.recipe import Outcome, StepContext

SECONDARY_LANGUAGE = FactKey("secondary_language", str)
LANGUAGE_CONFIDENCE = FactKey("language_confidence", float)
TITLE_HELPS_BELOW = 200  # characters of text


def rank_languages(text: str) -> Ranking:
    """Rank every language that py3langid knows. The first call loads the model."""
    ranking: Ranking = language_model().rank(text)
    return ranking


def language_shares(text: str) -> Mapping[str, float]:
    """The share of every language that py3langid knows."""
    return language_model().shares(text)


@dataclass(frozen=True)
class DetectLanguage:
    """Sets `language`, with its origin, confidence and the second language of a bilingual page.

    `languages` are the ones that the recipe expects; without them every widely written language is a candidate. A text
    overrules its declaration with a confidence of at least `overrule`. At most `paragraphs` paragraphs, spread over the
    text, are read: two suffice where no page is bilingual. Reading stops at one whose confidence exceeds `sure`.
    """

    languages: tuple[str, ...] = ()
    min_confidence: float = 0.4
    overrule: float = 0.8
    paragraphs: int = 16
    sure: float = 1.0
    rank: RankLanguages = field(default=language_shares, compare=False)
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
        return [self._detect(document, rules) for document in batch]

    def _detect(self, document: Document, rules: LanguageRules) -> Document:
        detected = detect_language(_sample(document), self.rank, rules)
        resolved = resolve_language(
            document.language, document.origins.get("language", ""), detected, self.overrule
        )
        updated = document.with_changes(
            language=resolved.language,
            origins={**document.origins, "language": resolved.origin},
        ).with_fact(LANGUAGE_CONFIDENCE, detected.confidence)
        if detected.secondary:
            updated = updated.with_fact(SECONDARY_LANGUAGE, detected.secondary)
        return updated.with_notes(
            detected=detected.language,
            confidence=detected.confidence,
            declared=document.language,
            agreed=resolved.agrees,
            secondary=detected.secondary,
            shares=dict(detected.shares),
        )


def _sample(document: Document) -> str:
    """A short text is classified together with its title."""
    if len(document.text) >= TITLE_HELPS_BELOW:
        return document.text
    return f"{document.title}\n{document.text}".strip()
