from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from operator import attrgetter
from typing import Any, Generic, Self, TypeVar

FactType = TypeVar("FactType")


@dataclass(frozen=True, slots=True)
class FactKey(Generic[FactType]):
    """A typed key for what a step or a recipe found out.

    The engine stores the value as JSON and never learns the type; whoever holds the key reads it back typed.
    """

    name: str
    kind: type[FactType]


@dataclass(frozen=True, slots=True)
class FactValue:
    """A fact's value with the one who said it."""

    value: Any
    step: str = ""
    version: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """What is remembered of a document, kept or not, so that a later copy of it is recognised.

    `epoch` is how far the memory had come when it was asked about this document: if somebody remembered something
    alike since, the document must be decided again.
    """

    scheme: str
    prints: tuple[tuple[str, str], ...]
    keys: tuple[int, ...]
    sentences: tuple[int, ...]
    publisher: str
    original: str
    epoch: int


@dataclass(frozen=True, slots=True)
class FingerprintLookup:
    """What the memory knows about some fingerprints and keys: their first and their latest holders."""

    epoch: int
    owners: Mapping[tuple[str, str], str]
    holders: Mapping[int, Sequence[str]]


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """One way to recognise a document again. An exclusive one belongs to one document of a recipe only."""

    kind: str
    value: str
    exclusive: bool = True


@dataclass(frozen=True, slots=True)
class Mention:
    """A subject found in the text, with where and how surely."""

    subject: str
    kind: str
    confidence: float
    count: int = 1
    offsets: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Vector:
    """What a text means to a model: a unit vector, as 32-bit floats in little-endian order."""

    model: str
    values: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Edge:
    """A link to an earlier document: `duplicate` ends the later one, `related` keeps both."""

    to: str
    relation: str
    rule: str
    score: float = 1.0
    evidence: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TrailEntry:
    """One line of a document's history: which step ran, in which version, what it changed and what it noted."""

    step: str
    version: str
    changed: tuple[str, ...] = ()
    notes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Document:
    """Text, metadata and facts. A step returns a changed copy; the engine notes which step changed which field.

    `origins` says, per field, which evidence the value came from ("json-ld datePublished", "feed entry").
    """

    id: str
    recipe: str
    source: str
    lead: str
    url: str
    capture: str | None = None
    revision: int = 1
    canonical_url: str = ""
    title: str = ""
    text: str = ""
    authors: tuple[str, ...] = ()
    publisher: str = ""
    published: datetime | None = None
    modified: datetime | None = None
    language: str = ""
    description: str = ""
    keywords: tuple[str, ...] = ()
    image: str = ""
    media_type: str = ""
    guid: str = ""
    group: str | None = None
    subjects: tuple[str, ...] = ()
    quality: float | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)
    origins: Mapping[str, str] = field(default_factory=dict)
    fingerprints: tuple[Fingerprint, ...] = ()
    mentions: tuple[Mention, ...] = ()
    edges: tuple[Edge, ...] = ()
    facts: Mapping[str, FactValue] = field(default_factory=dict)
    trace: Trace | None = None
    vector: Vector | None = None
    trail: tuple[TrailEntry, ...] = ()
    notes: Mapping[str, Any] = field(default_factory=dict)

    def with_changes(self, **changes: Any) -> Self:
        """With these fields changed: what `dataclasses.replace` does, at a fraction of its cost for so many fields."""
        if not FIELDS.issuperset(changes):
            raise TypeError(f"a document has no field {sorted(set(changes) - FIELDS)}")
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__, **changes)
        return copy

    def fact(self, key: FactKey[T]) -> T | None:
        found = self.facts.get(key.name)
        return None if found is None else found.value

    def with_fact(self, key: FactKey[T], value: T) -> Self:
        """With `value` under `key`; the engine fills in which step said so."""
        return self.with_changes(facts={**self.facts, key.name: FactValue(value)})

    def with_notes(self, **notes: Any) -> Self:
        """With notes for the history: scores, parts of a score, the rule that decided."""
        return self.with_changes(notes={**self.notes, **notes})


FIELDS = frozenset(f.name for f in fields(Document))
BOOKKEEPING = frozenset({"trail", "notes", "trace", "vector"})
CONTENT_FIELDS = tuple(f.name for f in fields(Document) if f.name not in BOOKKEEPING)

CONTENT = attrgetter(*CONTENT_FIELDS)


def with_trail_entry(before: Document, after: Document, step: str, version: str) -> Document:
    """`after` with one more line of history: what this step changed, and who said its new facts."""
    pairs = zip(CONTENT_FIELDS, CONTENT(before), CONTENT(after), strict=True)
    changed = tuple(name for name, old, new in pairs if old is not new and old != new)
    facts = after.facts
    if "facts" in changed:
        facts = {
            name: finding if finding.step else FactValue(finding.value, step, version)
            for name, finding in after.facts.items()
        }
    mark = TrailEntry(step, version, changed, after.notes)
    return after.with_changes(facts=facts, trail=(*after.trail, mark), notes={})
