"""The ladder over many articles: as they come, or as one batch whose order does not matter."""

from collections.abc import Iterable, Iterator

from headwater.pure.dupes.articles import Article, Decision, age
from headwater.pure.dupes.index import Index, MemoryIndex
from headwater.pure.dupes.ladder import Ladder, Profile
from headwater.pure.dupes.profiles import DEFAULT


def dedupe_stream(
    articles: Iterable[Article], *, profile: Profile = DEFAULT, index: Index | None = None
) -> Iterator[Decision]:
    """One decision per article, in the order of arrival, each made against those before it."""
    ladder = Ladder(profile, MemoryIndex() if index is None else index)
    return map(ladder.take, articles)


def dedupe_batch(
    articles: Iterable[Article], *, profile: Profile = DEFAULT, index: Index | None = None
) -> list[Decision]:
    """Decide a batch from the earliest article to the latest, so that the order within it changes nothing."""
    return list(dedupe_stream(sorted(articles, key=age), profile=profile, index=index))
