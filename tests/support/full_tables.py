"""An installation in which every list has rows that are too long for a terminal."""

from datetime import timedelta
from pathlib import Path

import yaml
from sqlalchemy import insert, update
from tests.support.scene import RECIPE, Scene, ended_result, kept_result, make_source

from headwater.app import App
from headwater.model.jobs import State
from headwater.model.page import PageState
from headwater.ops.backup import create_backup
from headwater.settings.settings import read_settings
from headwater.store.connect import write_transaction
from headwater.store.schema.flow import documents, quarantine, sources
from headwater.store.schema.knowledge import aliases, subjects
from headwater.store.schema.links import link_health
from headwater.store.schema.operations import alarms, queue_items
from headwater.store.schema.replays import replays
from headwater.store.schema.summaries import summary_batches

LONG_TITLE = (
    "Harbour authority of Port Ostrava postpones the decision on the northern quay until spring, again"
)
LONG_NAME = "The Northern Harbour and Shipping Gazette, weekend edition"
LONG_URL = (
    "https://gazette.example/2026/11/14/harbour-authority-postpones-the-decision-on-the-northern-quay-again"
)
LONG_DETAIL = "the server answered with status 503 three times in a row, and asked to be left alone for 900 s"
MARKETS_LIST = {
    "entities": [
        {
            "ticker": "NGSC",
            "name": "Northern Gas and Shipping Company of Ostrava",
            "sector": "Transport and storage of energy",
            "aliases": ["Northern Gas", "NGSC Holdings", "The Northern"],
        }
    ],
    "sources": [],
}


def write_settings(folder: Path) -> Path:
    (folder / "watchlist.yaml").write_text(yaml.safe_dump(MARKETS_LIST))
    path = folder / "headwater.yaml"
    path.write_text(
        f"data: {folder / 'data'}\nrecipes: {{markets: {{sources: {folder / 'watchlist.yaml'}}}}}\n"
    )
    return path


def full_installation(folder: Path) -> App:
    app = App(read_settings(write_settings(folder)))
    scene = Scene(app.store, now=app.clock() - timedelta(hours=1), source=make_source("Gazette"))
    _add_documents(scene)
    _add_rows(app, scene)
    _add_files(app)
    create_backup(app, folder / "backups")
    return app


def _add_documents(scene: Scene) -> None:
    drafts = scene.drafts("quay", "quay-copy", "quay-advert")
    fields = {"title": LONG_TITLE, "language": "en", "published": scene.now - timedelta(hours=3)}
    kept = kept_result(drafts[0], **fields)
    copy = ended_result(drafts[1], State.DUPLICATE, "duplicate:text")
    dropped = ended_result(drafts[2], State.DROPPED, "filter:words_that_nobody_wants_to_read")
    scene.refine(kept, copy, dropped)


def _add_rows(app: App, scene: Scene) -> None:
    now, record_id = scene.now, "a1" * 32
    common = {"recipe": RECIPE, "created_at": now}
    with write_transaction(app.store.engine) as connection:
        connection.execute(
            update(documents).where(documents.c.state == State.KEPT).values(page=PageState.PAYWALL)
        )
        connection.execute(update(sources).values(name=LONG_NAME, url=LONG_URL, failures=3))
        for table, row in (
            (quarantine, {"record_id": record_id, "task": "refine", "state": "refining", "attempts": 5,
                          "reason": "error:UnicodeDecodeError", "detail": LONG_DETAIL, "evidence": {}}),
            (link_health, {"id": record_id, "url": LONG_URL, "record_kind": "document", "record_id": record_id,
                           "source_id": scene.source.id, "priority": "P0", "state": "broken", "failures": 3,
                           "reason": "certificate_expired_long_ago", "due_at": now + timedelta(days=1)}),
            (queue_items, {"id": "1", "queue": f"{RECIPE}:extraction:of-everything-that-came-in-and-was-not-read",
                           "document_id": record_id, "payload": {}, "state": "waiting"}),
            (replays, {"id": record_id, "since": now, "until": now, "state": "reported", "cursor_at": now,
                       "cursor_id": "", "expected_count": 12_345, "listed_count": 12_345, "counts": {}, "fields": {},
                       "chosen_verdicts": [], "updated_at": now}),
        ):  # fmt: skip
            connection.execute(insert(table).values(**(common | row)))
        connection.execute(
            insert(alarms).values(
                id=record_id, recipe=RECIPE, kind="source_stopped", subject="", title=f"{LONG_NAME} was stopped",
                detail=LONG_DETAIL, evidence={}, raised_at=now, cleared_at=now, revision=1,
            )
        )  # fmt: skip
        connection.execute(
            insert(subjects).values(
                id="northern-gas-and-shipping-company-of-ostrava", recipe=RECIPE, kind="organisation", name=LONG_NAME,
                active=True, attributes={},
            )
        )  # fmt: skip
        connection.execute(
            insert(aliases).values(
                subject_id="northern-gas-and-shipping-company-of-ostrava", alias="x", kind="name"
            )
        )
        connection.execute(
            insert(summary_batches).values(
                id=record_id, endpoint="https://llm.example", model="a-model-with-a-long-name-2026-11-01-preview",
                state="sent", request_count=1_000, cost=12.3456, reason=LONG_DETAIL, created_at=now,
            )
        )  # fmt: skip


def _add_files(app: App) -> None:
    records = app.settings.folder / "records" / RECIPE
    records.mkdir(parents=True)
    (records / "2026-10-documents-of-the-northern-harbour-and-shipping-gazette.parquet").write_bytes(b"PAR1")
