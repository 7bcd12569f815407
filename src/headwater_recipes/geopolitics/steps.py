"""What geopolitics decides about a document."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from headwater.model.document import Document
from headwater.model.outcome import Drop
from headwater.model.recipe import Context, Outcome, each
from headwater.pure.stories.topics import NAMES, UNKNOWN, code_of

FLASHPOINT = "flashpoint"
TOPIC = "topic"
LEAST_CONFIDENCE = 0.5

Classify = Callable[[Sequence[Document]], Sequence[tuple[str, float] | None]]
"""A topic (its code or name) and how sure it is, per document; None where nothing can be said."""


@each(version="1")
def assign_flashpoint(document: Document) -> Document | Drop:
    """The flashpoint that the entry, or its source, was found for; it is written down before names are looked for."""
    if not document.subjects:
        return Drop("no_flashpoint")
    return document.but(attributes={**document.attributes, FLASHPOINT: document.subjects[0]})


def flashpoint_of(document: Document) -> str | None:
    """The group of a document: no story spans two flashpoints."""
    told = document.attributes.get(FLASHPOINT)
    return None if told is None else str(told)


@dataclass(frozen=True)
class TagTopic:
    """One of the IPTC top levels under `attributes.topic`: the classifier's, if there is one and it is sure enough;
    else the first of the publisher's own categories, or its section, that names one."""

    classify: Classify | None = field(default=None, compare=False)
    least: float = LEAST_CONFIDENCE
    name: str = "topic"
    version: str = "1"

    def __call__(self, batch: Sequence[Document], context: Context) -> Sequence[Outcome]:
        del context
        guessed = self.classify(batch) if self.classify is not None else [None] * len(batch)
        return [self._tag(document, guess) for document, guess in zip(batch, guessed, strict=True)]

    def _tag(self, document: Document, guess: tuple[str, float] | None) -> Document:
        if guess is not None and guess[1] >= self.least and code_of(guess[0]) != UNKNOWN:
            return _with(document, topic_record(code_of(guess[0]), guess[1], "classifier"))
        words = (*document.keywords, str(document.attributes.get("section") or ""))
        named = next((code for word in words if (code := code_of(word)) != UNKNOWN), None)
        return document if named is None else _with(document, topic_record(named, 1.0, "publisher"))


def topic_record(code: str, confidence: float, origin: str) -> dict[str, Any]:
    return {"code": code, "name": NAMES[code], "confidence": round(confidence, 4), "by": origin}


def topic_of(document: Document) -> Mapping[str, Any] | None:
    found = document.attributes.get(TOPIC)
    return found if isinstance(found, Mapping) else None


def _with(document: Document, topic: Mapping[str, Any]) -> Document:
    attributes = {**document.attributes, TOPIC: topic}
    return document.but(attributes=attributes).noting(topic=topic["code"], by=topic["by"])
