"""Documents: text, metadata and facts, each with the history of how it came to be."""

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from datetime import datetime
from operator import attrgetter
from typing import Any, Generic, Self, TypeVar

T = TypeVar("T")

SUPERSEDES = "supersedes"
"""The relation of a document to one with a part of its text, which thereby becomes a duplicate of it."""

FIELD_PLACES = "field_places"
"""The attribute in which a recipe explains its own fields: `field`, `value`, `place` in the captured bytes, `passage`, `by`, what
placed it, and `attribute`, the one that holds the values. `headwater explain` and the page of a document show it."""

FROM_SOURCE = "source"
"""The origin of a field that the source of the document provided."""

FROM_SOURCE_TEXT = "source text"
"""The origin of a text that the source delivered with its entry, and that is more than a summary."""

FROM_ADDRESS = "address"
"""The origin of a field that was derived from the address of the page, because the page does not state it."""


@dataclass(frozen=True, slots=True)
class FactKey(Generic[T]):
    """A typed key for a fact that a step or a recipe adds to a document.

    The engine stores the value as JSON and never learns its type; code that holds the key reads it back typed.
    """

    name: str
    kind: type[T]


@dataclass(frozen=True, slots=True)
class FactValue:
    """The value of a fact, with the step that set it."""

    value: Any
    step: str = ""
    version: str = ""


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """One way to recognise a document again. An exclusive fingerprint belongs to one document of a recipe only."""

    kind: str
    value: str
    exclusive: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class DedupeRecord:
    """What the dedupe index stores of a document, kept or not, so that a later copy of it is recognised.

    `epoch` is the state of the index when it was queried for this document: if something similar was added since, the
    document must be decided again.
    """

    scheme: str
    fingerprints: tuple[tuple[str, str], ...]
    keys: tuple[int, ...]
    sentences: tuple[int, ...]
    publisher: str
    original: str
    epoch: int


@dataclass(frozen=True, slots=True)
class FingerprintLookup:
    """The answer of the dedupe index: the first owner of each fingerprint, and the latest holders of each key."""

    epoch: int
    owners: Mapping[tuple[str, str], str]
    holders: Mapping[int, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Mention:
    """A subject named in the text, with its positions and how certain the match is."""

    subject: str
    kind: str
    confidence: float
    count: int = 1
    offsets: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Vector:
    """The embedding of a text by a model: a unit vector, as 32-bit floats in little-endian order."""

    model: str
    values: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Edge:
    """A link to an earlier document: `duplicate` ends the later one, `supersedes` the earlier one, `related` keeps both."""

    to: str
    relation: str
    rule: str
    score: float = 1.0
    evidence: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TrailEntry:
    """One entry of a document's history: which step ran, in which version, what it changed and what it noted."""

    step: str
    version: str
    changed: tuple[str, ...] = ()
    notes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Document:
    """A step returns a changed copy of a document; the engine records which step changed which field.

    `origins` names, per field, the evidence for its value ("json-ld datePublished", "feed entry"). `page` is the state
    of its page (`PageState`).
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
    page: str = ""
    group: str | None = None
    subjects: tuple[str, ...] = ()
    quality: float | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)
    origins: Mapping[str, str] = field(default_factory=dict)
    fingerprints: tuple[Fingerprint, ...] = ()
    mentions: tuple[Mention, ...] = ()
    edges: tuple[Edge, ...] = ()
    facts: Mapping[str, FactValue] = field(default_factory=dict)
    dedupe_record: DedupeRecord | None = None
    vector: Vector | None = None
    trail: tuple[TrailEntry, ...] = ()
    notes: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of_values(cls, values: Mapping[str, Any]) -> Self:
        """Returns `cls(**values)` in a third of the time: a frozen class sets each of so many fields by a call."""
        if not (FIELDS.issuperset(values) and values.keys() >= REQUIRED):
            raise TypeError(
                f"unknown or missing: {sorted(values.keys() - FIELDS | REQUIRED - values.keys())}"
            )
        document = object.__new__(cls)
        document.__dict__.update(DEFAULTS, attributes={}, origins={}, facts={}, notes={})
        document.__dict__.update(values)
        return document

    def with_changes(self, **changes: Any) -> Self:
        """Returns a copy with these fields changed, like `dataclasses.replace` but much faster for so many fields."""
        if not FIELDS.issuperset(changes):
            raise TypeError(f"a document has no field {sorted(set(changes) - FIELDS)}")
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__, **changes)
        return copy

    def fact(self, key: FactKey[T]) -> T | None:
        fact = self.facts.get(key.name)
        return None if fact is None else fact.value

    def with_fact(self, key: FactKey[T], value: T) -> Self:
        """Returns a copy with `value` under `key`; the engine fills in the step that set it."""
        return self.with_changes(facts={**self.facts, key.name: FactValue(value)})

    def with_notes(self, **notes: Any) -> Self:
        """Returns a copy with notes for the trail: scores, parts of a score, the rule that decided."""
        return self.with_changes(notes={**self.notes, **notes})


FIELDS = frozenset(f.name for f in fields(Document))
DEFAULTS = {f.name: None if f.default is MISSING else f.default for f in fields(Document)}
REQUIRED = frozenset(
    f.name for f in fields(Document) if f.default is MISSING and f.default_factory is MISSING
)
BOOKKEEPING = frozenset({"trail", "notes", "dedupe_record", "vector"})
CONTENT_FIELDS = tuple(f.name for f in fields(Document) if f.name not in BOOKKEEPING)

CONTENT = attrgetter(*CONTENT_FIELDS)


def with_trail_entry(before: Document, after: Document, step: str, version: str) -> Document:
    """Returns `after` with one more trail entry: what this step changed, and that its new facts are its own."""
    values = zip(CONTENT_FIELDS, CONTENT(before), CONTENT(after), strict=True)
    changed = tuple(name for name, old, new in values if old is not new and old != new)
    facts = after.facts
    if "facts" in changed:
        facts = {
            name: fact if fact.step else FactValue(fact.value, step, version)
            for name, fact in after.facts.items()
        }
    entry = TrailEntry(step, version, changed, after.notes)
    return after.with_changes(facts=facts, trail=(*after.trail, entry), notes={})
