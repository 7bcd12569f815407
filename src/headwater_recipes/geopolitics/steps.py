"""Steps of this recipe: the flashpoint and topic of a document, and optional steps by a model."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.documents.language.translate_titles import TranslateTitles
from headwater.documents.mentions.entities import TagEntities
from headwater.documents.mentions.recogniser import EntityRecogniser
from headwater.documents.names.tag_names import TagNames
from headwater.model.document import Document
from headwater.model.outcomes import Drop
from headwater.model.recipe import Outcome, Step, StepContext, each
from headwater.settings.llm import chat_url, read_api_key
from headwater.stories.topics.media_topics import TOPIC_NAMES, UNKNOWN_TOPIC, topic_code
from headwater_recipes.geopolitics.options import WHERE, GeopoliticsOptions, TranslationOptions

if TYPE_CHECKING:
    from headwater.stories.llm.translator import ChatTranslator

FLASHPOINT = "flashpoint"
TOPIC = "topic"
LEAST_CONFIDENCE = 0.5
LEAST_BY_WORDS = 0.9
"""Words alone overrule a publisher only when they are sure."""

Classify = Callable[[Sequence[Document]], Sequence[tuple[str, float] | None]]
"""Per document, a topic (code or name) and its confidence, or None where it is unknown."""


@each(version="1")
def assign_flashpoint(document: Document) -> Document | Drop:
    """Record the flashpoint of the entry or its source, before later steps add subjects."""
    if not document.subjects:
        return Drop("no_flashpoint")
    return document.with_changes(attributes={**document.attributes, FLASHPOINT: document.subjects[0]})


def flashpoint_of(document: Document) -> str | None:
    """The group of a document: no story spans two flashpoints."""
    flashpoint = document.attributes.get(FLASHPOINT)
    return None if flashpoint is None else str(flashpoint)


@dataclass(frozen=True)
class TagTopic:
    """Sets `attributes.topic` to an IPTC top-level topic: that of the classifier if its confidence is at least `least`, else
    the first of the publisher's categories, or its section, that names one, else that of the classifier."""

    classify: Classify | None = field(default=None, compare=False)
    least: float = LEAST_CONFIDENCE
    name: str = "topic"
    version: str = "1"

    def __call__(self, batch: Sequence[Document], context: StepContext) -> Sequence[Outcome]:
        del context
        guesses = self.classify(batch) if self.classify is not None else [None] * len(batch)
        return [self._tag(document, guess) for document, guess in zip(batch, guesses, strict=True)]

    def _tag(self, document: Document, guess: tuple[str, float] | None) -> Document:
        code, confidence = (UNKNOWN_TOPIC, 0.0) if guess is None else (topic_code(guess[0]), guess[1])
        is_known = code != UNKNOWN_TOPIC
        published = _published_topic(document)
        if is_known and (confidence >= self.least or published is None):
            return _with_topic(document, topic_record(code, confidence, "classifier"))
        return (
            document
            if published is None
            else _with_topic(document, topic_record(published, 1.0, "publisher"))
        )


def _published_topic(document: Document) -> str | None:
    words = (*document.keywords, str(document.attributes.get("section") or ""))
    codes = (topic_code(word) for word in words)
    return next((code for code in codes if code != UNKNOWN_TOPIC), None)


def topic_record(code: str, confidence: float, origin: str) -> dict[str, Any]:
    return {"code": code, "name": TOPIC_NAMES[code], "confidence": round(confidence, 4), "by": origin}


def topic_of(document: Document) -> Mapping[str, Any] | None:
    topic = document.attributes.get(TOPIC)
    return topic if isinstance(topic, Mapping) else None


def _with_topic(document: Document, topic: Mapping[str, Any]) -> Document:
    attributes = {**document.attributes, TOPIC: topic}
    return document.with_changes(attributes=attributes).with_notes(topic=topic["code"], by=topic["by"])


def optional_steps(options: GeopoliticsOptions, models: str) -> tuple[Step, ...]:
    """Translated titles, if the options ask for them; names, by a model if the options name one."""
    steps: list[Step] = []
    if options.translation is not None:
        translation = options.translation
        translator = _LazyTranslator(translation)
        steps.append(TranslateTitles(translator, translation.model, translation.into))
    if options.entities is not None:
        recogniser = EntityRecogniser(
            options.entities.model, Path(models), options.entities.least
        ).check_files()
        steps.append(TagEntities(recogniser, recogniser.name))
    else:
        steps.append(TagNames())
    return tuple(steps)


@dataclass(frozen=True)
class _LazyTranslator:
    """Reads the key when the first title is translated, so that commands that only read need none, and imports the client then."""

    options: TranslationOptions

    @cached_property
    def _translator(self) -> "ChatTranslator":
        from headwater.stories.llm.chat import ChatClient  # noqa: PLC0415 - see above
        from headwater.stories.llm.translator import ChatTranslator  # noqa: PLC0415 - see above

        where = f"{WHERE}.translation"
        return ChatTranslator(
            ChatClient(
                address=chat_url(self.options),
                model=self.options.model,
                clock=lambda: datetime.now(UTC),
                key=read_api_key(self.options, where),
                seconds=self.options.seconds,
                options=self.options.options,
                where=where,
            )
        )

    def __call__(self, titles: Sequence[tuple[str, str]], into: str) -> list[str | None]:
        return self._translator(titles, into)
