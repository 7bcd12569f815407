from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from operator import attrgetter
from typing import Any, Self, TypeVar

from headwater.model.fact import Fact, Finding
from headwater.model.trace import Trace

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
class Mark:
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
    facts: Mapping[str, Finding] = field(default_factory=dict)
    trace: Trace | None = None
    vector: Vector | None = None
    trail: tuple[Mark, ...] = ()
    notes: Mapping[str, Any] = field(default_factory=dict)

    def but(self, **changes: Any) -> Self:
        """With these fields changed: what `dataclasses.replace` does, at a fraction of its cost for so many fields."""
        if not FIELDS.issuperset(changes):
            raise TypeError(f"a document has no field {sorted(set(changes) - FIELDS)}")
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__, **changes)
        return copy

    def fact(self, key: Fact[T]) -> T | None:
        found = self.facts.get(key.name)
        return None if found is None else found.value

    def having(self, key: Fact[T], value: T) -> Self:
        """With `value` under `key`; the engine fills in which step said so."""
        return self.but(facts={**self.facts, key.name: Finding(value)})

    def noting(self, **notes: Any) -> Self:
        """With notes for the history: scores, parts of a score, the rule that decided."""
        return self.but(notes={**self.notes, **notes})


FIELDS = frozenset(f.name for f in fields(Document))
BOOKKEEPING = frozenset({"trail", "notes", "trace", "vector"})
CONTENT_FIELDS = tuple(f.name for f in fields(Document) if f.name not in BOOKKEEPING)

CONTENT = attrgetter(*CONTENT_FIELDS)


def marked(before: Document, after: Document, step: str, version: str) -> Document:
    """`after` with one more line of history: what this step changed, and who said its new facts."""
    pairs = zip(CONTENT_FIELDS, CONTENT(before), CONTENT(after), strict=True)
    changed = tuple(name for name, old, new in pairs if old is not new and old != new)
    facts = after.facts
    if "facts" in changed:
        facts = {
            name: finding if finding.step else Finding(finding.value, step, version)
            for name, finding in after.facts.items()
        }
    mark = Mark(step, version, changed, after.notes)
    return after.but(facts=facts, trail=(*after.trail, mark), notes={})
