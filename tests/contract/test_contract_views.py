"""The four tables that other programs read: `publishers`, `articles`, `ingestion_jobs`, `feed_performance`."""

import json
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from typing import Any

import pytest
from sqlalchemy import Engine, text
from tests.support.crypto_scene import CRYPTO, ask, crypto, drafts, moment
from tests.support.scene import HOUR, ME, START, Scene, ended_result, kept_result, make_lead, make_source

from headwater.model.jobs import State, Task
from headwater.store.connect import read_transaction, write_transaction
from headwater.store.views import drop_views, install_views
from headwater_recipes.crypto.views import CRYPTO_VIEWS

COLUMNS = {
    "publishers": "id name rss_url status last_successful_fetch error_count created_at updated_at",
    "articles": "id external_id guid title subtitle authors url body keywords language image_url published_on "
    "publisher_id status created_at updated_at page",
    "ingestion_jobs": "id job_type status started_at completed_at error_details articles_processed "
    "duplicates_found created_at",
    "feed_performance": "id publisher_id fetch_time response_time_ms articles_found status error_message created_at",
}
POSTGRESQL_TYPES = {
    "publishers": "bigint text text text timestamptz integer timestamptz timestamptz",
    "articles": "bigint bigint text text text text text text text text text timestamptz bigint text timestamptz "
    "timestamptz text",
    "ingestion_jobs": "bigint text text timestamptz timestamptz jsonb integer integer timestamptz",
    "feed_performance": "bigint bigint timestamptz integer integer text text timestamptz",
}
INDEXES = ("url", "guid", "published_on", "publisher_id", "status", "title_hash")
POSTGRESQL_INDEXES = ("content_hash", "title_fts")


@pytest.fixture
def engine(engine: Engine) -> Engine:
    install_views(engine, "crypto", CRYPTO_VIEWS)
    return engine


@pytest.fixture
def postgresql_engine(postgresql_engine: Engine) -> Engine:
    install_views(postgresql_engine, "crypto", CRYPTO_VIEWS)
    return postgresql_engine


@pytest.fixture
def sqlite_engine(sqlite_engine: Engine) -> Engine:
    install_views(sqlite_engine, "crypto", CRYPTO_VIEWS)
    return sqlite_engine


@pytest.mark.parametrize("view", COLUMNS)
def test_c25_to_c28_the_columns_are_those_of_the_contract(engine: Engine, view: str):
    with read_transaction(engine) as connection:
        assert list(connection.execute(text(f"SELECT * FROM {view}")).keys()) == COLUMNS[view].split()


@pytest.mark.parametrize("view", COLUMNS)
def test_c25_to_c28_the_types_are_those_of_the_contract_on_postgresql(postgresql_engine: Engine, view: str):
    query = (
        "SELECT column_name, udt_name FROM information_schema.columns WHERE table_name = :view "
        "ORDER BY ordinal_position"
    )
    short = {"int8": "bigint", "int4": "integer"}
    types = [short.get(row["udt_name"], row["udt_name"]) for row in ask(postgresql_engine, query, view=view)]
    assert types == POSTGRESQL_TYPES[view].split()


def test_c25_a_publisher_is_a_feed_with_its_standing(scene: Scene, engine: Engine):
    working, stopped, paused = crypto("Good"), crypto("Stopped"), crypto("Paused")
    scene.poll(source=working)
    scene.poll(source=stopped, error="http_500", failures=10, stop_reason="10 failures in a row")
    scene.poll(source=paused, active=False)
    scene.poll(source=make_source("Foreign"))
    publishers = {row["name"]: row for row in ask(engine, "SELECT * FROM publishers")}
    assert {name: row["status"] for name, row in publishers.items()} == {
        "Good": "ACTIVE",
        "Stopped": "INACTIVE",
        "Paused": "INACTIVE",
    }
    assert publishers["Good"]["rss_url"] == working.url
    assert moment(publishers["Good"]["last_successful_fetch"]) == START
    assert (publishers["Good"]["error_count"], publishers["Stopped"]["error_count"]) == (0, 10)
    assert publishers["Stopped"]["last_successful_fetch"] is None
    assert all(row["id"] > 0 and row["created_at"] and row["updated_at"] for row in publishers.values())


def test_c25_two_feeds_that_moved_to_one_address_stay_apart(scene: Scene, engine: Engine):
    for name in ("First", "Second"):
        scene.poll(source=crypto(name), moved_to="https://home.example/feed")
    addresses = [row["rss_url"] for row in ask(engine, "SELECT rss_url FROM publishers")]
    assert len(set(addresses)) == 2
    assert "https://home.example/feed" in addresses


