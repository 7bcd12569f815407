"""The state behind the dedupe rules: what is stored of earlier articles.

Rows: (fingerprint, document), (scheme, key, document), (publisher, sentence, stories, last story) and
(document, original). Everything else is computed from the text.
"""

from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from headwater.documents.dedupe.articles import Article, ArticleFingerprint
from headwater.documents.dedupe.page import ALL_PUBLISHERS, REPEATS_ANYWHERE, REPEATS_AT_PUBLISHER


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexEntry:
    """One article after its decision, with everything needed to find it again."""

    article: Article
    original: str
    scheme: str
    fingerprints: tuple[ArticleFingerprint, ...]
    keys: tuple[int, ...]
    sentences: tuple[int, ...]


class DedupeIndex(Protocol):
    def owners(self, fingerprints: Sequence[ArticleFingerprint]) -> Mapping[ArticleFingerprint, str]:
        """The first document with each fingerprint."""

    def holders(self, scheme: str, keys: Sequence[int], limit: int) -> Mapping[int, Sequence[str]]:
        """For each key the documents that have it, the newest first, at most `limit`."""

    def article(self, document: str) -> Article | None: ...

    def original(self, document: str) -> str:
        """The first document of the group; the document itself if it is not a copy."""

    def repeated_sentences(self, publisher: str, sentences: Collection[int]) -> frozenset[int]:
        """The sentences that this publisher, or all publishers together, repeat in different stories."""

    def add(self, entry: IndexEntry) -> None: ...


def as_copy(article: Article, original: Article | None) -> Article:
    """A copy as it is compared with later articles: with the text of its original, which is the one that is stored."""
    if original is None or original.id == article.id:
        return article
    return replace(article, body=original.body, partial=original.partial)


@dataclass(slots=True)
class MemoryIndex:
    """The index in memory, for single runs and for tests."""

    _articles: dict[str, Article] = field(default_factory=dict)
    _originals: dict[str, str] = field(default_factory=dict)
    _owners: dict[ArticleFingerprint, str] = field(default_factory=dict)
    _holders: dict[tuple[str, int], list[str]] = field(default_factory=lambda: defaultdict(list))
    _stories: defaultdict[str, dict[int, tuple[int, str]]] = field(default_factory=lambda: defaultdict(dict))
    _uncounted: deque[IndexEntry] = field(default_factory=deque)
    """Entries whose sentences are counted when a count is asked for: most articles are compared with none."""

    def owners(self, fingerprints: Sequence[ArticleFingerprint]) -> Mapping[ArticleFingerprint, str]:
        return {
            fingerprint: self._owners[fingerprint]
            for fingerprint in fingerprints
            if fingerprint in self._owners
        }

    def holders(self, scheme: str, keys: Sequence[int], limit: int) -> Mapping[int, Sequence[str]]:
        newest_first = {key: self._holders.get((scheme, key), ())[: -limit - 1 : -1] for key in keys}
        return {key: documents for key, documents in newest_first.items() if documents}

    def article(self, document: str) -> Article | None:
        return self._articles.get(document)

    def original(self, document: str) -> str:
        return self._originals.get(document, document)

    def repeated_sentences(self, publisher: str, sentences: Collection[int]) -> frozenset[int]:
        anywhere = frozenset(self._repeated(ALL_PUBLISHERS, sentences, REPEATS_ANYWHERE))
        if not publisher:
            return anywhere
        return anywhere | frozenset(self._repeated(publisher, sentences, REPEATS_AT_PUBLISHER))

    def add(self, entry: IndexEntry) -> None:
        document = entry.article.id
        if document in self._articles:
            return
        self._articles[document] = as_copy(entry.article, self._articles.get(entry.original))
        self._originals[document] = entry.original
        for fingerprint in entry.fingerprints:
            self._owners.setdefault(fingerprint, document)
        for key in entry.keys:
            self._holders[entry.scheme, key].append(document)
        self._uncounted.append(entry)

    def story_counts(self, publisher: str, sentences: Collection[int]) -> dict[int, int]:
        """In how many different stories the publisher ("": all together) used each sentence; without those never used."""
        while self._uncounted:
            self._count(self._uncounted.popleft())
        stories = self._stories[publisher]
        used = filter(stories.__contains__, sentences)  # most occur in no other article of a batch
        return {sentence: stories[sentence][0] for sentence in used}

    def _repeated(self, publisher: str, sentences: Collection[int], minimum: int) -> Iterable[int]:
        counts = self.story_counts(publisher, sentences)
        return (sentence for sentence, count in counts.items() if count >= minimum)

    def _count(self, entry: IndexEntry) -> None:
        """Count every document, whatever the decision; copies of one story count once."""
        for publisher in {entry.article.publisher, ALL_PUBLISHERS}:
            stories = self._stories[publisher]
            for sentence in entry.sentences:
                count, last = stories.get(sentence, (0, ""))
                if last != entry.original:
                    stories[sentence] = (count + 1, entry.original)
