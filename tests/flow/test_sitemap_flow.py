"""Sitemaps of the demo internet through the whole engine."""

import pytest
from sqlalchemy import select
from tests.support.poll_sessions import NOW, context_for, make_recipe, make_source, run, run_session

from headwater.model.http import Response
from headwater.model.jobs import State
from headwater.sources.sitemaps.poll import discover_sitemap
from headwater.store.connect import read_transaction
from headwater.store.schema.flow import captures, leads, polls, sources
from headwater_demo.faults import Fault
from headwater_demo.internet import running
from headwater_demo.sites.sitemap_variants import URLS_PER_FILE


@pytest.fixture(scope="module")
def internet():
    with running() as started:
        yield started


@pytest.fixture(autouse=True)
def _reset_internet(internet):
    internet.clear_faults()
    internet.clear_log()


def rows(app, table):
    with read_transaction(app.store.engine) as connection:
        return [dict(row) for row in connection.execute(select(table)).mappings()]


def requested_paths(internet, host):
    return [record["path"] for record in internet.log() if record["host"] == host]


def test_p3_a_site_is_read_from_robots_through_its_indexes_to_documents(internet, tmp_path):
    source = make_source("sitemap", "http://mapped.example/")
    with context_for(tmp_path, internet.base_url, make_recipe(discover_sitemap, source)) as (app, context):
        run(context)
        urls = {row["url"] for row in rows(app, leads)}
        for name in ("plain", "packed", "proven"):
            assert f"http://mapped.example/page/{name}-{URLS_PER_FILE - 1}?a=1&b=2" in urls
        assert {"http://mapped.example/page/list-0", "http://mapped.example/page/feed-1"} <= urls
        assert len(urls) == 4 * URLS_PER_FILE + 1
        assert {row["state"] for row in rows(app, leads)} == {State.DONE}
        (poll_row,) = rows(app, polls)
        assert (poll_row["status"], poll_row["item_count"], poll_row["new_count"]) == (
            "completed",
            len(urls),
            len(urls),
        )
        assert any("sitemap_failed:http_404" in warning for warning in poll_row["warnings"])
        assert any("index_too_deep" in warning for warning in poll_row["warnings"]), poll_row["warnings"]
        assert "/maps/too-deep.xml" not in requested_paths(internet, "mapped.example")


def test_p3_a_second_poll_requests_conditionally_and_finds_nothing_new(internet, tmp_path):
    source = make_source("sitemap", "http://mapped.example/maps/plain.xml")
    with context_for(tmp_path, internet.base_url, make_recipe(discover_sitemap, source)) as (app, context):
        run(context)
        before = len(rows(app, captures))
        internet.clear_log()
        app.operations.wake("trial", app.clock())
        run(context)
        (record,) = [r for r in internet.log() if r["path"] == "/maps/plain.xml"]
        assert record["status"] == 304
        assert "if-none-match" in record["headers"]
        assert len(rows(app, captures)) == before
        assert [row["item_count"] for row in rows(app, polls)][-1] in (0, URLS_PER_FILE)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/maps/laughs.xml", "not_a_sitemap:refused_entities"),
        ("/maps/external.xml", "not_a_sitemap:refused_entities"),
        ("/maps/deep.xml", "not_a_sitemap:too_deep"),
        ("/maps/bomb.xml.gz", "not_a_sitemap:too_large"),
        ("/maps/page.xml", "html_instead"),
        ("/maps/missing.xml", "http_404"),
    ],
)
def test_a_hostile_or_wrong_sitemap_fails_with_its_reason(internet, tmp_path, path, reason):
    source = make_source("sitemap", f"http://mapped.example{path}")
    with context_for(tmp_path, internet.base_url, make_recipe(discover_sitemap, source)) as (app, context):
        run(context)
        (row,) = rows(app, sources)
        assert (row["reason"], row["failures"]) == (reason, 1)
        assert rows(app, leads) == []
        assert row["watermark"] == {}


@pytest.mark.parametrize(
    ("path", "count"),
    [
        ("/maps/as-xml.xml.gz", URLS_PER_FILE),
        ("/maps/twice.xml.gz", URLS_PER_FILE),
        ("/maps/unescaped.xml", URLS_PER_FILE),
        ("/maps/cut.xml", URLS_PER_FILE - 2),
        ("/maps/news.xml", 1),
    ],
)
def test_compressed_unusual_and_half_broken_sitemaps_are_read(internet, tmp_path, path, count):
    source = make_source("sitemap", f"http://mapped.example{path}")
    with context_for(tmp_path, internet.base_url, make_recipe(discover_sitemap, source)) as (app, context):
        run(context)
        assert len(rows(app, leads)) >= count
        assert all("&amp;" not in row["url"] for row in rows(app, leads))
        assert rows(app, sources)[0]["failures"] == 0


def test_the_sitemap_of_a_site_without_robots_is_found_at_the_usual_address(internet, tmp_path):
    source = make_source("sitemap", "http://bare.example")
    with context_for(tmp_path, internet.base_url, make_recipe(discover_sitemap, source)) as (app, context):
        run(context)
        assert len(rows(app, leads)) == URLS_PER_FILE


def test_a_site_without_a_sitemap_fails_with_its_reason(internet, tmp_path):
    source = make_source("sitemap", "http://unmapped.example/")
    with context_for(tmp_path, internet.base_url, make_recipe(discover_sitemap, source)) as (app, context):
        run(context)
        assert rows(app, sources)[0]["reason"] == "http_404"


def test_a_file_that_fails_once_is_read_at_the_next_poll(internet, tmp_path):
    source = make_source("sitemap", "http://mapped.example/maps/index.xml")
    internet.fault("mapped.example", "/maps/list.txt", Fault(status=404))
    with context_for(tmp_path, internet.base_url, make_recipe(discover_sitemap, source)) as (app, context):
        run(context)
        assert not any("list-" in row["url"] for row in rows(app, leads))
        app.operations.wake("trial", app.clock())
        run(context)
        assert sum("list-" in row["url"] for row in rows(app, leads)) == URLS_PER_FILE


@pytest.mark.parametrize("host", ["ledgerlane.example", "tokentribune.example", "hashfield.example"])
def test_every_article_of_a_news_site_is_in_its_sitemap(internet, host):
    truth = {item["urls"][0] for item in internet.truth() if item["host"] == host}

    def fetch(request):
        reply = internet.get(request.url)
        return Response(url=request.url, status=reply.status, headers=reply.headers, body=reply.body)

    result = run_session(discover_sitemap(make_source("sitemap", f"http://{host}/"), NOW), fetch)
    # The blog has no robots.txt, and its list stands where such lists usually are.
    assert set(result.urls) == truth
