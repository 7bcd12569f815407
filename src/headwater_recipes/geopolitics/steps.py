"""What geopolitics decides about a document."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from headwater.documents.language.translate_titles import TranslateTitles
from headwater.documents.mentions.entities import TagEntities
from headwater.documents.mentions.recogniser import EntityRecogniser
from headwater.model.document import Document
from headwater.model.outcomes import Drop
from headwater.model.recipe import Outcome, Step, StepContext, each
from headwater.settings.llm import chat_url, read_api_key
from headwater.stories.llm.chat import ChatClient
from headwater.stories.llm.translator import ChatTranslator
from headwater.stories.topics.media_topics import TOPIC_NAMES, UNKNOWN_TOPIC, topic_code
from headwater_recipes.geopolitics.options import WHERE, GeopoliticsOptions, TranslationOptions

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
    return document.with_changes(attributes={**document.attributes, FLASHPOINT: document.subjects[0]})


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

    def __call__(self, batch: Sequence[Document], context: StepContext) -> Sequence[Outcome]:
        del context
        guessed = self.classify(batch) if self.classify is not None else [None] * len(batch)
        return [self._tag(document, guess) for document, guess in zip(batch, guessed, strict=True)]

    def _tag(self, document: Document, guess: tuple[str, float] | None) -> Document:
        if guess is not None and guess[1] >= self.least and topic_code(guess[0]) != UNKNOWN_TOPIC:
            return _with(document, topic_record(topic_code(guess[0]), guess[1], "classifier"))
        words = (*document.keywords, str(document.attributes.get("section") or ""))
        named = next((code for word in words if (code := topic_code(word)) != UNKNOWN_TOPIC), None)
        return document if named is None else _with(document, topic_record(named, 1.0, "publisher"))


def topic_record(code: str, confidence: float, origin: str) -> dict[str, Any]:
    return {"code": code, "name": TOPIC_NAMES[code], "confidence": round(confidence, 4), "by": origin}


def topic_of(document: Document) -> Mapping[str, Any] | None:
    found = document.attributes.get(TOPIC)
    return found if isinstance(found, Mapping) else None


def _with(document: Document, topic: Mapping[str, Any]) -> Document:
    attributes = {**document.attributes, TOPIC: topic}
    return document.with_changes(attributes=attributes).with_notes(topic=topic["code"], by=topic["by"])


def optional_steps(chosen: GeopoliticsOptions, models: str) -> tuple[Step, ...]:
    """None, unless they are asked for."""
    steps: list[Step] = []
    if chosen.translation is not None:
        told = chosen.translation
        steps.append(TranslateTitles(_LazyTranslator(told), told.model, told.into))
    if chosen.entities is not None:
        recogniser = EntityRecogniser(
            chosen.entities.model, Path(models), chosen.entities.least
        ).check_files()
        steps.append(TagEntities(recogniser, recogniser.name))
    return tuple(steps)


@dataclass(frozen=True)
class _LazyTranslator:
    """The key is read when the first title is translated: whoever only looks needs none."""

    told: TranslationOptions

    @cached_property
    def _opened(self) -> ChatTranslator:
        where = f"{WHERE}.translation"
        return ChatTranslator(
            ChatClient(
                address=chat_url(self.told),
                model=self.told.model,
                clock=lambda: datetime.now(UTC),
                key=read_api_key(self.told, where),
                seconds=self.told.seconds,
                options=self.told.options,
                where=where,
            )
        )

    def __call__(self, titles: Sequence[tuple[str, str]], into: str) -> list[str | None]:
        return self._opened(titles, into)
