"""The quality step: how well a page was parsed, as one score with its components and reasons."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from headwater.documents.cleaning.enrichment import CUT_OFF, PAYLOAD
from headwater.documents.quality.article_body import BODY_WORDS, has_article_body
from headwater.model.document import FROM_SOURCE, FROM_SOURCE_TEXT, Document
from headwater.model.outcomes import SetAside
from headwater.model.page import has_whole_text
from headwater.model.recipe import Outcome, StepContext
from headwater.text.sentences import count_sentences
from headwater.text.words import count_blocks, split_lower_words

NAME = "parse_quality"
VERSION = "4"

# They sum to 1.
WEIGHTS: Mapping[str, float] = {
    "word_count": 0.30,
    "body_found": 0.20,
    "diversity": 0.15,
    "sentence": 0.15,
    "paragraph": 0.10,
    "metadata": 0.10,
}
CEILING = 0.95
HEADLINE = "# "

# R-73 fixes the steps, not their values. A step counts from its number on: 20 words score 0.2, 19 score 0.
WORD_STEPS: tuple[tuple[int, float], ...] = ((20, 0.2), (50, 0.4), (150, 0.7), (300, 1.0))
SENTENCE_STEPS: tuple[tuple[int, float], ...] = ((1, 0.3), (2, 0.6), (3, 1.0))
PARAGRAPH_STEPS: tuple[tuple[int, float], ...] = ((1, 0.3), (2, 0.6), (3, 1.0))

#
MEDIUM_FROM = 0.35
HIGH_FROM = 0.65
WITHOUT_BODY = 0.3499  # more words, in more lines, do not make up for a missing body


@dataclass(frozen=True, slots=True)
class QualityScore:
    """A value in 0..1, its components before weighting, and the reasons why it is not higher."""

    name: str
    version: str
    value: float
    label: str
    components: Mapping[str, float]
    reasons: tuple[str, ...]


def score_parse_quality(
    text: str,
    *,
    title: bool = False,
    author: bool = False,
    publisher: bool = False,
    date: bool = False,
    body_found: bool = True,
) -> QualityScore:
    """R-72 to R-75. The flags say which metadata is present; `body_found`: the body of an article was located. Without one
    the score is low, whatever else there is. The headline is metadata: its words do not count."""
    text = without_headline(text)
    words = split_lower_words(text)
    metadata = {"title": title, "author": author, "publisher": publisher, "date": date}
    components = {
        "word_count": step_value(WORD_STEPS, len(words)),
        "body_found": float(body_found and len(words) >= BODY_WORDS),
        "diversity": word_diversity(words),
        "sentence": step_value(SENTENCE_STEPS, count_sentences(text, most=SENTENCE_STEPS[-1][0])),
        "paragraph": step_value(PARAGRAPH_STEPS, count_blocks(text)),
        "metadata": sum(metadata.values()) / len(metadata),
    }
    total = sum(weight * components[name] for name, weight in WEIGHTS.items())
    value = round(min(CEILING if body_found else WITHOUT_BODY, max(0.0, total)), 4)
    missing = tuple(f"no_{name}" for name, present in metadata.items() if not present)
    reasons = (
        *(_REASONS[name] for name, part in components.items() if name in _REASONS and part < 0.5),
        *missing,
    )
    return QualityScore(NAME, VERSION, value, quality_label(value), components, reasons)


_REASONS = {
    "word_count": "few_words",
    "body_found": "no_body",
    "diversity": "repetitive",
    "sentence": "few_sentences",
    "paragraph": "few_paragraphs",
}


def without_headline(text: str) -> str:
    """The text below its first line, if that is the headline of the page."""
    first, _, below = text.partition("\n")
    return below if first.startswith(HEADLINE) else text


def step_value(steps: Sequence[tuple[int, float]], count: int) -> float:
    """The value of the highest step reached, 0 below the first."""
    reached = bisect_right([minimum for minimum, _ in steps], count)
    return steps[reached - 1][1] if reached else 0.0


def word_diversity(words: Sequence[str]) -> float:
    """R-74: unique words / words. They are in lower case."""
    return len(set(words)) / len(words) if words else 0.0


def quality_label(value: float) -> str:
    if value < MEDIUM_FROM:
        return "low"
    return "medium" if value < HIGH_FROM else "high"


@dataclass(frozen=True)
class ScoreQuality:
    """Sets `quality` and notes its components. Documents with one of the labels in `set_aside` are quarantined as
    `low_quality`, unless their text is only what the source provided: then no page was parsed, well or badly."""

    set_aside: tuple[str, ...] = ("low",)
    name: str = "quality"
    version: str = VERSION

    def __call__(self, batch: Sequence[Document], context: StepContext) -> Sequence[Outcome]:
        del context
        return [self._score(document) for document in batch]

    def _score(self, document: Document) -> Outcome:
        score = score_document(document)
        record = {
            "score": score.value,
            "label": score.label,
            "components": dict(score.components),
            "reasons": list(score.reasons),
        }
        if score.label in self.set_aside and is_from_page(document):
            return SetAside("low_quality", record, quality=score.value)
        return document.with_changes(quality=score.value).with_notes(**record)


def score_document(document: Document) -> QualityScore:
    return score_parse_quality(
        document.text,
        title=bool(document.title),
        author=bool(document.authors),
        publisher=bool(document.publisher),
        date=document.published is not None,
        body_found=(is_from_page(document) or is_delivered_text(document))
        and has_article_body(document.text, document.language),
    )


def is_delivered_text(document: Document) -> bool:
    """Whether the text is what the source delivered with its entry, from its beginning to its end: no summary, and not cut
    off."""
    origin = document.origins.get("text", "")
    return origin.startswith(FROM_SOURCE_TEXT) and not CUT_OFF.search(document.text)


def is_from_page(document: Document) -> bool:
    """Whether the text is that of the page, or a whole text that the source delivered."""
    return has_whole_text(document.page) and document.origins.get("text", "") not in {PAYLOAD, FROM_SOURCE}
