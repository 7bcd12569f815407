"""A recipe: the parts of a pipeline as one value, and the types of these parts."""

from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from headwater.model.alarm import Alarm
from headwater.model.command import Command
from headwater.model.document import Document, Fingerprint, FingerprintLookup
from headwater.model.endpoint import Endpoint
from headwater.model.errors import Permanent, Refused
from headwater.model.fetch_limits import FetchLimits
from headwater.model.http import Capture, Request
from headwater.model.outcomes import (
    Drop,
    Extract,
    ExtractHints,
    PartlySent,
    Reading,
    Sent,
    SetAside,
    Unreadable,
)
from headwater.model.page import PageMode
from headwater.model.questions import ExtractionQuestion
from headwater.model.run_options import RunOptions
from headwater.model.saved_search import Digest
from headwater.model.source import Bar, Lead, Observation, Source, Trigger
from headwater.model.story import Story
from headwater.model.subject import Subject
from headwater.model.suggestion import suggest
from headwater.model.views import DatabaseViews
from headwater.model.web_page import WebPage


@dataclass(frozen=True, slots=True, kw_only=True)
class CapturedPayload:
    """One response of one poll, with the kind and the options of its source."""

    kind: str
    options: Mapping[str, Any]
    at: datetime
    poll_id: str
    page: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedDocument:
    """A kept document as other programs read it."""

    id: str
    kind: str
    attributes: Mapping[str, Any]
    text: str
    record: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectLayout:
    """Names of copies for other programs. `raw` names a payload, `part` a part of a document by the name
    of the part. Names are relative and begin with a bucket."""

    raw: Callable[[CapturedPayload], str]
    part: Callable[[ParsedDocument, str], str]


