"""The town hall of the demo internet, crawled through the whole engine."""

import pytest
from sqlalchemy import select
from tests.support.poll_sessions import context_for, make_recipe, make_source, run

from headwater.sources.crawl.poll import discover_crawl
from headwater.store.connect import read_transaction
from headwater.store.schema.flow import captures, documents, leads, polls, sources
from headwater_demo.faults import Fault
from headwater_demo.internet import running
from headwater_demo.sites.townhall import SERVICES

MARKERS = ["Requisitos", "Documentacion necesaria", "Plazo"]


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


def requested_paths(internet):
    return [
        r["path"] for r in internet.log() if r["host"] == "townhall.example" and r["path"] != "/robots.txt"
    ]


def crawl_context(internet, tmp_path, **options):
    crawl_options = {
        "page_patterns": ["/tramites/"],
        "markers": MARKERS,
        "least_markers": 2,
        "per_shape": 5,
    } | options
    source = make_source("crawl", "http://townhall.example/", options=crawl_options)
    return context_for(tmp_path, internet.base_url, make_recipe(discover_crawl, source))


def test_p6_services_are_recognised_by_address_and_markers_and_become_documents(internet, tmp_path):
    with crawl_context(internet, tmp_path) as (app, context):
        run(context)
        titles = {row["title"] for row in rows(app, documents) if row["state"] == "kept"}
        assert {title for title, _ in SERVICES.values()} == titles
        assert not any("�" in row["text"] or "Ã" in row["text"] for row in rows(app, documents))


def test_p6_no_page_is_requested_twice_and_each_document_has_its_own_capture(internet, tmp_path):
    with crawl_context(internet, tmp_path) as (app, context):
        run(context)
        paths = [path for path in requested_paths(internet) if not path.startswith("/buscar")]
        assert sorted(paths) == sorted(set(paths))
        by_id = {row["id"]: row for row in rows(app, captures)}
        for document in rows(app, documents):
            assert by_id[document["capture_id"]]["final_url"] == document["url"]


def test_p6_robots_nofollow_other_domains_and_endless_calendars_limit_the_crawl(internet, tmp_path):
    with crawl_context(internet, tmp_path) as (app, context):
        run(context)
        paths = requested_paths(internet)
        assert not {"/intranet/nominas", "/oculto", "/personal/lista", "/logo.png"} & set(paths)
        assert {record["host"] for record in internet.log()} == {"townhall.example"}
        assert sum(path.startswith("/agenda/") for path in paths) <= 5
        assert sum(path == "/buscar" for path in paths) <= 10
        (poll_row,) = rows(app, polls)
        warning_text = " ".join(poll_row["warnings"])
        assert "page_failed:robots" in warning_text
        assert "page_failed:http_404" in warning_text
        assert "links_skipped:too_many_alike" in warning_text


def test_a_pdf_whose_address_matches_is_a_lead_that_is_fetched_later(internet, tmp_path):
    with crawl_context(internet, tmp_path) as (app, context):
        run(context)
        (pdf_lead,) = [row for row in rows(app, leads) if row["url"].endswith(".pdf")]
        assert pdf_lead["body"] is None
        assert pdf_lead["capture_id"] is not None
        assert requested_paths(internet).count("/tramites/solicitud.pdf") == 1


def test_a_second_crawl_changes_nothing(internet, tmp_path):
    with crawl_context(internet, tmp_path) as (app, context):
        run(context)
        before = [(row["id"], row["revision"]) for row in rows(app, documents)]
        app.operations.wake("trial", app.clock())
        run(context)
        assert [(row["id"], row["revision"]) for row in rows(app, documents)] == before
        assert [row["new_count"] for row in rows(app, polls)][1:] == [0]


def test_a_page_that_fails_does_not_end_the_crawl(internet, tmp_path):
    internet.fault("townhall.example", "/tramites/padron", Fault(status=403), times=2)
    with crawl_context(internet, tmp_path, exclude=["/mudado", "/copia"]) as (app, context):
        run(context)
        urls = {row["url"] for row in rows(app, documents)}
        assert "http://townhall.example/tramites/tasa-basuras" in urls
        assert rows(app, sources)[0]["failures"] == 0


def test_a_site_that_cannot_be_entered_is_a_failing_source(internet, tmp_path):
    source = make_source("crawl", "http://unmapped.example/")
    with context_for(tmp_path, internet.base_url, make_recipe(discover_crawl, source)) as (app, context):
        run(context)
        assert (rows(app, sources)[0]["reason"], rows(app, sources)[0]["failures"]) == ("http_404", 1)
