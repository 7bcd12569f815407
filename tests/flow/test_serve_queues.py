"""The queues over HTTP: items are peeked, taken with a lease, acknowledged, failed and retried, as lines of JSON."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.support.web_client import web_client

from headwater.app import App
from headwater.model.ports import QueueItem
from headwater.settings.settings import Settings
from headwater.store.changes.queues import MAX_ATTEMPTS, RETRY_DELAY, SqlQueues

KEY = "a key that is hard to guess"
NAME = "app:queue:extraction"


@dataclass
class ManualClock:
    now: datetime = field(default=datetime(2026, 11, 13, 4, 0, tzinfo=UTC))

    def __call__(self) -> datetime:
        return self.now


@dataclass
class ApiClient:
    session: httpx2.AsyncClient
    clock: ManualClock

    async def __call__(
        self, method: str, path: str, key: str = KEY, data: bytes | None = None, **options: Any
    ) -> tuple[int, list[Any]]:
        headers = {"X-Api-Key": key}
        answer = await self.session.request(method, path, headers=headers, content=data, **options)
        return answer.status_code, [json.loads(line) for line in answer.text.splitlines()]


@asynccontextmanager
async def serve_queues(tmp_path: Path, key: str = KEY) -> AsyncIterator[ApiClient]:
    clock = ManualClock()
    app = App(Settings(data=str(tmp_path / "data")), clock)
    items = [
        QueueItem(
            id=f"i{number}", queue=NAME, recipe="markets", document=f"d{number}",
            payload={"id": f"i{number}", "document_id": f"d{number}", "normalized_text": "Zwölf\nLinien"},
        )
        for number in (1, 2)
    ]  # fmt: skip
    SqlQueues(app.store.engine, clock).push(items)
    try:
        async with web_client(app, recipe="geopolitics", settings_key=key) as session:
            yield ApiClient(session, clock)
    finally:
        app.store.engine.dispose()


def test_r40_r44_items_are_peeked_taken_and_acknowledged_with_a_result(tmp_path: Path):
    async def scene() -> None:
        async with serve_queues(tmp_path) as client:
            status, peeked = await client("GET", "/queues/extraction?limit=5")
            assert (status, [row["id"] for row in peeked]) == (200, ["i1", "i2"])
            status, popped = await client("POST", f"/queues/{NAME}/pop?limit=1&owner=reader")
            assert (status, [row["id"] for row in popped]) == (200, ["i1"])
            assert popped[0]["normalized_text"] == "Zwölf\nLinien"
            status, acknowledged = await client("POST", "/queues/items/i1/ack", json={"summary": "fine"})
            assert (status, acknowledged) == (200, [{"id": "i1", "state": "done"}])
            assert (await client("POST", "/queues/items/i1/ack"))[0] == 200
            status, (refusal,) = await client("POST", "/queues/items/i1/fail")
            assert (status, "is done" in refusal["error"]) == (409, True)
            _, counts = await client("GET", "/queues")
            assert counts == [{"queue": NAME, "waiting": 1, "leased": 0, "done": 1, "failed": 0}]

    asyncio.run(scene())


def test_r44_a_caller_that_dies_loses_nothing(tmp_path: Path):
    async def scene() -> None:
        async with serve_queues(tmp_path) as client:
            _, popped = await client("POST", "/queues/extraction/pop?limit=5&lease=1m")
            assert len(popped) == 2
            assert (await client("POST", "/queues/extraction/pop")) == (200, [])
            client.clock.now += timedelta(minutes=2)
            _, again = await client("POST", "/queues/extraction/pop?limit=5")
            assert [(row["id"], row["attempt"]) for row in again] == [("i1", 2), ("i2", 2)]

    asyncio.run(scene())


def test_r42_r88_a_failed_item_is_offered_again_and_an_abandoned_one_can_be_retried(tmp_path: Path):
    async def scene() -> None:
        async with serve_queues(tmp_path) as client:
            for attempt in range(1, MAX_ATTEMPTS + 1):
                _, popped = await client("POST", "/queues/extraction/pop?limit=5")
                assert [row["attempt"] for row in popped] == [attempt, attempt]
                for row in popped:
                    why = {"reason": "no_model"}
                    assert (await client("POST", f"/queues/items/{row['id']}/fail", json=why))[0] == 200
                client.clock.now += RETRY_DELAY
            assert (await client("POST", "/queues/extraction/pop")) == (200, [])
            assert (await client("POST", "/queues/extraction/retry")) == (200, [{"count": 2}])
            assert (await client("POST", "/queues/extraction/pop"))[1][0]["attempt"] == 1

    asyncio.run(scene())


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/queues/nothing", 404),
        ("POST", "/queues/nothing/pop", 404),
        ("POST", "/queues/items/i9/ack", 404),
        ("POST", "/queues/items/i9/fail", 404),
        ("GET", "/queues/extraction?limit=0", 400),
        ("POST", "/queues/extraction/pop?limit=101", 400),
        ("POST", "/queues/extraction/pop?limit=%C2%B2", 400),
        ("POST", "/queues/extraction/pop?lease=soon", 400),
    ],
)
def test_an_invalid_request_is_refused_with_a_sentence(tmp_path: Path, method: str, path: str, status: int):
    async def scene() -> None:
        async with serve_queues(tmp_path) as client:
            code, (body,) = await client(method, path)
            assert (code, set(body)) == (status, {"error"})

    asyncio.run(scene())


@pytest.mark.parametrize("body", [b"{", b"[]", b"\xff", b"3"])
def test_a_result_that_is_not_an_object_changes_nothing(tmp_path: Path, body: bytes):
    async def scene() -> None:
        async with serve_queues(tmp_path) as client:
            for action in ("ack", "fail"):
                assert (await client("POST", f"/queues/items/i1/{action}", data=body))[0] == 400
            assert len((await client("GET", "/queues/extraction?limit=5"))[1]) == 2

    asyncio.run(scene())


ROUTES = [
    ("GET", "/queues"),
    ("GET", "/queues/extraction"),
    ("POST", "/queues/extraction/pop"),
    ("POST", "/queues/extraction/retry"),
    ("POST", "/queues/items/i1/ack"),
    ("POST", "/queues/items/i1/fail"),
]


def test_without_the_key_nothing_is_shown_or_taken(tmp_path: Path):
    async def scene() -> None:
        async with serve_queues(tmp_path) as client:
            for method, path in ROUTES:
                for wrong_key in ("", KEY[:-1]):
                    assert (await client(method, path, key=wrong_key))[0] == 401
            _, counts = await client("GET", "/queues")
            assert counts[0]["waiting"] == 2
        async with serve_queues(tmp_path, key="") as client:
            for method, path in ROUTES:
                assert (await client(method, path, key=""))[0] == 401

    asyncio.run(scene())