def test_c26_an_article_shows_what_is_known_about_a_document(scene: Scene, engine: Engine):
    source = crypto()
    (draft,) = drafts(scene, source, "mine")
    fields = {
        "guid": "tag:ledger.example,2026:1",
        "title": "Mine opens",
        "text": "A mine opened.",
        "authors": ("Ada Vane", "Bo Lind"),
        "keywords": ("mining", "energy"),
        "language": "en",
        "image": "https://ledger.example/mine.png",
        "description": "In the north.",
        "published": START - HOUR,
    }
    scene.refine(kept_result(draft, **fields))
    (article,) = ask(engine, "SELECT * FROM articles")
    (publisher,) = ask(engine, "SELECT id FROM publishers")
    assert article["external_id"] == int.from_bytes(sha256(fields["guid"].encode()).digest()[:8], "big") >> 1
    assert {name: article[name] for name in ("guid", "title", "url", "subtitle", "body", "language")} == {
        "guid": fields["guid"],
        "title": "Mine opens",
        "url": draft.lead.lead.url,
        "subtitle": "In the north.",
        "body": "A mine opened.",
        "language": "en",
    }
    assert (article["authors"], article["keywords"]) == ("Ada Vane, Bo Lind", "mining, energy")
    assert article["image_url"] == fields["image"]
    assert moment(article["published_on"]) == START - HOUR
    assert article["publisher_id"] == publisher["id"]
    assert article["status"] == "ACTIVE"
    assert article["id"] > 0


def test_c26_a_subtitle_of_its_own_wins_and_what_is_missing_is_null(scene: Scene, engine: Engine):
    first_draft, second_draft = drafts(scene, crypto(), "one", "two")
    scene.refine(
        kept_result(first_draft, attributes={"subtitle": "Own"}, description="Other"),
        kept_result(second_draft, text=""),
    )
    first, second = ask(engine, "SELECT * FROM articles ORDER BY subtitle NULLS LAST")
    assert first["subtitle"] == "Own"
    empty = ("subtitle", "authors", "body", "keywords", "language", "image_url", "published_on")
    assert [second[name] for name in empty] == [None] * len(empty)
    assert second["guid"] == second["url"]


def test_c26_the_states_of_a_document_are_the_words_of_the_contract(scene: Scene, engine: Engine):
    paths = ("kept", "aside", "quarantined", "dropped", "copy", "waiting")
    by_path = dict(zip(paths, drafts(scene, crypto(), *paths), strict=True))
    scene.refine(
        kept_result(by_path["kept"]),
        ended_result(by_path["aside"], State.ASIDE, "js_required"),
        ended_result(by_path["quarantined"], State.QUARANTINED, "error:ValueError"),
        ended_result(by_path["dropped"], State.DROPPED, "low_quality"),
        ended_result(by_path["copy"], State.DUPLICATE, "duplicate:text", of=by_path["kept"].id),
    )
    statuses = {row["url"].rpartition("/")[2]: row["status"] for row in ask(engine, "SELECT * FROM articles")}
    assert statuses == {
        "kept": "ACTIVE",
        "aside": "INACTIVE",
        "quarantined": "INACTIVE",
        "dropped": "DELETED",
    }


def test_c26_numbers_guids_and_addresses_are_unique_whatever_the_feeds_say(scene: Scene, engine: Engine):
    first = drafts(scene, crypto("A"), "1", "2")
    second = drafts(scene, crypto("B"), "1", "2", "3")
    same = {"guid": "1", "url": "https://home.example/"}
    scene.refine(*(kept_result(draft, **same) for draft in first))
    scene.refine(
        *(kept_result(draft, **same) for draft in second[:2]), kept_result(second[2], guid="g" * 5_000)
    )
    articles = ask(engine, "SELECT * FROM articles")
    for name in ("id", "external_id", "guid", "url"):
        values = [row[name] for row in articles]
        assert None not in values, name
        assert len(set(values)) == 5, name
    assert [row["url"] for row in articles if row["guid"] == "1"] == ["https://home.example/"]
    assert sum(row["guid"].startswith("1#") for row in articles) == 3


def test_c17_an_article_has_its_address_without_tracking_and_without_a_guid_that_is_its_name(
    scene: Scene, engine: Engine
):
    first_draft, second_draft = drafts(scene, crypto(), "one", "two")
    scene.refine(
        kept_result(first_draft, url="https://ledger.example/one?utm_source=rss&id=7#top"),
        ended_result(second_draft, State.ASIDE, "js_required", document=False),
    )
    articles = {row["status"]: row for row in ask(engine, "SELECT * FROM articles")}
    assert articles["ACTIVE"]["url"] == articles["ACTIVE"]["guid"] == "https://ledger.example/one?id=7"
    assert articles["INACTIVE"]["url"] == second_draft.lead.lead.url


