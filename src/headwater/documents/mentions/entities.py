"""The entities step: token labels of a model merged into named entities and counted."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from headwater.model.document import Document
from headwater.model.recipe import Outcome, StepContext

LABELS: Mapping[str, str] = {"PER": "PERSON"}
"""Short labels of models, spelt out."""

META = "meta"
"""The key of `attributes.entities` that is no kind of name: how the names were found."""

OUTSIDE = "O"
MAX_NAMES = 20
MAX_DISTANCE = 1
"""Tokens of one entity are at most this many characters apart."""


@dataclass(frozen=True, slots=True)
class TokenLabel:
    """What a model says about one token: a label such as B-PER, the score, and the offsets of the token."""

    label: str
    score: float
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class NamedEntity:
    text: str
    label: str
    score: float
    start: int
    end: int


def merge_tokens(text: str, tokens: Iterable[TokenLabel], min_score: float = 0.0) -> list[NamedEntity]:
    """Adjacent tokens of one kind as one entity; a part of a word belongs to the entity it continues."""
    groups: list[list[TokenLabel]] = []
    for token in tokens:
        kind = _kind(token.label)
        if kind == OUTSIDE or token.end <= token.start:
            continue
        if groups and _continues(groups[-1][-1], token):
            groups[-1].append(token)
        else:
            groups.append([token])
    return [entity for group in groups if (entity := _entity(text, group)).score >= min_score and entity.text]


def _kind(label: str) -> str:
    kind = label[2:] if label[:2] in {"B-", "I-", "E-", "S-", "L-", "U-"} else label
    return LABELS.get(kind, kind)


def _continues(previous: TokenLabel, token: TokenLabel) -> bool:
    touches = token.start == previous.end
    is_near = 0 <= token.start - previous.end <= MAX_DISTANCE
    same_kind = _kind(previous.label) == _kind(token.label)
    return same_kind and is_near and (touches or not token.label.startswith(("B-", "S-", "U-")))


def _entity(text: str, group: Sequence[TokenLabel]) -> NamedEntity:
    start, end = group[0].start, group[-1].end
    score = sum(token.score for token in group) / len(group)
    return NamedEntity(text[start:end].strip(), _kind(group[0].label), round(score, 4), start, end)


def count_entities(
    entities: Iterable[NamedEntity], limit: int = MAX_NAMES
) -> dict[str, list[dict[str, Any]]]:
    """By label the most frequent names, each with its count and best score."""
    by_label: dict[str, dict[str, list[NamedEntity]]] = defaultdict(lambda: defaultdict(list))
    for entity in entities:
        by_label[entity.label][entity.text].append(entity)
    return {
        label: [
            {"text": name, "score": max(entity.score for entity in occurrences), "count": len(occurrences)}
            for name, occurrences in sorted(names.items(), key=lambda pair: (-len(pair[1]), pair[0]))[:limit]
        ]
        for label, names in sorted(by_label.items())
    }


MAX_CHARACTERS = 20_000
RecogniseEntities = Callable[[Sequence[str]], Sequence[Sequence[NamedEntity]]]
"""Returns the entities of each text, in order."""


@dataclass(frozen=True)
class TagEntities:
    """Sets `attributes.entities`: by kind the twenty most frequent names, with `meta` about the model."""

    recognise: RecogniseEntities = field(compare=False)
    model: str
    name: str = "entities"
    version: str = "1"

    def __call__(self, batch: Sequence[Document], context: StepContext) -> Sequence[Outcome]:
        del context
        texts = [f"{document.title}\n{document.text}"[:MAX_CHARACTERS] for document in batch]
        entities = self.recognise(texts)
        return [
            self._tag(document, len(text), text_entities)
            for document, text, text_entities in zip(batch, texts, entities, strict=True)
        ]

    def _tag(self, document: Document, size: int, entities: Sequence[NamedEntity]) -> Document:
        mean_score = sum(entity.score for entity in entities) / len(entities) if entities else 0.0
        meta = {"model": self.model, "chars": size, "score": round(mean_score, 4)}
        attributes = {**document.attributes, "entities": {**count_entities(entities), META: meta}}
        origins = {**document.origins, "entities": f"model {self.model}"}
        return document.with_changes(attributes=attributes, origins=origins).with_notes(
            names=len(entities), model=self.model
        )
