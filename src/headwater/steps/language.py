"""Which language a document is in: declared or detected, dominant and second."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from py3langid.langid import MODEL_FILE, LanguageIdentifier

from headwater.model.document import Document
from headwater.model.fact import Fact
from headwater.model.recipe import Context, Outcome
from headwater.pure.language import LanguageRules, Rank, detect, settle
from headwater.pure.language.voting import Ranking

SECONDARY_LANGUAGE = Fact("secondary_language", str)
LANGUAGE_CONFIDENCE = Fact("language_confidence", float)
TITLE_HELPS_BELOW = 200  # characters of text


@cache
def _model() -> LanguageIdentifier:
    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def rank(text: str) -> Ranking:
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
    least_confidence: float = 0.4
    overrule: float = 0.8
    paragraphs: int = 16
    sure: float = 1.0
    rank: Rank = field(default=rank, compare=False)
    name: str = "language"
    version: str = "1"

    def __call__(self, batch: Sequence[Document], context: Context) -> Sequence[Outcome]:
        del context
        rules = LanguageRules(
            languages=self.languages,
            least_confidence=self.least_confidence,
            most_paragraphs=self.paragraphs,
            sure=self.sure,
        )
        return [self._tell(document, rules) for document in batch]

    def _tell(self, document: Document, rules: LanguageRules) -> Document:
        found = detect(_sample(document), self.rank, rules)
        settled = settle(document.language, document.origins.get("language", ""), found, self.overrule)
        told = replace(
            document,
            language=settled.language,
            origins={**document.origins, "language": settled.origin},
        ).having(LANGUAGE_CONFIDENCE, found.confidence)
        if found.secondary:
            told = told.having(SECONDARY_LANGUAGE, found.secondary)
        return told.noting(
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
