"""Pushing to a Redis server: a real one, through a proxy where the network is to fail."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from tests.servers.fault_proxy import FaultProxy, fault_proxy
from tests.servers.valkey import Valkey

from headwater.app import App
from headwater.model.document import Document
from headwater.model.errors import Refused, Temporary
from headwater.model.ports import QueueItem
from headwater.model.recipe import Envelope
from headwater.runtime.maintenance import tasks_for
from headwater.settings.settings import Settings
from headwater.sinks.queue import RedisQueue

NAME = "app:queue:extraction"


@pytest.fixture
def proxy(valkey: Valkey) -> Iterator[FaultProxy]:
    with fault_proxy(valkey.port) as between:
        yield between


def through(proxy: FaultProxy, valkey: Valkey) -> str:
    return valkey.url.replace(f":{valkey.port}/", f":{proxy.port}/")


def item(number: int) -> QueueItem:
    payload = {"id": f"i{number}", "document_id": f"d{number}", "normalized_text": "größer \r\n $5"}
    return QueueItem(id=f"i{number}", queue=NAME, recipe="markets", document=f"d{number}", payload=payload)


def pushed(valkey: Valkey, database: int = 0) -> list[dict[str, str]]:
    with valkey.client() as client:
        client.select(database)
        return [json.loads(raw_item) for raw_item in client.lrange(NAME, 0, -1)]


def test_r40_r86_items_are_pushed_to_the_right_as_plain_json_in_order(valkey):
    assert RedisQueue(valkey.url).push([item(1), item(2)]) == 2
    assert RedisQueue(valkey.url).push([item(3)]) == 1
    items = pushed(valkey)
    assert [raw_item["document_id"] for raw_item in items] == ["d1", "d2", "d3"]
    assert items[0]["normalized_text"] == "größer \r\n $5"


def test_a_password_and_a_database_come_first(valkey):
    with valkey.client() as client:
        client.acl_setuser("odd", enabled=True, passwords=["+p@ss/word"], keys=["*"], categories=["+@all"])
        RedisQueue(f"redis://odd:p%40ss%2Fword@127.0.0.1:{valkey.port}/3").push([item(1)])
        client.acl_deluser("odd")
    assert len(pushed(valkey, 3)) == 1


@pytest.mark.parametrize(("login", "code"), [("", "NOAUTH"), (":secret@", "WRONGPASS")])
def test_a_refusal_is_reported_without_the_password_and_does_not_count_against_the_items(valkey, login, code):
    with pytest.raises(Temporary) as raised:
        RedisQueue(f"redis://{login}127.0.0.1:{valkey.port}").push([item(1)])
    assert (raised.value.reason, raised.value.detail, raised.value.counts) == ("queue_refused", code, False)
    assert "secret" not in str(raised.value)
    assert pushed(valkey) == []


def test_a_key_of_another_kind_is_a_refusal(valkey):
    with valkey.client() as client:
        client.set(NAME, "not a list")
    with pytest.raises(Temporary, match="WRONGTYPE"):
        RedisQueue(valkey.url).push([item(1)])


# The answers to AUTH, SELECT and RPUSH: +OK +OK :1 :2
@pytest.mark.parametrize("answers", [0, 3, 10, 12, 14, 17])
def test_a_server_that_hangs_up_in_the_middle_is_asked_again_and_nothing_is_missing(valkey, proxy, answers):
    queues = RedisQueue(through(proxy, valkey))
    proxy.faults.answers = answers
    with pytest.raises(Temporary) as raised:
        queues.push([item(1), item(2)])
    assert (raised.value.reason, raised.value.counts) == ("queue_unavailable", False)
    proxy.faults.answers = None
    assert queues.push([item(1), item(2)]) == 2
    assert [raw_item["id"] for raw_item in pushed(valkey)][-2:] == ["i1", "i2"]


def test_a_truncated_command_adds_no_item(valkey, proxy):
    proxy.faults.asks = 150
    with pytest.raises(Temporary, match="queue_unavailable"):
        RedisQueue(through(proxy, valkey)).push([item(1)])
    assert pushed(valkey) == []


def test_a_server_that_is_away_or_silent_is_asked_again_later(valkey, proxy):
    proxy.faults.silent = True
    with pytest.raises(Temporary, match="queue_unavailable"):
        RedisQueue(through(proxy, valkey), seconds=0.2).push([item(1)])
    with pytest.raises(Temporary, match="queue_unavailable"):
        RedisQueue("redis://127.0.0.1:1").push([item(1)])
    assert RedisQueue("redis://127.0.0.1:1").push([]) == 0


@contextmanager
def saying(words: bytes) -> Iterator[str]:
    """A server that is not Redis and answers with these words; yields its address."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65_536)
                connection.sendall(words)

        thread = threading.Thread(target=answer)
        thread.start()
        yield f"redis://127.0.0.1:{listener.getsockname()[1]}"
        thread.join()


@pytest.mark.parametrize(
    "words", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\r\n", b"$-1\r\n", b"220 mail ready\r\n"]
)
def test_a_wrong_answer_is_not_taken_for_a_yes(words):
    with saying(words) as url, pytest.raises(Temporary, match="Redis protocol"):
        RedisQueue(url).push([item(1)])


@pytest.mark.parametrize("url", ["http://x.example", "redis://", "redis://host/name", "nonsense"])
def test_an_invalid_address_is_reported_at_once(url):
    with pytest.raises(Refused, match="queues:"):
        RedisQueue(url)


def test_the_address_is_not_shown():
    assert "secret" not in repr(RedisQueue("redis://:secret@localhost"))


def test_r41_the_setting_sends_documents_there_and_a_worker_replaces_lost_items(
    valkey, tmp_path, monkeypatch
):
    monkeypatch.setenv("QUEUES", f"{valkey.url.removesuffix('/0')}/2")
    app = App(Settings(data=str(tmp_path), queues="env:QUEUES"))
    document = Document(
        id="d1", recipe="markets", source="s", lead="l", url="", text="words", attributes={"ticker": "NGSC"}
    )
    app.sinks["queue"].send([Envelope(key="k-1", route=NAME, record=document, revision=1)])
    expected = {
        "id": "k-1",
        "document_id": "d1",
        "ticker": "NGSC",
        "document_type": None,
        "normalized_text": "words",
    }
    assert pushed(valkey, 2) == [expected]
    with valkey.client() as client:
        client.flushall()
    assert tasks_for(app)["fill_queues"].work(app) == {NAME: 1}
    assert pushed(valkey, 2) == [expected]
    app.store.engine.dispose()