@dataclass(frozen=True, slots=True)
class LeadBatch:
    """Leads to store at once, so that a crash in the middle of a long listing loses nothing."""

    leads: tuple[Lead, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Discovery:
    """The result of polling a source. The watermark is stored only after all the leads are.

    `after` is the minimum pause before the next poll (a feed's ttl), `within` the maximum (later, entries would be
    missed), `again` the exact pause when the poll was cut short and must be resumed. `moved_to` is the source's new
    address; `is_gone` closes the source for good. `bars` and `observations` are stored as they are and pass no step.
    """

    leads: tuple[Lead, ...] = ()
    bars: tuple[Bar, ...] = ()
    observations: tuple[Observation, ...] = ()
    watermark: Mapping[str, Any] | None = None
    after: timedelta | None = None
    within: timedelta | None = None
    again: timedelta | None = None
    moved_to: str | None = None
    is_gone: bool = False
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Parse:
    """Untrusted bytes for a parser, which the engine runs in a sandbox. The parser is importable by name, or made of values
    that are; its return type says what comes out: records that JSON can carry."""

    parser: Callable[[bytes, ExtractHints], Any]
    data: bytes
    hints: ExtractHints = field(default_factory=ExtractHints)


PollSession = Generator[Request | LeadBatch | Parse, Any, Discovery]
"""A poll of a source, without I/O of its own: it yields requests and is sent the responses, yields bytes to parse and is
sent what the parser returned, yields leads, and returns the result. A request or a parser that fails is raised into it as
Temporary or Permanent."""

Discover = Callable[[Source, datetime], PollSession]
Outcome = Document | Drop | SetAside


@runtime_checkable
class BatchExtract(Protocol):
    """An extractor that reads many documents at less cost than one by one."""

    def __call__(self, data: bytes, hints: ExtractHints) -> Reading | Unreadable: ...

    def read_batch(
        self, items: Sequence[tuple[bytes, ExtractHints]]
    ) -> Iterator[Reading | Unreadable | Permanent]:
        """Yields one result for each item, in order; an item that fails has its own error."""
        ...


class Knowledge(Protocol):
    """What a step may ask about stored documents. Read-only, in batches."""

    def fingerprint_owners(
        self, recipe: str, fingerprints: Sequence[Fingerprint]
    ) -> Mapping[Fingerprint, str]:
        """Returns the document that owns each of these exclusive fingerprints, if there is one."""
        ...

    def documents(self, ids: Sequence[str]) -> Mapping[str, Document]: ...

    def look_up_fingerprints(
        self,
        recipe: str,
        scheme: str,
        fingerprints: Sequence[tuple[str, str]],
        keys: Sequence[int],
        limit: int,
    ) -> FingerprintLookup:
        """Returns the first owner of each fingerprint, and the documents that carry each key: newest first, at most
        `limit` of them."""
        ...

    def originals(self, ids: Sequence[str]) -> Mapping[str, str]:
        """Returns the original of each document that is a duplicate."""
        ...

    def source_hints(self, ids: Sequence[str]) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """Returns the metadata that each source gave for a document, by field name; the first source comes first."""
        ...

    def sentence_story_counts(
        self, recipe: str, sentences: Mapping[str, Collection[int]]
    ) -> Mapping[str, Mapping[int, int]]:
        """Returns in how many different stories each publisher ("" for all together) used each of its sentences."""
        ...


@dataclass(frozen=True, slots=True)
class StepContext:
    """What a step gets besides its batch."""

    recipe: str
    now: datetime
    knowledge: Knowledge


class Step(Protocol):
    """A callable over a batch that returns one outcome per document, in order. Name and version go into the trail."""

    @property
    def name(self) -> str: ...
    @property
    def version(self) -> str: ...
    def __call__(self, batch: Sequence[Document], context: StepContext) -> Sequence[Outcome]: ...


@dataclass(frozen=True, slots=True)
class FunctionStep:
    """A step made of a function of one document."""

    decide: Callable[[Document], Outcome]
    name: str
    version: str

    def __call__(self, batch: Sequence[Document], context: StepContext) -> Sequence[Outcome]:
        del context
        return [self.decide(document) for document in batch]


def each(version: str) -> Callable[[Callable[[Document], Outcome]], FunctionStep]:
    """Decorator that makes a step of a function of one document: `@each(version="1")`."""

    def lift(decide: Callable[[Document], Outcome]) -> FunctionStep:
        return FunctionStep(decide, decide.__name__, version)

    return lift


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """A record to send. `key` is the idempotency key: the same for every attempt at the same revision. `progress` is what
    the sink noted when an earlier attempt reached only some of the receivers."""

    key: str
    route: str
    record: Document | Story | Alarm | Digest
    revision: int
    progress: str = ""


class Sink(Protocol):
    """Where results go. It sends a batch and answers per envelope; it raises Temporary or Permanent for the whole batch."""

    def send(self, envelopes: Sequence[Envelope]) -> Sequence[Sent | PartlySent | Drop]: ...


class Provenance(Protocol):
    """What a sink may ask about the origin of its records. Read-only."""

    def captures(self, ids: Sequence[str]) -> Mapping[str, tuple[Capture, bytes]]:
        """Returns the captures with these ids and their bytes, without those that are missing or damaged."""
        ...

    def leads(self, recipe: str) -> Sequence[Mapping[str, Any]]:
        """Returns all leads of the recipe in the order of their discovery: url, source, kind, version, first_seen_at,
        updated_at, state and reason of the lead, and document_state, document_reason."""
        ...

    def fetched_captures(self, recipe: str) -> Sequence[Capture]:
        """Returns everything that was fetched for a lead, oldest first."""
        ...

    def stories(self, recipe: str) -> Sequence[Story]:
        """Returns the current stories, in the order of their ids."""
        ...


SinkFactory = Callable[[Path, Provenance], Sink]
"""Makes a recipe's own sink, given its output folder and the origin of its records."""


def own_sink_name(recipe: str, sink: str) -> str:
    """The name of a recipe's own sink among those of an installation: a recipe that is like another has its own of each."""
    return f"{recipe}/{sink}"


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
    """Documents of one story, by position in the group, with their similarity."""

    title: str
    members: tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryContext:
    """A story that was just clustered: its documents, the most typical first; its previous version, if there was one; its
    rank in its group, from 1; and the time."""

    story: Story
    documents: tuple[Document, ...]
    before: Story | None
    rank: int
    now: datetime


StoryDescriber = Callable[[Sequence[StoryContext]], Sequence[Story]]
"""Returns the stories of a group in the same order, each with its summary, score, attributes and facts. It must not change id,
group, members or revision."""


AgeStory = Callable[[Story, datetime], Story]
"""Returns the story with what changes by time alone (scores) for the given time. It must be deterministic."""


@dataclass(frozen=True, slots=True)
class SummaryPermission:
    """Permission for a language model to summarise a recipe's stories, where the settings name one. A story has its version
    under `attributes.content`; its `routes` are delivered again when its summary was replaced."""

    routes: tuple[str, ...] = ()


MOST_CLUSTERED = 5_000
"""Documents that one job clusters together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grouping:
    """How documents become stories. `key` names the group of a document (None: no group), `cluster` divides a group's
    documents, which have neither trail nor origins; `settle` is the pause after the last arrival before a group is clustered. With
    `full_documents=False` the documents have only titles, times and addresses, which makes large groups far cheaper. With a `window`, only documents
    published within it (counted back from the newest), new ones without a story, and the whole stories they belong to are clustered;
    older stories stay as they are, so that the cost does not grow with the age of a group; where more than `most` documents are in
    the window, they are clustered in parts. `describe` adds summary, score, attributes and
    facts to stories, all of a group at once. With `describes_documents`, it reads nothing but the documents of a story, so that a story whose members and
    title stay, and of which no document changed, keeps its description. `age` updates score and attributes without new documents; `summary_permission` lets a language model
    summarise. Without it, `summary_hint` tells an operator how to permit that."""

    key: Callable[[Document], str | None]
    cluster: Callable[[Sequence[Document]], Sequence[Cluster]]
    settle: timedelta = timedelta(0)
    full_documents: bool = True
    window: timedelta | None = None
    most: int = MOST_CLUSTERED
    version: str = "1"
    describe: StoryDescriber | None = None
    describes_documents: bool = False
    age: AgeStory | None = None
    summary_permission: SummaryPermission | None = None
    summary_hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """A pipeline as a value. The engine knows no particular recipe.

    `pages` says, per kind of source, what is done with the pages of its items unless the source says so itself; the
    pages of the other kinds are required. `subjects` are those its documents may be about; `layout` names copies for other programs and `views` are created
    in the database for them. `sinks` are the recipe's
    own, by name. `after_run` is called with the output folder at the end of a run: it updates summaries and must leave
    unchanged ones alone. `configure` returns the recipe for the settings of an installation: a file with its sources, if
    any, and its options. `bundled` returns the recipe, for its options, with the sources and subjects that come with its
    package; nothing of that list is polled unless an operator asks for it. `with_data_dir` returns the recipe for a data folder and the encoder of the settings. With `replay_monthly`, all its captures are read again every month, for a report. A subject
    without news for longer than `silence_limit` raises an alarm, and with `warns_if_scattered` stories that mostly have one
    article do. `namespace` prefixes the recipe's names on shared servers;
    it is the recipe's name unless set. `commands` are those it adds to the command line: the table COMMANDS in the
    module `commands` of its package, which the command line reads without building the recipe. `run_options` are those that
    a caller may give for a single run. `fetch_limits` are those of its hosts and kinds of source. `extract_profiles` are
    readers for `headwater extract --profile`. `queue_attributes` are the attributes of documents that its queue items carry;
    `questions` are those that the agent asks about them, by the last part of a queue's name. `endpoints` are its functions in
    the HTTP API, and `web_pages` its pages for people, both by the end of their address. `tables` are those that other
    programs keep beside its rows, in the same database: rows older than so many days are deleted, unless the setting
    `retention.tables` says otherwise.
    """

    name: str
    version: str
    sources: tuple[Source, ...]
    discover: Mapping[str, Discover]
    extract: Mapping[str, Extract]
    steps: tuple[Step, ...]
    trigger: Trigger
    triggers: Mapping[str, Trigger] = field(default_factory=dict)
    replay_monthly: bool = False
    grouping: Grouping | None = None
    routes: tuple[Route, ...] = ()
    canonical: Callable[[str], str] | None = None
    pages: Mapping[str, PageMode] = field(default_factory=dict)
    sinks: Mapping[str, SinkFactory] = field(default_factory=dict)
    after_run: Callable[[Path, Provenance], None] | None = None
    subjects: tuple[Subject, ...] = ()
    layout: ObjectLayout | None = None
    views: DatabaseViews | None = None
    configure: Callable[[Path | None, Mapping[str, Any]], "Recipe"] | None = None
    bundled: Callable[[Mapping[str, Any]], "Recipe"] | None = None
    with_data_dir: Callable[[Path, str], "Recipe"] | None = None
    silence_limit: timedelta | None = None
    warns_if_scattered: bool = False
    namespace: str = ""
    commands: Mapping[str, Command] = field(default_factory=dict)
    run_options: RunOptions | None = None
    fetch_limits: FetchLimits = field(default_factory=FetchLimits)
    extract_profiles: Mapping[str, Extract] = field(default_factory=dict)
    queue_attributes: tuple[str, ...] = ()
    questions: Mapping[str, ExtractionQuestion] = field(default_factory=dict)
    endpoints: Mapping[str, Endpoint] = field(default_factory=dict)
    web_pages: Mapping[str, WebPage] = field(default_factory=dict)
    tables: Mapping[str, int] = field(default_factory=dict)

    @property
    def prefix(self) -> str:
        return self.namespace or self.name

    def page_mode(self, kind: str, setting: PageMode | None) -> PageMode:
        """What is done with the pages of a source of this kind with this setting."""
        return setting or self.pages.get(kind, PageMode.REQUIRE)


def find_recipe(recipes: Mapping[str, Recipe], name: str) -> Recipe:
    if name not in recipes:
        installed = ", ".join(sorted(recipes)) or "none is installed"
        suggestion = suggest(name, recipes) or "."
        raise Refused("unknown_recipe", f"there is no recipe '{name}'{suggestion} There are: {installed}")
    return recipes[name]


class EmptyKnowledge:
    """The knowledge of an empty store, for trying a step on its own."""

    def fingerprint_owners(
        self, recipe: str, fingerprints: Sequence[Fingerprint]
    ) -> Mapping[Fingerprint, str]:
        del recipe, fingerprints
        return {}

    def documents(self, ids: Sequence[str]) -> Mapping[str, Document]:
        del ids
        return {}

    def look_up_fingerprints(
        self,
        recipe: str,
        scheme: str,
        fingerprints: Sequence[tuple[str, str]],
        keys: Sequence[int],
        limit: int,
    ) -> FingerprintLookup:
        del recipe, scheme, fingerprints, keys, limit
        return FingerprintLookup(0, {}, {})

    def originals(self, ids: Sequence[str]) -> Mapping[str, str]:
        del ids
        return {}

    def source_hints(self, ids: Sequence[str]) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        del ids
        return {}

    def sentence_story_counts(
        self, recipe: str, sentences: Mapping[str, Collection[int]]
    ) -> Mapping[str, Mapping[int, int]]:
        del recipe, sentences
        return {}
