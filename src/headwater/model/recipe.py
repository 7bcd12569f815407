"""Where copies of what a recipe captured and made lie, for readers who look for them by name."""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Protocol

from headwater.model.alarm import Alarm
from headwater.model.document import Document, Fingerprint, FingerprintLookup
from headwater.model.http import Capture, Request, Response
from headwater.model.outcomes import Drop, ExtractHints, Reading, Sent, SetAside, Unreadable
from headwater.model.source import Bar, Lead, Observation, Source, Trigger
from headwater.model.story import Story
from headwater.model.subject import Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class CapturedPayload:
    """One answer of one look at a source; `label` is the short name of whom the source is about."""

    kind: str
    label: str | None
    at: datetime
    run: str
    page: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectLayout:
    """`raw` names a payload, `part` a part of a document (by the kind of its source, the label, its id and the part's
    own name). Names are relative and begin with a bucket."""

    raw: Callable[[CapturedPayload], str]
    part: Callable[[str, str | None, str, str], str]


@dataclass(frozen=True, slots=True)
class LeadBatch:
    """Leads found on the way: stored at once, so that a crash in the middle of a long listing loses nothing."""

    leads: tuple[Lead, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Discovery:
    """How a look at a source ended. The watermark is stored only after all the leads are.

    `after` asks for the next look no sooner than that (a feed's ttl), `within` for one no later (or something would
    be missed), `again` for one just then: the look was cut short and goes on; `moved_to` is the source's new home;
    `gone` ends the source for good. `bars` and `observations` are kept as they are, past all steps.
    """

    leads: tuple[Lead, ...] = ()
    bars: tuple[Bar, ...] = ()
    observations: tuple[Observation, ...] = ()
    watermark: Mapping[str, Any] | None = None
    after: timedelta | None = None
    within: timedelta | None = None
    again: timedelta | None = None
    moved_to: str | None = None
    gone: bool = False
    warnings: tuple[str, ...] = ()


PollSession = Generator[Request | LeadBatch, Response | None, Discovery]
"""A look at a source, without I/O of its own: it yields requests and gets their answers, yields what it found, and
returns how it ended. A failed request is raised into it as Temporary or Permanent."""

Discover = Callable[[Source, datetime], PollSession]
Extract = Callable[[bytes, ExtractHints], Reading | Unreadable]
Outcome = Document | Drop | SetAside


class Knowledge(Protocol):
    """What a step may ask about the documents that are stored already. Reads only, in batches."""

    def fingerprint_owners(
        self, recipe: str, fingerprints: Sequence[Fingerprint]
    ) -> Mapping[Fingerprint, str]:
        """Which document, if any, holds each of these exclusive fingerprints."""
        ...

    def documents(self, ids: Sequence[str]) -> Mapping[str, Document]: ...

    def look_up_fingerprints(
        self, recipe: str, scheme: str, prints: Sequence[tuple[str, str]], keys: Sequence[int], limit: int
    ) -> FingerprintLookup:
        """Who carried these fingerprints first, and which documents carry each key: the newest first, at most
        `limit` of them."""
        ...

    def originals(self, ids: Sequence[str]) -> Mapping[str, str]:
        """Of each document that is a copy, the original."""
        ...

    def source_hints(self, ids: Sequence[str]) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """What sources said about each document besides its content, by field name: who told of it first comes
        first."""
        ...

    def sentence_story_counts(
        self, recipe: str, publishers: Sequence[str], sentences: Sequence[int]
    ) -> Mapping[str, Mapping[int, int]]:
        """In how many different stories each publisher ("" for all together) used each of the sentences."""
        ...


@dataclass(frozen=True, slots=True)
class StepContext:
    """What a step is handed besides its batch."""

    recipe: str
    now: datetime
    knowledge: Knowledge


class Step(Protocol):
    """A callable over a batch: one outcome per document, in order. Name and version go into the history."""

    @property
    def name(self) -> str: ...
    @property
    def version(self) -> str: ...
    def __call__(self, batch: Sequence[Document], context: StepContext) -> Sequence[Outcome]: ...


@dataclass(frozen=True, slots=True)
class FunctionStep:
    """A per-document function as a step."""

    decide: Callable[[Document], Outcome]
    name: str
    version: str

    def __call__(self, batch: Sequence[Document], context: StepContext) -> Sequence[Outcome]:
        del context
        return [self.decide(document) for document in batch]


def each(version: str) -> Callable[[Callable[[Document], Outcome]], FunctionStep]:
    """Lift a function of one document to a step: `@each(version="1")`."""

    def lift(decide: Callable[[Document], Outcome]) -> FunctionStep:
        return FunctionStep(decide, decide.__name__, version)

    return lift


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """One thing to deliver. `key` is the idempotency key: the same for every attempt at the same revision."""

    key: str
    route: str
    record: Document | Story | Alarm
    revision: int


class Sink(Protocol):
    """Where results go. Sends a batch, answers per parcel; raises Temporary or Permanent for the whole batch."""

    def send(self, envelopes: Sequence[Envelope]) -> Sequence[Sent | Drop]: ...


class Provenance(Protocol):
    """What a sink may ask about where its records came from. Reads only."""

    def captures(self, ids: Sequence[str]) -> Mapping[str, tuple[Capture, bytes]]:
        """The captures with these ids and their bytes; what is missing or damaged is missing from the answer."""
        ...

    def leads(self, recipe: str) -> Sequence[Mapping[str, Any]]:
        """Everything the recipe's sources told of, in the order of its discovery: url, source, kind, version,
        first_seen_at, updated_at, state and reason of the lead, and document_state, document_reason."""
        ...

    def fetched_captures(self, recipe: str) -> Sequence[Capture]:
        """Everything that was fetched for a lead, oldest first."""
        ...

    def stories(self, recipe: str) -> Sequence[Story]:
        """The stories that are told now, in the order of their ids."""
        ...


SinkFactory = Callable[[Path, Provenance], Sink]
"""A recipe's own sink, given its output folder and where its records came from."""


def always(record: Document | Story) -> bool:
    del record
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """Records of one kind for which `when` holds go to the sink of this name."""

    name: str
    sink: str
    of: str = "document"
    when: Callable[[Any], bool] = always


@dataclass(frozen=True, slots=True)
class Cluster:
    """Documents that tell one story, by position in the batch that was grouped, with their similarity."""

    title: str
    members: tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryContext:
    """A story as it was just divided: its documents, the one most like it first; how it stood before, if it did; its
    place in its group, from 1; and the time."""

    story: Story
    documents: tuple[Document, ...]
    before: Story | None
    rank: int
    now: datetime


DescribeStory = Callable[[StoryContext], Story]
"""The story with what is said of it as a whole. Its id, group, members and revision are not the describer's to change."""


AgeStory = Callable[[Story, datetime], Story]
"""The story with what changes by time alone as it stands then; the same story at the same time gives the same."""


@dataclass(frozen=True, slots=True)
class LlmSummary:
    """That a language model may summarise a recipe's stories, where the settings name one. A story says its version under
    `attributes.content`; `routes` are told again when its summary was replaced."""

    routes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Grouping:
    """How documents become stories: `key` names the group of a document (None: no group), `cluster` divides a
    group's documents, `settle` is how long a group rests after the last arrival before it is gathered. A cluster that
    needs no more than titles, times and addresses says so by `whole=False`: large groups then cost far less. `describe`
    adds what there is to say of a story as a whole: summary, score, attributes, facts. `age` brings score and attributes
    up to date without new documents; `retelling` lets a language model summarise."""

    key: Callable[[Document], str | None]
    cluster: Callable[[Sequence[Document]], Sequence[Cluster]]
    settle: timedelta = timedelta(0)
    full_documents: bool = True
    version: str = "1"
    describe: "DescribeStory | None" = None
    age: AgeStory | None = None
    llm_summary: LlmSummary | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """A pipeline as a value. The engine knows no recipe.

    `subjects` are those whom its documents may be about; `layout` names copies for other readers. `sinks` are those that
    only this recipe has, by name. `closing` is called with the recipe's output folder when a run has ended: it brings
    summaries up to date, and must leave alone what has not changed. `configure` makes the recipe anew from what an
    installation's settings say about it: a file with its sources, if any, and its options. `housed` makes it anew for a
    data folder and the encoder of the settings, for a recipe that needs one of them. `quiet`: a subject of which nothing
    came for longer is worth an alarm. `namespace` begins the names that it has on a server which others use too; without
    one it is the recipe's name.
    """

    name: str
    version: str
    sources: tuple[Source, ...]
    discover: Mapping[str, Discover]
    extract: Mapping[str, Extract]
    steps: tuple[Step, ...]
    trigger: Trigger
    triggers: Mapping[str, Trigger] = field(default_factory=dict)
    grouping: Grouping | None = None
    routes: tuple[Route, ...] = ()
    canonical: Callable[[str], str] | None = None
    sinks: Mapping[str, SinkFactory] = field(default_factory=dict)
    after_run: Callable[[Path, Provenance], None] | None = None
    subjects: tuple[Subject, ...] = ()
    layout: ObjectLayout | None = None
    configure: Callable[[Path | None, Mapping[str, Any]], "Recipe"] | None = None
    with_data_dir: Callable[[Path, str], "Recipe"] | None = None
    silence_limit: timedelta | None = None
    namespace: str = ""

    @property
    def prefix(self) -> str:
        return self.namespace or self.name


class EmptyKnowledge:
    """Every question about stored documents is answered with nothing."""

    def fingerprint_owners(
        self, recipe: str, fingerprints: Sequence[Fingerprint]
    ) -> Mapping[Fingerprint, str]:
        del recipe, fingerprints
        return {}

    def documents(self, ids: Sequence[str]) -> Mapping[str, Document]:
        del ids
        return {}

    def look_up_fingerprints(
        self, recipe: str, scheme: str, prints: Sequence[tuple[str, str]], keys: Sequence[int], limit: int
    ) -> FingerprintLookup:
        del recipe, scheme, prints, keys, limit
        return FingerprintLookup(0, {}, {})

    def originals(self, ids: Sequence[str]) -> Mapping[str, str]:
        del ids
        return {}

    def source_hints(self, ids: Sequence[str]) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        del ids
        return {}

    def sentence_story_counts(
        self, recipe: str, publishers: Sequence[str], sentences: Sequence[int]
    ) -> Mapping[str, Mapping[int, int]]:
        del recipe, publishers, sentences
        return {}
