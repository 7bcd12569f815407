"""The questions of this recipe to a language model, and the types that the answers must fit."""

from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec

from headwater.model.questions import ExtractionQuestion

QUEUE_ATTRIBUTES = ("ticker", "document_type")
FIELDS = ("document_id", *QUEUE_ATTRIBUTES, "normalized_text")
Short = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Paragraph = Annotated[str, msgspec.Meta(min_length=1, max_length=3_000)]
Day = Annotated[str, msgspec.Meta(pattern=r"^\d{4}-\d{2}-\d{2}$")]
Score = Annotated[float, msgspec.Meta(ge=-1, le=1)]
Tone = Literal["negative", "neutral", "positive"]
Importance = Literal["low", "medium", "high"]


class CompanySentiment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the document speaks of one company: -1 is as bad as can be, 1 as good."""

    company: Short
    sentiment: Tone
    score: Score
    ticker: Short | None = None


class Event(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Something that the document says happened or will happen."""

    type: Literal[
        "earnings", "guidance", "merger", "product", "legal", "regulation", "management", "financing",
        "operations", "macro", "other",
    ]  # fmt: skip
    description: Paragraph
    date: Day | None = None
    companies: Annotated[list[Short], msgspec.Meta(max_length=50)] = []


Sentiments = Annotated[list[CompanySentiment], msgspec.Meta(max_length=50)]
Events = Annotated[list[Event], msgspec.Meta(max_length=50)]


class Extraction(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is known of a document about companies."""

    summary: Paragraph
    sentiments: Sentiments
    events: Events


class MacroClassification(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is known of a document about the economy."""

    summary: Paragraph
    category: Literal[
        "monetary_policy", "inflation", "employment", "growth", "fiscal_policy", "trade", "energy", "housing",
        "geopolitics", "markets", "other",
    ]  # fmt: skip
    regions: Annotated[list[Short], msgspec.Meta(max_length=50)]
    importance: Importance
    sentiment: Tone
    sentiments: Sentiments = []
    events: Events = []


QUESTIONS: Mapping[str, ExtractionQuestion] = {
    "extraction": ExtractionQuestion(
        "extraction-1",
        "what it says about companies: a summary, the sentiment towards each company it speaks of, and the events",
        Extraction,
        FIELDS,
    ),
    "macro_classification": ExtractionQuestion(
        "macro-1",
        "what it says about the economy: a summary, its category, the regions, its importance, its sentiment, "
        "the sentiment towards companies if it speaks of any, and the events",
        MacroClassification,
        FIELDS,
    ),
}
"""By the last part of a queue's name."""
