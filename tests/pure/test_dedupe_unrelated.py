"""Pairs that share next to nothing are decided without counting what their publishers repeat."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from headwater.documents.dedupe.articles import Article
from headwater.documents.dedupe.comparison import compare
from headwater.documents.dedupe.page import page_of
from headwater.documents.dedupe.unrelated import are_unrelated, unrelated_verdict

MILL = Article(
    id="mill",
    title="Calder Steel to close Arden mill",
    body=(
        "Calder Steel will close its rolling mill in Arden by the end of June with the loss of 340 jobs, the company said on "
        "Monday. The mill made 120,000 tonnes of plate last year and has not earned a profit since 2021. Managing director "
        "Greta Olsen said orders from shipyards had fallen by a third and that no buyer had come forward. Workers will be "
        "offered places at the Dunmore plant, which lies 60 kilometres away on the coast."
    ),
    publisher="Wire",
    published_at=datetime(2026, 3, 2, 8, tzinfo=UTC),
)
FERRY = Article(
    id="ferry",
    title="Second ferry planned for Lorrin",
    body=(
        "Passengers between Lorrin and Hartsel may soon cross every hour instead of twice each morning. Harbour authorities "
        "want another vessel before summer, paid from parking fees collected near both piers. Fishermen fear longer queues at "
        "their moorings, while hotel owners expect fuller rooms and earlier dinners. Captain Ines Varga would rather repair "
        "old engines first, because spare parts take months and winter storms leave no time for experiments."
    ),
    publisher="Coast",
    published_at=datetime(2026, 3, 2, 9, tzinfo=UTC),
)
SENTENCE = "Managing director Greta Olsen said orders from shipyards had fallen by a third."
OTHERS = {
    "a shared sentence": replace(FERRY, body=f"{FERRY.body} {SENTENCE}"),
    "a shared headline": replace(FERRY, title=MILL.title),
    "a short text": replace(FERRY, body="Passengers may soon cross every hour."),
}


def test_the_verdict_about_an_unrelated_pair_is_that_of_a_whole_comparison():
    first, second = page_of(MILL), page_of(FERRY)
    quick, whole = unrelated_verdict(first, second), compare(MILL, FERRY)
    assert are_unrelated(first, second)
    assert (quick.relation, quick.rule, quick.evidence) == (whole.relation, whole.rule, whole.evidence)


@pytest.mark.parametrize("name", OTHERS)
def test_a_pair_is_compared_that_has(name: str):
    assert not are_unrelated(page_of(MILL), page_of(OTHERS[name]))
    assert not are_unrelated(page_of(OTHERS[name]), page_of(MILL))
