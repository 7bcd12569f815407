"""The duplicates step: dedupe rules against stored documents, exact matches first, then verified near copies."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, filterfalse

from headwater.documents.dedupe.articles import (
    UNDATED,
    Article,
    ArticleFingerprint,
    Decision,
    publication_order,
)
from headwater.documents.dedupe.deduplicator import (
    PER_KEY,
    ArticleKeys,
    DedupeProfile,
    Deduplicator,
    PageCache,
)
from headwater.documents.dedupe.index import IndexEntry, MemoryIndex, as_copy
from headwater.documents.dedupe.page import ALL_PUBLISHERS, REPEATS_ANYWHERE, REPEATS_AT_PUBLISHER
from headwater.documents.dedupe.rules import CANDIDATES, DEFAULT, MIN_SUPPORT
from headwater.model.document import SUPERSEDES, DedupeRecord, Document, Edge, FingerprintLookup
from headwater.model.outcomes import Drop
from headwater.model.page import has_whole_text
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
        partial=not has_whole_text(document.page),
    )


@dataclass(frozen=True)
class DropDuplicates:
    """Drops copies of stored documents, with evidence, and links related ones. Within a batch the earliest article
    stays, whatever the order. The name and version of the profile go into the trail."""

    profile: DedupeProfile = DEFAULT
    name: str = "duplicates"

    @property
    def version(self) -> str:
        return f"{self.profile.name}-{self.profile.version}"

    def __call__(self, batch: Sequence[Document], context: StepContext) -> Sequence[Outcome]:
        articles = [to_article(document) for document in batch]
        pages = PageCache()
        keys = {
            article.id: article_keys
            for article, article_keys in zip(
                articles, self.profile.keys_of(pages.get_all(articles)), strict=True
            )
        }
        stored = self._look_up(keys.values(), context)
        index = StoredIndex(context.recipe, context.knowledge, stored)
        index.prepare(
            {article: article_keys.keys for article, article_keys in keys.items()},
            [document.id for document in batch if document.revision > 1],
            least_support=self.profile.least_support,
        )
        index.count_ahead({article.id: article for article in articles}, pages)
        deduplicator = Deduplicator(self.profile, index, pages)
        outcomes: dict[str, Outcome] = {}
        documents = {document.id: document for document in batch}
        for article in sorted(articles, key=publication_order):
            index.current = article
            decision, entry = index.keep_superseded(*deduplicator.decide(article, keys[article.id]))
            index.add(entry)
            outcomes[article.id] = _outcome(
                documents[article.id], decision, _dedupe_record(entry, stored.epoch)
            )
        return [outcomes[document.id] for document in batch]

    def _look_up(self, batch_keys: Collection[ArticleKeys], context: StepContext) -> FingerprintLookup:
        fingerprints = {
            (fingerprint.algorithm, fingerprint.value)
            for article_keys in batch_keys
            for fingerprint in article_keys.fingerprints
        }
        keys = {key for article_keys in batch_keys for key in article_keys.keys}
        return context.knowledge.look_up_fingerprints(
            context.recipe, self.profile.scheme, sorted(fingerprints), sorted(keys), PER_KEY
        )


def _dedupe_record(entry: IndexEntry, epoch: int) -> DedupeRecord:
    return DedupeRecord(
        scheme=entry.scheme,
        fingerprints=tuple((fingerprint.algorithm, fingerprint.value) for fingerprint in entry.fingerprints),
        keys=entry.keys,
        sentences=entry.sentences,
        publisher=entry.article.publisher,
        original=entry.original,
        epoch=epoch,
    )


def _outcome(document: Document, decision: Decision, record: DedupeRecord) -> Outcome:
    if decision.duplicate_of is not None:
        return Drop(
            f"duplicate:{decision.rule}",
            of=decision.duplicate_of,
            score=decision.score,
            evidence=decision.evidence,
            dedupe_record=record,
        )
    edges = tuple(
        Edge(original, "related", decision.rule, decision.score, decision.evidence)
        for original in decision.related_to
    )
    edges += tuple(
        Edge(part, SUPERSEDES, decision.rule, decision.score, decision.evidence)
        for part in decision.superseded
    )
    return document.with_changes(edges=(*document.edges, *edges), dedupe_record=record)


@dataclass
class StoredIndex:
    """The dedupe index over what is stored, plus what this batch adds.

    When a document is decided again, the index also holds documents that came after it. It is not a copy of those.
    """

    recipe: str
    knowledge: Knowledge
    lookup: FingerprintLookup
    batch: MemoryIndex = field(default_factory=MemoryIndex)
    articles: dict[str, Article | None] = field(default_factory=dict)
    originals: dict[str, str] = field(default_factory=dict)
    story_counts: defaultdict[str, dict[int, int]] = field(default_factory=lambda: defaultdict(dict))
    candidates: dict[str, list[str]] = field(default_factory=dict)
    rare_sentences: frozenset[int] = frozenset()
    """Those that too few stories have to be repeated, whatever this batch adds."""
    current: Article | None = None
    kept_before: frozenset[str] = frozenset()
    originals_before: dict[str, str] = field(default_factory=dict)
    counted_before: frozenset[str] = frozenset()

    def prepare(
        self, keys: Mapping[str, Sequence[int]], revised: Sequence[str], least_support: float
    ) -> None:
        """Read in one query what the batch will most likely need. Other articles of the batch that share a key only make a stored
        one less alike, so that one with less than the least support never gets it."""
        self.counted_before = frozenset(revised)
        self.originals_before = dict(self.knowledge.originals(revised))
        self.kept_before = self.counted_before - self.originals_before.keys()
        needed = set(self.lookup.owners.values())
        for article, article_keys in keys.items():
            weights: defaultdict[str, float] = defaultdict(float)
            for key in article_keys:
                holders = self.lookup.holders.get(key, ())
                for document in holders:
                    weights[document] += 1 / len(holders)
            best = sorted(weights, key=lambda document: -weights[document])[: 2 * CANDIDATES]
            needed.update(document for document in best if weights[document] >= least_support)
            self.candidates[article] = [
                document for document in best[:CANDIDATES] if weights[document] >= MIN_SUPPORT
            ]
        self._load(sorted(needed))

    def count_ahead(self, batch: Mapping[str, Article], pages: PageCache) -> None:
        """Count the sentences of all articles to compare, with one query instead of one per comparison, and a second one for
        those that a publisher may repeat: few are used often enough by all together."""
        compared = [batch[article] for article, candidates in self.candidates.items() if candidates]
        stored = {document for candidates in self.candidates.values() for document in candidates}
        candidates = (self.articles[document] for document in sorted(stored))
        sentences: defaultdict[str, set[int]] = defaultdict(set)
        for page in pages.get_all([*compared, *filter(None, candidates)]):
            sentences[page.article.publisher].update(page.sentences.hashes)
        everywhere = set[int]().union(*sentences.values())
        self._count_stored({ALL_PUBLISHERS: everywhere})
        of_batch = Counter(
            chain.from_iterable(page.sentences.hashes for page in pages.get_all(list(batch.values())))
        )
        counts = self.story_counts[ALL_PUBLISHERS]
        frequent = {
            sentence
            for sentence in everywhere
            if counts[sentence] + of_batch[sentence] >= REPEATS_AT_PUBLISHER
        }
        self.rare_sentences = frozenset(everywhere - frequent)
        self._count_stored({name: frequent.intersection(hashes) for name, hashes in sentences.items()})

    def _load(self, ids: Sequence[str]) -> None:
        documents = self.knowledge.documents(ids)
        originals = self.knowledge.originals(ids)
        texts = self._originals_of_copies(set(originals.values()) - set(ids)) | {
            key: to_article(document) for key, document in documents.items() if key not in originals
        }
        self.articles |= {
            key: as_copy(to_article(documents[key]), texts.get(originals.get(key, "")))
            if key in documents
            else None
            for key in ids
        }
        self.originals |= originals

    def _originals_of_copies(self, ids: Collection[str]) -> dict[str, Article]:
        documents = self.knowledge.documents(sorted(ids)) if ids else {}
        return {key: to_article(document) for key, document in documents.items()}

    def owners(self, fingerprints: Sequence[ArticleFingerprint]) -> Mapping[ArticleFingerprint, str]:
        stored = {
            fingerprint: self.lookup.owners[fingerprint.algorithm, fingerprint.value]
            for fingerprint in fingerprints
            if (fingerprint.algorithm, fingerprint.value) in self.lookup.owners
        }
        owners = {**self.batch.owners(fingerprints), **stored}
        return {fingerprint: owner for fingerprint, owner in owners.items() if not self._came_after(owner)}

    def holders(self, scheme: str, keys: Sequence[int], limit: int) -> Mapping[int, Sequence[str]]:
        in_batch = self.batch.holders(scheme, keys, limit)
        holders = {key: (*in_batch.get(key, ()), *self.lookup.holders.get(key, ()))[:limit] for key in keys}
        return {key: documents for key, documents in holders.items() if documents}

    def article(self, document: str) -> Article | None:
        article = self._article(document)
        return None if self._came_after(document) else article

    def _came_after(self, document: str) -> bool:
        """Whether it is a copy of the current article, or was published after that had been kept."""
        current, other = self.current, self._article(document)
        if current is None or document == current.id:
            return False
        if self.original(document) == current.id:
            return True
        if current.id not in self.kept_before or other is None:
            return False
        if current.partial and not other.partial:
            return False  # the whole text may come later than its summary
        return (other.published_at or UNDATED) > (current.published_at or UNDATED)

    def keep_superseded(self, decision: Decision, entry: IndexEntry) -> tuple[Decision, IndexEntry]:
        """A part that was superseded stays so, for as long as it is only a part: its own address does not lead to the
        whole text."""
        original = self.originals_before.get(decision.id)
        if original is None or decision.duplicate_of is not None or not entry.article.partial:
            return decision, entry
        superseded = Decision(id=decision.id, duplicate_of=original, rule="superseded", score=1.0)
        return superseded, replace(entry, original=original)

    def _article(self, document: str) -> Article | None:
        in_batch = self.batch.article(document)
        if in_batch is not None:
            return in_batch
        if document not in self.articles:
            self._load([document])
        return self.articles[document]

    def original(self, document: str) -> str:
        if document in self.originals:
            return self.originals[document]
        return self.batch.original(document)

    def repeated_sentences(self, publisher: str, sentences: Collection[int]) -> frozenset[int]:
        """Stored stories and stories of this batch count alike. All publishers together use a sentence in at least as many stories
        as any of them."""
        possible = set(sentences).difference(self.rare_sentences)
        frequent = self._used_often(ALL_PUBLISHERS, possible) if possible else {}
        anywhere = frozenset(sentence for sentence, count in frequent.items() if count >= REPEATS_ANYWHERE)
        if not publisher or not frequent:
            return anywhere
        return anywhere.union(self._used_often(publisher, frequent))

    def _used_often(self, publisher: str, sentences: Collection[int]) -> dict[int, int]:
        """In how many stories, of the sentences that the publisher ("": all together) may repeat."""
        stored = self.story_counts[publisher]
        if not all(map(stored.__contains__, sentences)):
            self._count_stored({publisher: sentences})
        in_batch = self.batch.story_counts(publisher, sentences)
        return {
            sentence: count
            for sentence in sentences
            if (count := stored[sentence] + in_batch.get(sentence, 0)) >= REPEATS_AT_PUBLISHER
        }

    def _count_stored(self, sentences: Mapping[str, Collection[int]]) -> None:
        missing = {
            name: unknown
            for name, hashes in sentences.items()
            if (unknown := set(hashes).difference(self.story_counts[name]))
        }
        if not missing:
            return
        counts = self.knowledge.sentence_story_counts(self.recipe, missing)
        for name, hashes in missing.items():
            of_publisher = counts.get(name, {})
            self.story_counts[name].update((sentence, of_publisher.get(sentence, 0)) for sentence in hashes)

    def add(self, entry: IndexEntry) -> None:
        """Add to the batch; a copy of a stored document and a document counted before are not a further story."""
        is_copy = entry.original != entry.article.id and self.batch.article(entry.original) is None
        counted = is_copy or entry.article.id in self.counted_before
        original = None if entry.original == entry.article.id else self._article(entry.original)
        article = as_copy(entry.article, original)
        sentences = () if counted else tuple(filterfalse(self.rare_sentences.__contains__, entry.sentences))
        self.batch.add(replace(entry, article=article, sentences=sentences))