def test_c26_a_new_revision_keeps_the_numbers(scene: Scene, engine: Engine):
    (draft,) = drafts(scene, crypto(), "a")
    scene.refine(kept_result(draft, guid="a", title="Before"))
    (before,) = ask(engine, "SELECT * FROM articles")
    scene.now += HOUR
    lead = replace(draft.lead, lead=replace(draft.lead.lead, version="v2"))
    scene.poll(lead, source=crypto())
    (again,) = scene.claim(Task.REFINE, recipe=CRYPTO)
    scene.refine(kept_result(again, guid="a", title="After", url="https://moved.example/a"))
    (after,) = ask(engine, "SELECT * FROM articles")
    assert after["title"] == "After"
    assert {name: after[name] for name in ("id", "external_id", "guid", "url")} == {
        name: before[name] for name in ("id", "external_id", "guid", "url")
    }


def test_c27_a_job_is_a_poll_of_a_feed(scene: Scene, engine: Engine):
    working, bad, running = crypto("Good"), crypto("Bad"), crypto("Running")
    leads = [make_lead(path, source=working, body="b") for path in ("a", "b", "c")]
    scene.poll(*leads[:2], source=working)
    scene.now += HOUR
    scene.poll(*leads, source=working)
    scene.poll(source=bad, error="http_503", detail="busy", status=503)
    scene.store.register([running], scene.now)
    scene.claim(Task.POLL, keys=(running.id,), recipe=CRYPTO)
    jobs = ask(engine, "SELECT * FROM ingestion_jobs ORDER BY created_at, status")
    assert {row["job_type"] for row in jobs} == {"ingest_feed"}
    assert [row["status"] for row in jobs] == ["COMPLETED", "COMPLETED", "FAILED", "RUNNING"]
    assert [(row["articles_processed"], row["duplicates_found"]) for row in jobs] == [
        (2, 0),
        (3, 2),
        (0, 0),
        (0, 0),
    ]
    details = jobs[2]["error_details"]
    assert (json.loads(details) if isinstance(details, str) else details) == {
        "error": "http_503",
        "detail": "busy",
        "http_status": 503,
    }
    assert [row["error_details"] for row in jobs[:2]] == [None, None]
    assert [row["completed_at"] is None for row in jobs] == [False, False, False, True]
    assert len({row["id"] for row in jobs}) == 4


def test_c27_duplicates_are_counted_by_address_and_by_content_in_the_poll_that_listed_them(
    scene: Scene, engine: Engine
):
    first, second = crypto("First"), crypto("Second")
    entries = [make_lead(path, source=first, body="b") for path in ("a", "b", "c")]
    scene.poll(*entries, source=first)
    scene.poll(make_lead("again", source=second, url=entries[0].lead.url, body="b"), source=second)
    original, copy, other = scene.claim(Task.REFINE, recipe=CRYPTO)
    repeated = ended_result(copy, State.DUPLICATE, "duplicate:content", of=original.id)
    scene.refine(kept_result(original, guid="o"), repeated, kept_result(other, guid="x"))
    jobs = ask(engine, "SELECT articles_processed, duplicates_found FROM ingestion_jobs ORDER BY 1")
    assert [tuple(row.values()) for row in jobs] == [(1, 1), (3, 1)]


def test_c28_the_performance_of_a_feed_lists_its_polls(scene: Scene, engine: Engine):
    source = crypto()
    scene.poll(make_lead("a", source=source, body="b"), source=source, elapsed_ms=120, status=200)
    scene.now += HOUR
    scene.poll(source=source, error="timeout", detail="no answer", elapsed_ms=30_000)
    polls = ask(engine, "SELECT * FROM feed_performance ORDER BY fetch_time")
    (publisher,) = ask(engine, "SELECT id FROM publishers")
    assert [row["publisher_id"] for row in polls] == [publisher["id"]] * 2
    assert [(row["response_time_ms"], row["articles_found"], row["status"]) for row in polls] == [
        (120, 1, "COMPLETED"),
        (30_000, 0, "FAILED"),
    ]
    assert [row["error_message"] for row in polls] == [None, "timeout: no answer"]
    assert moment(polls[1]["fetch_time"]) == START + HOUR


def test_c29_the_indexes_of_the_contract_are_there(engine: Engine):
    postgresql = engine.dialect.name == "postgresql"
    query = "SELECT indexname AS name FROM pg_indexes" if postgresql else "SELECT name FROM sqlite_master"
    existing = {row["name"] for row in ask(engine, query)}
    required = INDEXES + (POSTGRESQL_INDEXES if postgresql else ())
    assert {f"idx_articles_{name}" for name in required} <= existing


