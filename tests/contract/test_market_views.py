"""The tables of the markets contract, readable by name in plain SQL, on both databases."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
import tests.support.scene as scenes
from sqlalchemy import Engine, text
from tests.support.market_views import plain_name_statements
from tests.support.scene import ME, make_lead, make_source

from headwater.model.document import Mention
from headwater.model.jobs import DeliveryResult, RefineResult, State
from headwater.model.keys import key
from headwater.model.ports import QueueItem
from headwater.model.source import Source
from headwater.model.subject import Alias, Subject
from headwater.store.changes.mentions import MentionStore
from headwater.store.changes.queues import SqlQueues
from headwater.store.connect import write_transaction
from headwater.store.sql_store import SqlStore
from headwater.store.views import drop_views, install_views
from headwater_recipes.markets.views import MARKET_VIEWS, NAMES, view_name

pytestmark = pytest.mark.usefixtures("recipe_views")
NGSC, SLNR = (key("subject", "markets", ticker) for ticker in ("NGSC", "SLNR"))


def subject(ticker: str, name: str) -> Subject:
    fields = {"ticker": ticker, "legal_name": f"{name} Inc.", "sector": "Chips", "cik": "0000000001"}
    return Subject(
        id=key("subject", "markets", ticker), name=name,
        aliases=(Alias(ticker, "", "ticker"), Alias(name, "", "alias")), attributes=fields,
    )  # fmt: skip


def source(name: str, of: str) -> Source:
    return replace(make_source(name, recipe="markets"), kind="news_api", subject=of)


class Market(scenes.Scene):
    """A scene of this recipe."""

    def claim(self, task, owner=ME, *, recipe="markets", **options):
        return super().claim(task, owner, recipe=recipe, **options)


@pytest.fixture
def market(engine: Engine) -> Market:
    return Market(SqlStore(engine), source=source("Wire", NGSC))


@pytest.fixture
def filled(engine: Engine, market: Market):
    """Two companies, one article under both, one that is poor, one that another program failed on."""
    MentionStore(engine).declare("markets", [subject("NGSC", "Northgate"), subject("SLNR", "Solnara")])
    url = "https://press.example/shared"
    hints = {"attributes": {"ticker": "NGSC", "document_type": "news", "source_type": "news_api"}}
    leads = [
        market.lead(path, url=url if path == "shared" else None, subject=NGSC, hints=hints)
        for path in ("shared", "poor", "hard")
    ]
    market.poll(*leads, watermark={"published": "2026-11-13T08:00:00+00:00"})
    other = source("Quay", SLNR)
    market.poll(make_lead("again", source=other, url=url, subject=SLNR), source=other)
    market.fetch(*leads)
    drafts = {draft.lead.lead.identity: draft for draft in market.claim(scenes.Task.REFINE)}
    results = []
    for name, draft in drafts.items():
        outcome: dict[str, Any] = (
            {"state": State.KEPT} if name != "poor" else {"state": State.ASIDE, "reason": "low_quality"}
        )
        document = scenes.make_document(
            draft, subjects=(NGSC,), quality=0.8, attributes=hints["attributes"],
            mentions=(Mention(NGSC, "ticker", 0.9, 3),),
        )  # fmt: skip
        results.append(
            RefineResult(id=draft.id, capture=draft.capture.id, revision=1, document=document, **outcome)
        )
    market.refine(*results)
    queues = SqlQueues(engine, lambda: market.now, tries=1)
    hard = drafts["hard"].id
    queues.push(
        [QueueItem(id="i1", queue="app:queue:extraction", recipe="markets", document=hard, payload={})]
    )
    queues.pop("app:queue:extraction", ME)
    queues.fail("i1", "no_model")
    return market, {name: draft.id for name, draft in drafts.items()}


@pytest.fixture
def ask(engine: Engine):
    def select(query: str) -> list[dict[str, Any]]:
        with engine.connect() as connection:
            for statement in plain_name_statements(engine.dialect.name):
                connection.execute(text(statement))
            rows = [dict(row) for row in connection.execute(text(query)).mappings()]
            connection.rollback()
            connection.invalidate()  # the plain names go with it
            return rows

    return select


def test_r88_companies_and_their_names(filled, ask):
    (row,) = ask("SELECT * FROM companies WHERE ticker = 'NGSC'")
    assert (row["id"], row["legal_name"], row["sector"]) == (NGSC, "Northgate Inc.", "Chips")
    names = ask(f"SELECT alias, alias_type FROM company_aliases WHERE company_id = '{NGSC}' ORDER BY alias")
    assert [tuple(name.values()) for name in names] == [("NGSC", "ticker"), ("Northgate", "alias")]


def test_r62_r88_sources_carry_their_config_and_how_far_they_were_read(filled, ask):
    (row,) = ask("SELECT * FROM sources WHERE source_name = 'Wire'")
    assert (row["company_id"], row["source_type"], row["retry_count"]) == (NGSC, "news_api", 0)
    assert row["published_utc"] == "2026-11-13T08:00:00+00:00"


def test_r45_r61_r88_runs_have_their_status_and_counts(filled, ask):
    rows = ask("SELECT status, items_fetched, items_new FROM ingestion_runs ORDER BY items_fetched")
    # The article of the first run is listed by the other source, too: it is fetched, but not new.
    assert [tuple(row.values()) for row in rows] == [("completed", 1, 0), ("completed", 3, 3)]


def test_r88_documents_have_the_statuses_of_the_contract(filled, ask):
    _, ids = filled
    rows = {row["id"]: row for row in ask("SELECT * FROM documents")}
    assert {name: rows[key]["status"] for name, key in ids.items()} == {
        "shared": "parsed",
        "poor": "low_quality",
        "hard": "extraction_failed",
    }
    row = rows[ids["shared"]]
    assert (row["company_id"], row["ticker"], row["document_type"]) == (NGSC, "NGSC", "news")
    assert (row["quality_score"], row["confidence"]) == (0.8, "high")
    assert len(row["content_hash"]) == 64


def test_r57_r83_a_document_is_linked_to_every_company_that_it_came_for(filled, ask):
    _, ids = filled
    rows = ask(f"SELECT * FROM document_company_mentions WHERE document_id = '{ids['shared']}'")
    assert {(row["company_id"], row["mention_type"], row["match_count"]) for row in rows} == {
        (NGSC, "ticker", 3),
        (SLNR, "seen_for", 0),
    }


def test_r42_r88_intelligence_is_what_another_program_made_of_a_document(filled, ask, engine: Engine):
    market, ids = filled
    (row,) = ask("SELECT * FROM document_intelligence")
    assert (row["document_id"], row["status"], row["error_message"]) == (ids["hard"], "failed", "no_model")
    queues = SqlQueues(engine, lambda: market.now + timedelta(hours=1))
    queues.retry()
    assert ask("SELECT * FROM document_intelligence") == []
    assert ask(f"SELECT status FROM documents WHERE id = '{ids['hard']}'") == [{"status": "parsed"}]
    queues.ack("i1", {"summary": "fine"})
    (row,) = ask("SELECT * FROM document_intelligence")
    assert row["status"] == "completed"
    assert "fine" in str(row["intelligence"])
    assert ask(f"SELECT status FROM documents WHERE id = '{ids['hard']}'") == [{"status": "extracted"}]


def test_r42_a_document_is_extracted_only_when_its_newest_revision_is(market, ask):
    queue = "app:queue:extraction"
    (draft,) = market.keep("a", routes=(queue,))
    queues = SqlQueues(market.store.engine, lambda: market.now)

    def status() -> str:
        (row,) = ask(f"SELECT status FROM documents WHERE id = '{draft.id}'")
        return str(row["status"])

    def deliver() -> QueueItem:
        (delivery,) = market.claim(scenes.Task.DELIVER)
        item_id = f"{delivery.id}-{delivery.revision}"
        item = QueueItem(id=item_id, queue=queue, recipe="markets", document=draft.id, payload={})
        queues.push([item])
        result = DeliveryResult(id=delivery.id, revision=delivery.revision, receipt="1")
        market.store.finish_deliver([result], ME, market.now)
        return item

    first = deliver()
    market.now += timedelta(hours=1)
    later = market.change(draft, "corrected")
    market.refine(scenes.kept_result(later, routes=(queue,)))
    queues.ack(first.id)
    assert status() == "parsed"  # the second revision is on its way to the queue
    second = deliver()
    assert status() == "parsed"
    queues.ack(second.id)
    assert status() == "extracted"


def test_the_views_exist_beside_the_tables_and_can_be_created_again(filled, engine: Engine):
    with write_transaction(engine) as connection:
        drop_views(connection, "markets")
    assert [install_views(engine, "markets", MARKET_VIEWS) for _ in range(2)] == [True, False]
    with write_transaction(engine) as connection:
        for name in NAMES:
            connection.execute(text(f"SELECT count(*) FROM {view_name(engine.dialect.name, name)}"))
        states = connection.execute(text("SELECT state FROM documents")).scalars()
        assert {"kept", "aside"} <= set(states)


def test_other_recipes_are_not_in_the_views(scene: scenes.Scene, ask):
    scene.keep("a", "b")
    assert ask("SELECT * FROM documents") == ask("SELECT * FROM sources") == []
