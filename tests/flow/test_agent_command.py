"""`headwater agent` as an operator calls it."""

import asyncio
import json
import logging
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from tests.flow.command_line import SOURCE, call
from tests.pure.test_llm_extraction import GOOD
from tests.servers.chat_api import ChatServer, Reply, chat_server
from tests.servers.valkey import Valkey
from tests.support.deadline import DEADLINE

from headwater.app import App
from headwater.model.ports import QueueItem
from headwater.settings.settings import Settings
from headwater.store.changes.queues import SqlQueues

KEY = "sk-must-stay-secret"


@contextmanager
def serve_chat(reply: Reply) -> Iterator[ChatServer]:
    """Serves a chat API in its own thread, because the command runs its own event loop."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    server = chat_server(reply)
    try:
        yield asyncio.run_coroutine_threadsafe(server.__aenter__(), loop).result(15)
    finally:
        asyncio.run_coroutine_threadsafe(server.__aexit__(None, None, None), loop).result(15)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    """A settings file, and one document that waits in the queue."""
    app = App(Settings(data=str(tmp_path / "data")))
    item = QueueItem(
        id="i1", queue="app:queue:extraction", recipe="markets", document="d1", payload={"id": "i1"}
    )
    SqlQueues(app.store.engine, app.clock).push([item])
    app.store.engine.dispose()
    return tmp_path / "headwater.yaml"


def write_settings(path: Path, *lines: str) -> tuple[str, str]:
    path.write_text("\n".join([f"data: {path.parent / 'data'}", *lines]), encoding="utf-8")
    return "--config", str(path)


def test_r88_the_agent_reads_waiting_items_and_never_shows_its_key(settings, capsys, monkeypatch, caplog):
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("MODEL_KEY", KEY)
    with serve_chat(Reply(GOOD)) as server:
        agent = f'agent: {{endpoint: "{server.address}", model: small, key: "env:MODEL_KEY"}}'
        options = write_settings(settings, "log_level: debug", agent)
        answer = call(capsys, monkeypatch, *options, "agent", "--once", "--json")
        assert answer.code == 0, answer.err
        assert answer.record == {"done": 1, "failed": 0, "postponed": 0, "wait_seconds": 0.0, "left": 0}
        assert server.keys == [f"Bearer {KEY}"]
        assert (
            call(capsys, monkeypatch, *options, "agent", "--once").out
            == "0 done, 0 failed, 0 postponed, 0 left.\n"
        )
        assert len(server.requests) == 1
    assert KEY not in answer.out + answer.err + caplog.text
    assert call(capsys, monkeypatch, *options, "queue", "list", "--json").record["done"] == 1


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ((), "no endpoint is set"),
        (("agent: {endpoint: 'ftp://models.example'}",), "http://"),
        (("agent: {endpoint: 'https://me:secret@models.example/v1', model: m}",), "without user"),
        (("agent: {endpoint: 'https://models.example/v1?key=x', model: m}",), "without user"),
        (("agent: {endpoint: 'https://models.example/v1'}",), "name of the model"),
        (("agent: {endpoint: 'https://models.example/v1', model: m, key: sk-123}",), "env:NAME"),
        (("agent: {endpoint: 'https://models.example/v1', model: m, key: 'env:NOT_THERE'}",), "NOT_THERE"),
        (("agent: {endpoint: 'https://models.example/v1', model: m, options: {stream: true}}",), "stream"),
        (
            ("queues: 'redis://127.0.0.1:1/0'", "agent: {endpoint: 'http://models.example', model: m}"),
            "the Redis server cannot be reached",
        ),
    ],
)
def test_nothing_is_sent_without_valid_settings(settings, capsys, monkeypatch, lines, words):
    answer = call(capsys, monkeypatch, *write_settings(settings, *lines), "agent", "--once")
    assert answer.code != 0
    assert words in " ".join(answer.err.split())
    assert "sk-123" not in answer.err
    assert "Traceback" not in answer.err


def test_a_refused_key_is_reported_in_one_sentence_and_the_item_waits(settings, capsys, monkeypatch):
    with serve_chat(Reply(status=401)) as server:
        options = write_settings(settings, f'agent: {{endpoint: "{server.address}", model: small}}')
        answer = call(capsys, monkeypatch, *options, "agent", "--once")
    assert answer.code != 0
    assert "refused the key" in " ".join(answer.err.split())
    assert server.keys == [None]
    assert call(capsys, monkeypatch, *options, "queue", "list", "--json").record["waiting"] == 1


def test_an_endpoint_that_stays_busy_is_reported_with_the_number_of_items_left(settings, capsys, monkeypatch):
    with serve_chat(Reply(status=429, headers={"Retry-After": "3600"})) as server:
        options = write_settings(settings, f'agent: {{endpoint: "{server.address}", model: small}}')
        answer = call(capsys, monkeypatch, *options, "agent", "--once")
    assert answer.code == 1
    assert "1 item left: the endpoint wants to be left alone for 3600 s." in answer.err


@pytest.mark.parametrize(
    ("sign", "row_state"), [(signal.SIGKILL, ("leased", 1)), (signal.SIGINT, ("waiting", 0))], ids=str
)
def test_r44_an_agent_that_ends_during_a_call_loses_nothing(settings: Path, sign, row_state):
    with serve_chat(Reply(slow=True)) as server:
        options = write_settings(settings, f'agent: {{endpoint: "{server.address}", model: small}}')
        command = [sys.executable, "-m", "headwater.cli", *options, "agent"]
        environment = os.environ | {"PYTHONPATH": str(SOURCE)}
        with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE) as process:
            assert server.request_arrived.wait(DEADLINE)
            process.send_signal(sign)
            _, errors = process.communicate(timeout=DEADLINE)
    assert b"Traceback" not in errors
    app = App(Settings(data=str(settings.parent / "data")))
    queues = SqlQueues(app.store.engine, lambda: app.clock() + timedelta(hours=1))
    (row,) = queues.peek("app:queue:extraction")
    assert (row["state"], row["attempts"]) == row_state
    assert [item["id"] for item in queues.pop("app:queue:extraction", "next")] == ["i1"]
    app.store.engine.dispose()


def test_r44_r88_the_agent_and_the_queue_commands_use_lists_on_a_server(
    settings: Path, capsys, monkeypatch, valkey: Valkey
):
    monkeypatch.setenv("QUEUES", valkey.url)
    with valkey.client() as client:
        for name in ("j1", "j2"):
            client.rpush("app:queue:extraction", json.dumps({"id": name, "document_id": f"d-{name}"}))
    with serve_chat(Reply(GOOD)) as server:
        agent = f'agent: {{endpoint: "{server.address}", model: small}}'
        options = write_settings(settings, 'queues: "env:QUEUES"', agent)
        popped = call(capsys, monkeypatch, *options, "queue", "pop", "extraction", "--limit", "2")
        assert [json.loads(line)["id"] for line in popped.out.splitlines()] == ["i1", "j1"], popped.err
        peeked = call(capsys, monkeypatch, *options, "queue", "peek", "extraction", "--limit", "5")
        assert [json.loads(line)["id"] for line in peeked.out.splitlines()] == ["j2"]
        answer = call(capsys, monkeypatch, *options, "agent", "--once", "--json")
        assert answer.record["done"] == 1, answer.err
    assert call(capsys, monkeypatch, *options, "queue", "ack", "j1").code == 0
    assert call(capsys, monkeypatch, *options, "queue", "list", "--json").record == {
        "queue": "app:queue:extraction", "waiting": 0, "leased": 1, "done": 2, "failed": 0,
    }  # fmt: skip
