"""Groupings: documents of one day with the same headline."""

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from headwater.model.document import Document
from headwater.stories.clustering.groupings import cluster_by_headline, publication_day


def _document(title: str, published: datetime | None = None) -> Document:
    return Document(id=title, recipe="r", source="s", lead="l", url="u", title=title, published=published)


def test_the_day_is_counted_in_utc_whatever_the_zone():
    late_in_the_west = datetime(2026, 11, 13, 23, 30, tzinfo=timezone(timedelta(hours=-5)))
    assert publication_day(_document("a", late_in_the_west)) == "2026-11-14"
    assert publication_day(_document("a", late_in_the_west.astimezone(UTC))) == "2026-11-14"


def test_an_undated_document_has_no_day():
    assert publication_day(_document("a")) is None


def test_case_and_punctuation_do_not_separate_headlines():
    clusters = cluster_by_headline([_document("Quay opens!"), _document("Other"), _document("QUAY   opens")])
    assert [sorted(i for i, _ in cluster.members) for cluster in clusters] == [[1], [0, 2]]
    assert {cluster.title for cluster in clusters} == {"Other", "QUAY   opens"}


@given(st.lists(st.text(max_size=5), max_size=10))
def test_every_document_is_in_exactly_one_cluster(titles: list[str]):
    clusters = cluster_by_headline([_document(title) for title in titles])
    assert sorted(i for cluster in clusters for i, _ in cluster.members) == list(range(len(titles)))


@given(st.lists(st.text(max_size=5), max_size=10), st.randoms())
def test_the_order_of_the_documents_does_not_change_the_clusters(titles: list[str], chance):
    shuffled = list(titles)
    chance.shuffle(shuffled)
    assert _titles(titles) == _titles(shuffled)


def _titles(titles: list[str]) -> list[tuple[str, list[str]]]:
    clusters = cluster_by_headline([_document(title) for title in titles])
    return [(cluster.title, sorted(titles[i] for i, _ in cluster.members)) for cluster in clusters]
