"""Changes between runs: new articles, changed pages, pages that fail."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from tests.support.recipe_run import RecipeRun, recipe_run

from headwater.model.jobs import State
from headwater.model.page import PageMode
from headwater.store.schema.flow import (
    captures,
    leads,
    quarantine,
    revisions,
    sources,
    stories,
    story_members,
)
from headwater_demo.faults import Fault
from headwater_demo.internet import Internet, running

WIRE = ("Ledger Lane", "http://ledgerlane.example/feed")
TEASERS = ("Hashfield Notes", "http://hashfield.example/rss.xml")


@pytest.fixture
def internet() -> Iterator[Internet]:
    with running(size="small") as demo_internet:
        yield demo_internet


@pytest.fixture
def crypto_run(internet: Internet, tmp_path: Path) -> Iterator[RecipeRun]:
    """One feed with whole articles, one with teasers whose pages are fetched; both read once."""
    with recipe_run(tmp_path, internet, feeds=[WIRE, TEASERS]) as crypto_run:
        crypto_run.run()
        yield crypto_run


def _record(internet: Internet, host: str) -> dict:
    return next(record for record in internet.truth() if record["host"] == host)


@pytest.mark.parametrize("host", ["ledgerlane.example", "hashfield.example"])
def test_a_changed_page_is_revision_2_of_the_same_document(
    crypto_run: RecipeRun, internet: Internet, host: str
):
    article = _record(internet, host)
    before = {row["id"]: row for row in crypto_run.documents()}
    (old,) = [row for row in before.values() if row["url"] in article["urls"]]
    crypto_run.clock.advance(timedelta(hours=1))
    internet.advance(timedelta(hours=1))
    words = ["A wholly new first paragraph that no reader has seen before, about nothing in particular. " * 3]
    internet.edit(article["id"], title="A wholly new title", paragraphs=words)
    crypto_run.poll_again()
    after = {row["id"]: row for row in crypto_run.documents()}
    assert after.keys() == before.keys()
    new = after[old["id"]]
    assert (new["revision"], new["state"], new["title"]) == (2, State.KEPT, "A wholly new title")
    assert words[0].strip() in crypto_run.app.store.documents([old["id"]])[old["id"]].text
    (earlier,) = crypto_run.rows(revisions, document_id=old["id"])
    assert (earlier["revision"], earlier["title"]) == (1, article["title"])
    assert crypto_run.delivered() == {row["id"] for row in crypto_run.documents(State.KEPT)}
    assert crypto_run.unfinished() == {}


def test_new_articles_are_read_when_they_appear(crypto_run: RecipeRun, internet: Internet):
    before = {row["id"] for row in crypto_run.documents()}
    crypto_run.clock.advance(timedelta(hours=24))
    internet.advance(timedelta(hours=24))
    own_feeds = {WIRE[1], TEASERS[1]}
    listed = {record["urls"][0] for record in internet.truth() if own_feeds & set(record["feeds"])}
    crypto_run.poll_again()
    now = {row["id"]: row for row in crypto_run.documents()}
    assert before < now.keys()
    assert {row["url"].partition("?utm")[0] for row in now.values()} >= listed


def test_a_newly_published_article_is_found(crypto_run: RecipeRun, internet: Internet):
    article = internet.publish("hashfield.example", title="Something happened just now")
    crypto_run.poll_again()
    (row,) = [
        row for row in crypto_run.documents(State.KEPT) if row["title"] == "Something happened just now"
    ]
    assert row["url"] in article["urls"]


def test_an_unchanged_page_is_requested_conditionally_and_captured_once(
    crypto_run: RecipeRun, internet: Internet
):
    article = _record(internet, "hashfield.example")
    capture_count = len(crypto_run.rows(captures))
    with crypto_run.app.store.engine.begin() as connection:
        wake_lead = leads.update().where(leads.c.url == article["urls"][0])
        connection.execute(wake_lead.values(due_at=crypto_run.clock(), state=State.WAITING))
    internet.clear_log()
    crypto_run.run()
    assert [record["status"] for record in internet.log()] == [304]
    assert len(crypto_run.rows(captures)) == capture_count
    assert crypto_run.unfinished() == {}


def _publish_failing(internet: Internet, fault: Fault, times: int) -> str:
    article = internet.publish("hashfield.example", title="Hard to get")
    internet.fault("hashfield.example", article["urls"][0].partition(".example")[2], fault, times=times)
    return article["urls"][0]


@pytest.mark.parametrize("fault", [Fault(status=503), Fault(reset=True), Fault(truncate=50)])
def test_c12_a_page_that_fails_twice_is_fetched_the_third_time(
    crypto_run: RecipeRun, internet: Internet, fault: Fault
):
    url = _publish_failing(internet, fault, 2)
    crypto_run.poll_again()
    assert [row["url"] for row in crypto_run.documents(State.KEPT) if row["title"] == "Hard to get"] == [url]


def _require_pages(crypto_run: RecipeRun) -> None:
    with crypto_run.app.store.engine.begin() as connection:
        connection.execute(sources.update().values(pages=PageMode.REQUIRE))


def test_a_required_page_that_is_gone_is_dropped_with_its_reason(crypto_run: RecipeRun, internet: Internet):
    _require_pages(crypto_run)
    url = _publish_failing(internet, Fault(status=410), 1)
    crypto_run.poll_again()
    (lead,) = crypto_run.rows(leads, url=url)
    assert (lead["state"], lead["reason"]) == (State.DROPPED, "http_410")
    assert [row for row in crypto_run.documents() if row["url"] == url] == []


def test_a_required_page_that_never_answers_is_quarantined_and_can_be_retried(
    crypto_run: RecipeRun, internet: Internet
):
    _require_pages(crypto_run)
    url = _publish_failing(internet, Fault(status=500), 4)
    crypto_run.poll_again()
    (lead,) = crypto_run.rows(leads, url=url)
    assert (lead["state"], lead["reason"]) == (State.QUARANTINED, "http_500")
    assert [row["record_id"] for row in crypto_run.rows(quarantine)] == [lead["id"]]
    assert crypto_run.app.operations.retry(None, "crypto", crypto_run.clock()) == 1
    crypto_run.run()
    assert [row["url"] for row in crypto_run.documents(State.KEPT) if row["title"] == "Hard to get"] == [url]
    assert crypto_run.rows(quarantine) == []


def test_c19_reworded_reports_by_three_publishers_are_one_story(internet: Internet, tmp_path: Path):
    reports = {
        "hashfield.example": (
            "Quaymaster fund freezes payouts after $48 million hole",
            (
                "Quaymaster Capital has stopped all payouts, managing partner Odile Brandt told investors in Arden on Friday. "
                "About 48 million dollars are missing from its accounts. The auditors will report in two weeks, she said."
            ),
        ),
        "ledgerlane.example": (
            "Missing millions at Quaymaster: Brandt locks the tills",
            (
                "Investors of Quaymaster Capital cannot withdraw their money any more. In a letter from Arden, Odile Brandt "
                "admits a gap of 48 million dollars. Nobody knows yet where it went, and lawyers are preparing a case."
            ),
        ),
        "tokentribune.example": (
            "Odile Brandt admits shortfall at her fund",
            (
                "It is the largest gap in the history of Arden: $48m cannot be found in the books of Quaymaster Capital. "
                "Withdrawals remain closed until an audit is complete, Brandt wrote on Friday."
            ),
        ),
    }
    published_urls = {
        internet.publish(host, title=title, paragraphs=[text])["urls"][0]
        for host, (title, text) in reports.items()
    }
    feeds = [(feed["name"], feed["url"]) for feed in internet.feeds()]
    with recipe_run(tmp_path, internet, feeds=feeds) as crypto_run:
        crypto_run.run()
        members = {
            row["id"]
            for row in crypto_run.documents(State.KEPT)
            if row["url"].partition("?")[0] in published_urls
        }
        assert len(members) == 3
        rows = crypto_run.rows(story_members)
        (story_id,) = {row["story_id"] for row in rows if row["document_id"] in members}
        (story,) = crypto_run.rows(stories, id=story_id)
        assert (story["size"], story["attributes"]["domains"]) == (3, 3)
