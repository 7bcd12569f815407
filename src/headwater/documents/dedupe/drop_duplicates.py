"""The dedupe ladder over stored documents: exact rungs first, then near copies, verified against the text."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from headwater.documents.dedupe.articles import (
    UNDATED,
    Article,
    Decision,
    TraceFingerprint,
    publication_order,
)
from headwater.documents.dedupe.deduplicator import PER_KEY, DedupeProfile, Deduplicator, PageCache
from headwater.documents.dedupe.index import IndexEntry, MemoryIndex
from headwater.documents.dedupe.page import ALL_PUBLISHERS, REPEATS_ANYWHERE, REPEATS_AT_PUBLISHER
from headwater.documents.dedupe.rules import CANDIDATES, DEFAULT, LEAST_SUPPORT
from headwater.model.document import Document, Edge, FingerprintLookup, Trace
from headwater.model.outcomes import Drop
from headwater.model.recipe import Knowledge, Outcome, StepContext
from headwater.text.urls import host_of


def to_article(document: Document) -> Article:
    return Article(
        id=document.id,
        title=document.title,
        body=document.text,
        url=document.canonical_url or document.url,
        guid=document.guid,
        publisher=document.publisher or host_of(document.url),
        published_at=document.published,
    )


@dataclass(frozen=True)
class DropDuplicates:
    """Ends copies of stored documents, with the evidence, and links what is merely related. Within a batch the
    earliest stays, whatever the order. The ladder is the profile's; its name and version go into the history."""

    profile: DedupeProfile = DEFAULT
    name: str = "duplicates"

    @property
    def version(self) -> str:
        return f"{self.profile.name}-{self.profile.version}"

    def __call__(self, batch: Sequence[Document], context: StepContext) -> Sequence[Outcome]:
        articles = [to_article(document) for document in batch]
        pages = PageCache()
        marks = {article.id: self.profile.marks(pages.of(article)) for article in articles}
        recollection = context.knowledge.look_up_fingerprints(
            context.recipe,
            self.profile.scheme,
            sorted({(p.algorithm, p.value) for some in marks.values() for p in some.prints}),
            sorted({one for some in marks.values() for one in some.keys}),
            PER_KEY,
        )
        memory = StoredIndex(context.recipe, context.knowledge, recollection)
        memory.prepare(
            {one: some.keys for one, some in marks.items()},
            [document.id for document in batch if document.revision > 1],
        )
        memory.count_ahead({article.id: article for article in articles}, pages)
        deduplicator = Deduplicator(self.profile, memory, pages)
        outcomes: dict[str, Outcome] = {}
        documents = {document.id: document for document in batch}
        for article in sorted(articles, key=publication_order):
            memory.deciding = article
            decision, entry = deduplicator.decide(article, marks[article.id])
            memory.add(entry)
            trace = _trace(entry, recollection.epoch)
            outcomes[article.id] = _outcome(documents[article.id], decision, trace)
        return [outcomes[document.id] for document in batch]


def _trace(entry: IndexEntry, epoch: int) -> Trace:
    return Trace(
        scheme=entry.scheme,
        prints=tuple((one.algorithm, one.value) for one in entry.fingerprints),
        keys=entry.keys,
        sentences=entry.sentences,
        publisher=entry.article.publisher,
        original=entry.original,
        epoch=epoch,
    )


def _outcome(document: Document, decision: Decision, trace: Trace) -> Outcome:
    if decision.duplicate_of is not None:
        return Drop(
            f"duplicate:{decision.rule}",
            of=decision.duplicate_of,
            score=decision.score,
            evidence=decision.evidence,
            trace=trace,
        )
    edges = tuple(
        Edge(original, "related", decision.rule, decision.score, decision.evidence)
        for original in decision.related_to
    )
    return replace(document, edges=(*document.edges, *edges), trace=trace)


