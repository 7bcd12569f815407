"""The state behind the ladder: what has been seen. A database keeps the same few kinds of small rows.

Rows: (fingerprint, document), (scheme, key, document), (publisher, sentence, stories, last story) and
(document, original). Everything else is computed from the text.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from headwater.documents.dedupe.articles import Article, TraceFingerprint
from headwater.documents.dedupe.page import ALL_PUBLISHERS, REPEATS_ANYWHERE, REPEATS_AT_PUBLISHER


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexEntry:
    """One decided article, with all that has to be kept to find it again."""

    article: Article
    original: str
    scheme: str
    fingerprints: tuple[TraceFingerprint, ...]
    keys: tuple[int, ...]
    sentences: tuple[int, ...]


class DedupeIndex(Protocol):
    def same(self, fingerprints: Sequence[TraceFingerprint]) -> Mapping[TraceFingerprint, str]:
        """The first document that carried each fingerprint."""

    def holders(self, scheme: str, keys: Sequence[int], limit: int) -> Mapping[int, Sequence[str]]:
        """For each key the documents that carry it, the newest first, at most `limit`."""

    def article(self, document: str) -> Article | None: ...

    def original(self, document: str) -> str:
        """The first document of the group; the document itself if it is no copy."""

    def repeated(self, publisher: str, sentences: Collection[int]) -> frozenset[int]:
        """Those of the sentences that this publisher, or everybody, keeps repeating in different stories."""

    def add(self, entry: IndexEntry) -> None: ...


@dataclass(slots=True)
class MemoryIndex:
    """The in-memory twin, for single runs and for tests."""

    _articles: dict[str, Article] = field(default_factory=dict)
    _originals: dict[str, str] = field(default_factory=dict)
    _prints: dict[TraceFingerprint, str] = field(default_factory=dict)
    _keys: dict[tuple[str, int], list[str]] = field(default_factory=lambda: defaultdict(list))
    _stories: dict[tuple[str, int], tuple[int, str]] = field(default_factory=dict)

    def same(self, fingerprints: Sequence[TraceFingerprint]) -> Mapping[TraceFingerprint, str]:
        return {one: self._prints[one] for one in fingerprints if one in self._prints}

    def holders(self, scheme: str, keys: Sequence[int], limit: int) -> Mapping[int, Sequence[str]]:
        found = {key: self._keys.get((scheme, key), ())[: -limit - 1 : -1] for key in keys}
        return {key: documents for key, documents in found.items() if documents}

    def article(self, document: str) -> Article | None:
        return self._articles.get(document)

    def original(self, document: str) -> str:
        return self._originals.get(document, document)

    def repeated(self, publisher: str, sentences: Collection[int]) -> frozenset[int]:
        anywhere = frozenset(self._over(ALL_PUBLISHERS, sentences, REPEATS_ANYWHERE))
        return (
            anywhere | frozenset(self._over(publisher, sentences, REPEATS_AT_PUBLISHER))
            if publisher
            else anywhere
        )

    def add(self, entry: IndexEntry) -> None:
        document = entry.article.id
        if document in self._articles:
            return
        self._articles[document] = entry.article
        self._originals[document] = entry.original
        for one in entry.fingerprints:
            self._prints.setdefault(one, document)
        for key in entry.keys:
            self._keys[entry.scheme, key].append(document)
        self._count(entry)

    def stories(self, publisher: str, sentence: int) -> int:
        """In how many different stories the publisher ("": all together) used the sentence."""
        return self._stories.get((publisher, sentence), (0, ""))[0]

    def _over(self, publisher: str, sentences: Collection[int], least: int) -> Iterable[int]:
        return (one for one in sentences if self.stories(publisher, one) >= least)

    def _count(self, entry: IndexEntry) -> None:
        """Every document counts whatever was decided, but copies of one story count once."""
        for publisher in {entry.article.publisher, ALL_PUBLISHERS}:
            for sentence in entry.sentences:
                count, last = self._stories.get((publisher, sentence), (0, ""))
                if last != entry.original:
                    self._stories[publisher, sentence] = (count + 1, entry.original)
