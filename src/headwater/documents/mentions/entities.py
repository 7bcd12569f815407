"""Names in a text: labels of single tokens put together to spans, and spans counted."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from headwater.model.document import Document
from headwater.model.recipe import Outcome, StepContext

LABELS: Mapping[str, str] = {"PER": "PERSON"}
"""What models call by a shorter name."""

OUTSIDE = "O"
MOST = 20
CLOSE = 1
"""Tokens of one name are this many characters apart at most."""


@dataclass(frozen=True, slots=True)
class TokenLabel:
    """What a model says of one piece of a text: a label such as B-PER, how sure it is, and where the piece stands."""

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


def merge_tokens(text: str, tokens: Iterable[TokenLabel], least: float = 0.0) -> list[NamedEntity]:
    """Neighbouring tokens of one kind as one name; a piece of a word belongs to the name it continues."""
    found: list[list[TokenLabel]] = []
    for token in tokens:
        kind = _kind(token.label)
        if kind == OUTSIDE or token.end <= token.start:
            continue
        if found and _goes_on(found[-1][-1], token):
            found[-1].append(token)
        else:
            found.append([token])
    return [one for group in found if (one := _entity(text, group)).score >= least and one.text]


def _kind(label: str) -> str:
    bare = label[2:] if label[:2] in {"B-", "I-", "E-", "S-", "L-", "U-"} else label
    return LABELS.get(bare, bare)


def _goes_on(before: TokenLabel, token: TokenLabel) -> bool:
    touches = token.start == before.end
    near = 0 <= token.start - before.end <= CLOSE
    same = _kind(before.label) == _kind(token.label)
    return same and near and (touches or not token.label.startswith(("B-", "S-", "U-")))


def _entity(text: str, group: Sequence[TokenLabel]) -> NamedEntity:
    start, end = group[0].start, group[-1].end
    score = sum(token.score for token in group) / len(group)
    return NamedEntity(text[start:end].strip(), _kind(group[0].label), round(score, 4), start, end)


def count_entities(entities: Iterable[NamedEntity], most: int = MOST) -> dict[str, list[dict[str, Any]]]:
    """By label the names found most often, each with its count and how sure the best find was."""
    by_label: dict[str, dict[str, list[NamedEntity]]] = defaultdict(lambda: defaultdict(list))
    for one in entities:
        by_label[one.label][one.text].append(one)
    return {
        label: [
            {"text": name, "score": max(one.score for one in some), "count": len(some)}
            for name, some in sorted(names.items(), key=lambda pair: (-len(pair[1]), pair[0]))[:most]
        ]
        for label, names in sorted(by_label.items())
    }


LONGEST = 20_000
RecogniseEntities = Callable[[Sequence[str]], Sequence[Sequence[NamedEntity]]]
"""The names in each text, in order."""


@dataclass(frozen=True)
class TagEntities:
    """Sets `attributes.entities`: by kind the twenty names found most often, with `meta` about who found them."""

    recognise: RecogniseEntities = field(compare=False)
    model: str
    name: str = "entities"
    version: str = "1"

    def __call__(self, batch: Sequence[Document], context: StepContext) -> Sequence[Outcome]:
        del context
        texts = [f"{document.title}\n{document.text}"[:LONGEST] for document in batch]
        found = self.recognise(texts)
        return [
            self._tag(document, len(text), names)
            for document, text, names in zip(batch, texts, found, strict=True)
        ]

    def _tag(self, document: Document, size: int, names: Sequence[NamedEntity]) -> Document:
        sure = sum(one.score for one in names) / len(names) if names else 0.0
        meta = {"model": self.model, "chars": size, "score": round(sure, 4)}
        attributes = {**document.attributes, "entities": {**count_entities(names), "meta": meta}}
        origins = {**document.origins, "entities": f"model {self.model}"}
        return document.with_changes(attributes=attributes, origins=origins).with_notes(
            names=len(names), model=self.model
        )
