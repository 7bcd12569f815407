"""A small installation with documents, captured pages, a story, an alarm and a quarantined record, for tests of the API."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

from sqlalchemy import insert, update
from starlette.testclient import TestClient
from tests.support.scene import RECIPE, START, Scene, kept_result, make_story
from tests.support.web_client import refuse_runs

from headwater.app import App
from headwater.model.api_key import KeyScope
from headwater.settings.settings import Settings
from headwater.store.bulk import insert_into
from headwater.store.rows import capture_from
from headwater.store.schema.flow import captures, groups, quarantine, stories, story_members
from headwater.store.schema.operations import alarms
from headwater.web.application import build_application
from headwater.web.security.token_bucket import TokenBuckets
from headwater.web.serving import make_context

NOW = START + timedelta(hours=1)
KEY = "a key that is hard to guess"
WITH_KEY = {"X-Api-Key": KEY}
BROWSER = {"accept": "text/html", "origin": "http://127.0.0.1"}
PATHS = ("harbour-strike", "harbour-talks", "rain-record")
HOSTILE = '<script>alert("1")</script>'


def page_of(path: str) -> bytes:
    title = path.replace("-", " ").title()
    return f"<html><title>{title}</title><p>The text <b>of</b>\n {path}.</p></html>".encode()


def fill(app: App) -> list[str]:
    """Three documents, the first two in one story; returns their ids."""
    scene = Scene(app.store, now=START)
    drafts = []
    for number, path in enumerate(PATHS):
        scene.now = START + timedelta(minutes=number)
        (draft,) = scene.drafts(path)
        title = f"{path.replace('-', ' ').title()}"
        published = START - timedelta(hours=number)
        group = "harbour" if path.startswith("harbour") else None
        fields: dict[str, Any] = {
            "title": title if number else f"{title} {HOSTILE}",
            "published": published,
            "language": "en",
            "publisher": "Wire",
            "origins": {"title": "html title", "text": "html body"},
            "group": group,
        }
        scene.refine(kept_result(draft, **fields))
        drafts.append(draft)
        _archive(app, draft.capture.id, path)
    ids = [draft.id for draft in drafts]
    _store_story(app, ids[:2])
    _store_operations(app, ids[2])
    return ids


def _archive(app: App, capture: str, path: str) -> None:
    body = page_of(path)
    with app.store.engine.begin() as connection:
        row = dict(connection.execute(captures.select().where(captures.c.id == capture)).mappings().one())
        digest = sha256(body).hexdigest()
        stored = capture_from(row | {"sha256": digest, "size": len(body)})
        (stored,) = app.archive.put([(stored, body)])
        values = {
            "sha256": digest,
            "size": len(body),
            "pack": stored.pack,
            "start": stored.start,
            "length": stored.length,
        }
        connection.execute(update(captures).where(captures.c.id == capture).values(**values))


def _store_story(app: App, ids: list[str]) -> None:
    story = make_story("harbour story", "harbour", *ids)
    with app.store.engine.begin() as connection:
        connection.execute(
            insert_into(connection.dialect, groups).on_conflict_do_nothing(),
            [{"id": story.group, "recipe": RECIPE, "name": "harbour", "version": 1, "created_at": START}],
        )
        connection.execute(
            insert(stories),
            [
                {
                    "id": "5" * 40, "recipe": RECIPE, "group_id": story.group, "state": "live", "title": "Harbour strike",
                    "summary": "Dockers strike.", "size": 2, "first_at": START, "last_at": START, "score": 0.5,
                    "revision": 1, "attributes": {}, "created_at": START, "updated_at": START,
                }
            ],
        )  # fmt: skip
        connection.execute(
            insert(story_members),
            [{"story_id": "5" * 40, "document_id": document, "similarity": 0.9} for document in ids],
        )


def _store_operations(app: App, document: str) -> None:
    with app.store.engine.begin() as connection:
        connection.execute(
            insert(quarantine),
            [
                {
                    "record_id": document, "task": "refine", "recipe": RECIPE, "state": "quarantined", "reason": "too_deep",
                    "detail": "nested 1000 deep", "evidence": {"depth": 1000}, "attempts": 3, "created_at": START,
                }
            ],
        )  # fmt: skip
        connection.execute(
            insert(alarms),
            [
                {
                    "id": "a" * 40, "recipe": RECIPE, "kind": "silence", "subject": "Wire", "title": "Wire is silent",
                    "detail": "no news for a day", "evidence": {}, "raised_at": START, "cleared_at": None, "revision": 1,
                }
            ],
        )  # fmt: skip


@contextmanager
def api_client(
    app: App,
    *,
    client: str = "127.0.0.1",
    base_url: str = "http://127.0.0.1",
    local_scope: KeyScope = KeyScope.READ,
    **options: Any,
) -> Iterator[TestClient]:
    """A client of the application in this process. Without a key, it may do in the pages what `local_scope` says."""
    context = make_context(app, refuse_runs, settings_key=KEY, **options)
    context.local_scope = local_scope
    context.access.requests = TokenBuckets(1e6, 1e6)
    application = build_application(context)
    session = TestClient(application, base_url=base_url, client=(client, 4711), raise_server_exceptions=False)
    with session:
        yield session


@contextmanager
def page_client(app: App, **options: Any) -> Iterator[TestClient]:
    """The same, as a browser asks: for pages, and from pages of this server."""
    with api_client(app, **options) as session:
        session.headers.update(BROWSER)
        yield session


@contextmanager
def installation(folder: Path, database: str | None = None, **settings: Any) -> Iterator[App]:
    app = App(Settings(data=str(folder / "data"), database=database, **settings), lambda: NOW)
    try:
        yield app
    finally:
        app.store.engine.dispose()
