"""Publishers whose pages cannot be read: every news recipe stores their articles from what the source provided."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import yaml
from sqlalchemy import text
from tests.support.deadline import LONGEST_RUN
from tests.support.environments import EnvironmentUnderTest, on_sqlite
from tests.support.markets_run import EVERYTHING, markets_run
from tests.support.poll_sessions import context_for
from tests.support.recipe_run import QuickClock, RecipeRun, recipe_run

from headwater.model.jobs import State
from headwater.runtime.inline import run_inline
from headwater.settings.sources import load_sources
from headwater.store.connect import read_transaction
from headwater.store.reads.explanation import explain
from headwater.store.reads.export import ArticleFilter, export_articles
from headwater.store.schema.flow import captures, deliveries, documents, leads, quarantine, revisions
from headwater.store.views import install_views
from headwater_demo.faults import Fault
from headwater_demo.internet import Internet, running
from headwater_demo.markets.watch_list import KEYS
from headwater_demo.sites.walled_sites import WALLS, walled_feeds
from headwater_recipes.crypto.views import CRYPTO_VIEWS
from headwater_recipes.geopolitics import configure

EXPECTED = {wall.url: wall.expected for wall in WALLS}
STORIES = {wall.url: wall.story for wall in WALLS}
# A forbidden page is requested again after a minute.
WAIT = timedelta(minutes=2)
FAST = 300.0


@pytest.fixture(scope="module")
def internet() -> Iterator[Internet]:
    with running() as started:
        yield started


@pytest.fixture(scope="module")
def walled(
    internet: Internet, tmp_path_factory: pytest.TempPathFactory, environment: EnvironmentUnderTest
) -> Iterator[RecipeRun]:
    folder = tmp_path_factory.mktemp("walled")
    with recipe_run(
        folder, internet, feeds=walled_feeds(), environment=environment, clock=QuickClock(FAST)
    ) as crypto_run:
        crypto_run.run(WAIT)
        yield crypto_run


def test_crypto_every_walled_article_is_kept_with_the_state_of_its_page(walled: RecipeRun):
    assert {row["url"]: row["page"] for row in walled.documents(State.KEPT)} == EXPECTED
    assert walled.rows(quarantine) == []
    assert walled.unfinished() == {}
    assert walled.delivered() == {row["id"] for row in walled.documents(State.KEPT)}


def test_crypto_its_fields_are_those_of_the_feed_with_that_origin(walled: RecipeRun):
    for row in walled.rows(documents):
        story = STORIES[row["url"]]
        assert (row["title"], row["authors"]) == (story.title, [story.author])
        assert story.summary.rstrip(".") in row["text"]
        assert row["published_at"] is not None
        assert {row["origins"][name] for name in ("title", "authors", "published")} == {"source"}
        assert row["origins"]["text"] == ("source text" if story.teaser else "source")


def test_crypto_a_longer_beginning_in_the_feed_is_the_text(walled: RecipeRun):
    (row,) = [row for row in walled.rows(documents) if STORIES[row["url"]].teaser]
    assert "The seller did not want to be named." in row["text"]


def test_crypto_the_state_is_explained_exported_and_in_the_view(walled: RecipeRun):
    engine = walled.app.store.engine
    (row,) = [row for row in walled.documents() if row["page"] == "forbidden"]
    explanation = explain(engine, row["id"])
    assert explanation is not None
    assert explanation["lead"]["page_reason"] == "http_403"
    assert explanation["document"]["trail"][0]["notes"]["page_reason"] == "http_403"
    articles = export_articles(engine, ArticleFilter(recipe="crypto"))
    assert {article["url"]: article["page"] for article in articles} == EXPECTED
    install_views(engine, "crypto", CRYPTO_VIEWS)
    with read_transaction(engine) as connection:
        rows = connection.execute(text("SELECT url, page FROM articles")).all()
    assert {row.url: row.page for row in rows} == EXPECTED


def test_crypto_temporary_failures_are_retried_first_and_then_stored(internet: Internet, tmp_path: Path):
    feed = internet.feeds()[3]  # its entries have only summaries
    host = feed["url"].split("/")[2]
    with recipe_run(
        tmp_path, internet, feeds=[(feed["name"], feed["url"])], clock=QuickClock(FAST)
    ) as crypto_run:
        article = next(record for record in internet.truth() if feed["url"] in record["feeds"])
        path = article["urls"][0].partition(host)[2]
        internet.fault(host, path, Fault(status=503), times=4)
        crypto_run.run(WAIT)
        internet.clear_faults()
        (row,) = [row for row in crypto_run.documents() if row["page"] == "unreachable"]
        assert (row["state"], row["title"]) == (State.KEPT, article["title"])
        requests = [record for record in internet.log() if record["path"] == path]
        assert len(requests) >= 4
        assert crypto_run.fetch_pages([row["id"]]) == 1
        crypto_run.run()
        (read,) = crypto_run.rows(documents, id=row["id"])
        assert (read["page"], read["revision"], read["state"]) == ("read", 2, State.KEPT)
        assert article["paragraphs"][-1] in read["text"]
        (before,) = crypto_run.rows(revisions, document_id=row["id"])
        assert (before["page"], before["revision"]) == ("unreachable", 1)


@pytest.mark.parametrize("fault", [Fault(status=403), Fault(status=429, retry_after="100")])
def test_crypto_a_refused_page_is_stored_at_once_and_revised_when_it_answers(
    internet: Internet, tmp_path: Path, fault: Fault
):
    feed = internet.feeds()[3]  # its entries have only summaries
    host = feed["url"].split("/")[2]
    article = next(record for record in internet.truth() if feed["url"] in record["feeds"])
    path = article["urls"][0].partition(host)[2]
    internet.fault(host, path, fault, times=1)
    internet.clear_log()
    clock = QuickClock(1.0)
    with recipe_run(tmp_path, internet, feeds=[(feed["name"], feed["url"])], clock=clock) as crypto_run:
        crypto_run.run(timedelta(0))
        (row,) = [row for row in crypto_run.documents() if row["page"] == "forbidden"]
        assert (row["state"], row["revision"], row["title"]) == (State.KEPT, 1, article["title"])
        assert len([record for record in internet.log() if record["path"] == path]) == 1
        clock.advance(WAIT)
        crypto_run.run()
        (read,) = crypto_run.rows(documents, id=row["id"])
        assert (read["page"], read["revision"], read["state"]) == ("read", 2, State.KEPT)
        assert article["paragraphs"][-1] in read["text"]


def test_crypto_a_repeated_fetch_with_the_same_result_changes_nothing(internet: Internet, tmp_path: Path):
    with recipe_run(tmp_path, internet, feeds=walled_feeds(), clock=QuickClock(FAST)) as crypto_run:
        crypto_run.run(WAIT)
        tables = (documents, revisions, deliveries, captures)
        before = [crypto_run.rows(table) for table in tables]
        assert crypto_run.fetch_pages(None) == len(WALLS)
        crypto_run.run(WAIT)
        assert [crypto_run.rows(table) for table in tables] == before


@pytest.mark.parametrize(("mode", "states"), [("never", {"not_fetched"}), ("require", set())])
def test_crypto_a_source_may_say_that_its_pages_are_not_requested_or_required(
    internet: Internet, tmp_path: Path, mode: str, states: set[str]
):
    list_file = tmp_path / "own.yaml"
    lines = [{"name": name, "url": url, "pages": mode} for name, url in walled_feeds()]
    list_file.write_text(yaml.safe_dump({"sources": lines}), encoding="utf-8")
    internet.clear_log()
    with recipe_run(tmp_path, internet, feeds=walled_feeds(), clock=QuickClock(FAST)) as crypto_run:
        crypto_run.app.store.register(load_sources(list_file, "crypto"), crypto_run.clock())
        crypto_run.run(WAIT)
        assert {row["page"] for row in crypto_run.documents(State.KEPT)} == states
        requests = {record["path"] for record in internet.log()} - {
            "/feed.xml",
            "/robots.txt",
            "/.well-known/tdmrep.json",
        }
        assert bool(requests) is (mode == "require")


@on_sqlite
def test_markets_articles_behind_walls_are_documents_of_their_description(
    internet: Internet, tmp_path: Path, own_environment: EnvironmentUnderTest, monkeypatch: pytest.MonkeyPatch
):
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    dispatches = {
        wall.expected: internet.dispatch("NGSC", host=wall.host, path=wall.story.path, title=wall.story.title)
        for wall in WALLS
    }
    news = {"name": "news", "kind": "news_api", "tickers": ["NGSC"], "options": EVERYTHING}
    with markets_run(
        tmp_path, internet, news, environment=own_environment, clock=QuickClock(FAST)
    ) as market_run:
        market_run.run(WAIT)
        rows = {row["url"].partition("?")[0]: row for row in market_run.rows(documents)}
        for expected, dispatch in dispatches.items():
            row = rows[dispatch["url"]]
            assert (row["state"], row["page"], row["title"]) == (State.KEPT, expected, dispatch["title"])
            assert row["text"]
            assert row["origins"]["text"].startswith("source")
        assert market_run.rows(quarantine) == []
        assert {row["state"] for row in market_run.rows(leads)} <= {State.DONE, State.DUPLICATE}


@on_sqlite
def test_geopolitics_walled_reports_are_in_stories(
    internet: Internet, tmp_path: Path, own_environment: EnvironmentUnderTest
):
    list_file = tmp_path / "flashpoints.yaml"
    feeds = [url for _, url in walled_feeds()[:4]]
    entries = [{"url": wall.url, "title": wall.story.title, "seendate": "2026-11-13"} for wall in WALLS[4:]]
    flashpoint = {"title": "Arden", "feeds": feeds, "entries": entries}
    list_file.write_text(yaml.safe_dump({"flashpoints": [flashpoint]}), encoding="utf-8")
    recipe = configure(list_file, {"settle": "1s", "tier": "A"})
    with context_for(tmp_path, internet.base_url, recipe, QuickClock(FAST), own_environment) as (
        app,
        context,
    ):
        app.register(recipe)
        assert run_inline(context, ["geopolitics"], horizon=WAIT, longest=LONGEST_RUN)
        with read_transaction(app.store.engine) as connection:
            rows = connection.execute(text("SELECT url, page, state FROM documents")).all()
            members = connection.execute(text("SELECT count(*) FROM story_members")).scalar()
        assert {row.url: row.page for row in rows} == EXPECTED
        assert {row.state for row in rows} == {State.KEPT}
        assert members == len(WALLS)
