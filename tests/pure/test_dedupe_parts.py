"""Summaries and whole texts: a summary never blocks the text, and the text supersedes it."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from tests.support.dedupe_stream import dedupe_stream

from headwater.documents.dedupe.articles import Article, publication_order

MORNING = datetime(2026, 11, 13, 8, tzinfo=UTC)
OPENING = (
    "Calder Steel will close its rolling mill in Arden by the end of June, the company said on Monday, because the "
    "price of power in the valley has doubled within two years."
)
TEXT = (
    f"{OPENING} About four hundred people work at the mill, most of them for longer than a decade. The works council "
    "called the decision a breach of the agreement of March and asked the regional government to mediate.\n\n"
    "The mayor of Arden said that the town had offered a discount on its own electricity and had heard nothing. "
    "Analysts in Dunmore expect the furnaces in Selby to take over the orders, which are booked until November."
)
SUMMARY = Article(
    id="a", title="Calder Steel closes its mill", body=OPENING, url="https://ledger.example/calder", guid="7",
    publisher="Ledger", published_at=MORNING, partial=True,
)  # fmt: skip
WHOLE = Article(
    id="b", title="Calder Steel to shut Arden mill", body=TEXT, url="https://wire.example/mill",
    publisher="Wire", published_at=MORNING + timedelta(hours=2),
)  # fmt: skip


def test_the_whole_text_supersedes_a_summary_that_came_first():
    first, second = dedupe_stream([SUMMARY, WHOLE])
    assert (first.duplicate_of, second.duplicate_of) == (None, None)
    assert (second.superseded, second.rule) == (("a",), "summary")


def test_a_summary_of_a_stored_text_is_a_copy_of_it():
    _, second = dedupe_stream([WHOLE, SUMMARY])
    assert (second.duplicate_of, second.rule) == ("b", "summary")


def test_two_whole_texts_of_which_one_is_a_digest_stay_two():
    digest = replace(SUMMARY, partial=False)
    first, second = dedupe_stream([digest, WHOLE])
    assert (first.duplicate_of, second.duplicate_of, second.superseded) == (None, None, ())


def test_a_text_at_the_same_address_supersedes_a_summary_in_other_words():
    other = replace(SUMMARY, body="Four hundred jobs go as power prices bite.", title="Jobs go in Arden")
    whole = replace(WHOLE, url="https://ledger.example/calder", title="Mill to shut")
    _, second = dedupe_stream([other, whole])
    assert (second.duplicate_of, second.superseded, second.rule) == (None, ("a",), "url")


def test_a_summary_of_another_event_is_left_alone():
    other = replace(SUMMARY, body=OPENING.replace("Arden", "Selby").replace("Calder Steel", "Orrin Glass"))
    _, second = dedupe_stream([other, WHOLE])
    assert (second.duplicate_of, second.superseded) == (None, ())


def test_whole_texts_are_decided_before_summaries_whatever_their_time():
    assert sorted([SUMMARY, WHOLE], key=publication_order) == [WHOLE, SUMMARY]