@dataclass
class StoredIndex:
    """What is stored, as the ladder's index; on top of it what this batch has added.

    A document that was decided before meets those that came after it when it is decided again. It is no copy of them.
    """

    recipe: str
    knowledge: Knowledge
    stored: FingerprintLookup
    batch: MemoryIndex = field(default_factory=MemoryIndex)
    articles: dict[str, Article | None] = field(default_factory=dict)
    copies: dict[str, str] = field(default_factory=dict)
    told: defaultdict[str, dict[int, int]] = field(default_factory=lambda: defaultdict(dict))
    rivals: dict[str, list[str]] = field(default_factory=dict)
    deciding: Article | None = None
    revised: frozenset[str] = frozenset()
    counted: frozenset[str] = frozenset()

    def prepare(self, keys: Mapping[str, Sequence[int]], revised: Sequence[str]) -> None:
        """Read what the batch will most likely ask for, in one go."""
        self.counted = frozenset(revised)
        self.revised = self.counted - self.knowledge.originals(revised).keys()
        likely = set(self.stored.owners.values())
        for article, some in keys.items():
            weights: defaultdict[str, float] = defaultdict(float)
            for key in some:
                holders = self.stored.holders.get(key, ())
                for document in holders:
                    weights[document] += 1 / len(holders)
            best = sorted(weights, key=lambda one: -weights[one])[: 2 * CANDIDATES]
            likely.update(best)
            self.rivals[article] = [one for one in best[:CANDIDATES] if weights[one] >= LEAST_SUPPORT]
        self._load(sorted(likely))

    def count_ahead(self, batch: Mapping[str, Article], pages: PageCache) -> None:
        """Ask once per publisher for the sentences of what will be compared, instead of once per comparison."""
        compared = [one for one, rivals in self.rivals.items() if rivals]
        met = {one for some in self.rivals.values() for one in some}
        articles = [*(batch[one] for one in compared), *(self.articles[one] for one in sorted(met))]
        asked: defaultdict[str, set[int]] = defaultdict(set)
        for article in articles:
            if article is not None:
                asked[article.publisher].update(pages.of(article).parts.hashes)
        for publisher, sentences in asked.items():
            self._count_stored((ALL_PUBLISHERS, publisher) if publisher else (ALL_PUBLISHERS,), sentences)

    def _load(self, ids: Sequence[str]) -> None:
        found = self.knowledge.documents(ids)
        self.articles |= {one: to_article(found[one]) if one in found else None for one in ids}
        self.copies |= self.knowledge.originals(ids)

    def same(self, fingerprints: Sequence[TraceFingerprint]) -> Mapping[TraceFingerprint, str]:
        stored = {one: (one.algorithm, one.value) for one in fingerprints}
        known = {one: self.stored.owners[pair] for one, pair in stored.items() if pair in self.stored.owners}
        found = {**self.batch.same(fingerprints), **known}
        return {one: owner for one, owner in found.items() if not self._came_after(owner)}

    def holders(self, scheme: str, keys: Sequence[int], limit: int) -> Mapping[int, Sequence[str]]:
        fresh = self.batch.holders(scheme, keys, limit)
        both = {key: (*fresh.get(key, ()), *self.stored.holders.get(key, ()))[:limit] for key in keys}
        return {key: documents for key, documents in both.items() if documents}

    def article(self, document: str) -> Article | None:
        found = self._article(document)
        return None if self._came_after(document) else found

    def _came_after(self, document: str) -> bool:
        """Whether it is a copy of what is being decided, or was published after that had been kept."""
        mine, other = self.deciding, self._article(document)
        if mine is None or document == mine.id:
            return False
        if self.original(document) == mine.id:
            return True
        if mine.id not in self.revised or other is None:
            return False
        return (other.published_at or UNDATED) > (mine.published_at or UNDATED)

    def _article(self, document: str) -> Article | None:
        fresh = self.batch.article(document)
        if fresh is not None:
            return fresh
        if document not in self.articles:
            self._load([document])
        return self.articles[document]

    def original(self, document: str) -> str:
        if document in self.copies:
            return self.copies[document]
        return self.batch.original(document)

    def repeated(self, publisher: str, sentences: Collection[int]) -> frozenset[int]:
        """Stories that are stored and stories of this batch count alike."""
        limits = {ALL_PUBLISHERS: REPEATS_ANYWHERE} | ({publisher: REPEATS_AT_PUBLISHER} if publisher else {})
        self._count_stored(tuple(limits), sentences)
        stories = self.batch.stories
        return frozenset(
            one
            for name, least in limits.items()
            for counts in [self.told[name]]
            for one in sentences
            if counts[one] + stories(name, one) >= least
        )

    def _count_stored(self, publishers: Sequence[str], sentences: Collection[int]) -> None:
        asked = {one for name in publishers for one in sentences if one not in self.told[name]}
        if not asked:
            return
        found = self.knowledge.sentence_story_counts(self.recipe, publishers, sorted(asked))
        for name in publishers:
            counts = found.get(name, {})
            self.told[name].update((one, counts.get(one, 0)) for one in asked)

    def add(self, entry: IndexEntry) -> None:
        """A copy of a stored document is no further story, nor is one that was counted before."""
        copy = entry.original != entry.article.id and self.batch.article(entry.original) is None
        told_before = copy or entry.article.id in self.counted
        self.batch.add(replace(entry, sentences=()) if told_before else entry)