@pytest.mark.parametrize(
    ("where", "index"),
    [
        ("url = 'x'", "idx_articles_url"),
        ("guid = 'x'", "idx_articles_guid"),
        ("external_id = 7", "uq_document_keys_external_id"),
        ("id = 7", "uq_document_keys_id"),
        ("status = 'INACTIVE' ORDER BY published_on DESC LIMIT 20", "idx_articles_status"),
        ("publisher_id = 7 ORDER BY published_on DESC LIMIT 20", "idx_articles_publisher_id"),
        ("title = 'x'", "idx_articles_title_hash"),
    ],
)
def test_c31_standard_queries_use_an_index_on_sqlite(sqlite_engine: Engine, where: str, index: str):
    plan = ask(sqlite_engine, f"EXPLAIN QUERY PLAN SELECT * FROM articles WHERE {where}")
    assert any(index in row["detail"] for row in plan)
    assert not any(row["detail"].startswith(("SCAN d", "SCAN k")) for row in plan)


@pytest.mark.parametrize(
    ("where", "index"),
    [
        ("md5(title) = md5('x')", "idx_articles_title_hash"),
        ("md5(substring(body, 1, 1000)) = md5('x')", "idx_articles_content_hash"),
        ("status = 'INACTIVE' ORDER BY published_on DESC LIMIT 20", "idx_articles_status"),
    ],
)
def test_c29_the_hashes_use_their_index_on_postgresql(postgresql_engine: Engine, where: str, index: str):
    """Over enough rows for an index to be worth it; they are gone when the connection closes."""
    many = """INSERT INTO documents (id, recipe, source_id, lead_id, number, revision, state, url, title, text, detail,
                                     created_at, updated_at)
              SELECT md5(n::text), 'crypto', 's', md5(n::text), n, 1, 'kept', n::text, n::text, n::text, '',
                     now(), now() FROM generate_series(1, 3000) AS n"""
    with postgresql_engine.connect() as connection:
        connection.execute(text("SET LOCAL session_replication_role = replica"))  # no keys are checked
        connection.execute(text(many))
        connection.execute(text("ANALYZE documents"))
        plan = list(connection.execute(text(f"EXPLAIN SELECT * FROM articles WHERE {where}")).scalars())
        connection.rollback()
    assert any(index in line for line in plan), plan


def test_c30_documents_decided_before_the_views_existed_get_their_keys(scene: Scene, engine: Engine):
    first_draft, second_draft = drafts(scene, crypto(), "one", "two")
    with write_transaction(engine) as connection:
        drop_views(connection, "crypto")
    scene.refine(kept_result(first_draft, guid="same"), kept_result(second_draft, guid="same"))
    assert install_views(engine, "crypto", CRYPTO_VIEWS) is True
    articles = ask(engine, "SELECT * FROM articles")
    assert {row["guid"].partition("#")[0] for row in articles} == {"same"}
    assert len({row["guid"] for row in articles}) == 2
    assert all(row["id"] > 0 for row in articles)


def _in_one_order(engine: Engine, view: str) -> list[dict[str, Any]]:
    """All rows; a view has no order of its own."""
    return sorted(ask(engine, f"SELECT * FROM {view}"), key=lambda row: str(list(row.values())))


def test_c30_articles_keep_their_keys_when_the_views_are_created_anew(scene: Scene, engine: Engine):
    first_draft, second_draft = drafts(scene, crypto(), "one", "two")
    scene.refine(kept_result(first_draft, guid="same"), kept_result(second_draft, guid="same"))
    before = {view: _in_one_order(engine, view) for view in COLUMNS}
    with write_transaction(engine) as connection:
        drop_views(connection, "crypto")
    install_views(engine, "crypto", CRYPTO_VIEWS)
    assert {view: _in_one_order(engine, view) for view in COLUMNS} == before
    assert len(before["articles"]) == 2


def test_c30_a_document_that_is_deleted_takes_its_keys_along(scene: Scene, engine: Engine):
    (draft,) = drafts(scene, crypto(), "a")
    scene.refine(kept_result(draft))
    with write_transaction(engine) as connection:
        connection.execute(text("DELETE FROM documents WHERE id = :id"), {"id": draft.id})
    assert ask(engine, "SELECT * FROM articles") == []
    assert ask(engine, "SELECT * FROM document_keys") == []


def test_c26_other_recipes_are_not_in_the_contract(scene: Scene, engine: Engine):
    scene.keep("a")
    scene.now += timedelta(minutes=1)
    assert [ask(engine, f"SELECT * FROM {view}") for view in COLUMNS] == [[], [], [], []]
    assert scene.claim(Task.REFINE, ME) == []


def test_the_last_jobs_are_read_in_the_order_of_an_index_on_postgresql(postgresql_engine: Engine):
    with postgresql_engine.begin() as connection:
        connection.execute(text("SET LOCAL enable_seqscan = off"))  # the table is empty
        query = "EXPLAIN SELECT * FROM ingestion_jobs ORDER BY created_at DESC LIMIT 50"
        plan = list(connection.execute(text(query)).scalars())
    assert any("Merge Append" in line for line in plan), plan
    assert any("ix_polls_recipe_started" in line for line in plan), plan
