"""Decisions about a stream of articles, against an index in memory."""

from collections.abc import Iterable, Iterator

from headwater.documents.dedupe.articles import Article, Decision
from headwater.documents.dedupe.deduplicator import DedupeProfile, Deduplicator
from headwater.documents.dedupe.index import MemoryIndex
from headwater.documents.dedupe.rules import DEFAULT


def dedupe_stream(articles: Iterable[Article], *, profile: DedupeProfile = DEFAULT) -> Iterator[Decision]:
    """One decision per article, in order of arrival, each against the articles before it."""
    return map(Deduplicator(profile, MemoryIndex()).add, articles)
