"""Pushing to a Redis server, against one that speaks just enough of its protocol."""

import json
import socketserver
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from headwater.app import App
from headwater.model.document import Document
from headwater.model.errors import Refused, Temporary
from headwater.model.queue import QueueItem
from headwater.model.recipe import Parcel
from headwater.settings.settings import Settings
from headwater.sinks.redis import RedisQueues

NAME = "app:queue:extraction"


class Lists(socketserver.ThreadingTCPServer):
    """Keeps lists per database. `password` must be given first, if there is one; `hang_up` after so many commands."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Talk)
        self.lists: dict[tuple[int, str], list[bytes]] = defaultdict(list)
        self.password, self.hang_up = "", 1_000

    @property
    def url(self) -> str:
        return f"127.0.0.1:{self.server_address[1]}"


class Talk(socketserver.StreamRequestHandler):
    server: Lists

    def handle(self) -> None:
        database, known, count = 0, not self.server.password, 0
        while (line := self.rfile.readline()) and count < self.server.hang_up:
            count += 1
            words = [self._word() for _ in range(int(line[1:]))]
            name = words[0].upper()
            if name == b"AUTH":
                known = words[-1].decode() == self.server.password
                self.wfile.write(b"+OK\r\n" if known else b"-WRONGPASS invalid " + words[-1] + b"\r\n")
            elif not known:
                self.wfile.write(b"-NOAUTH Authentication required.\r\n")
            elif name == b"SELECT":
                database = int(words[1])
                self.wfile.write(b"+OK\r\n")
            else:
                kept = self.server.lists[database, words[1].decode()]
                kept.append(words[2])
                self.wfile.write(b":%d\r\n" % len(kept))

    def _word(self) -> bytes:
        size = int(self.rfile.readline()[1:])
        return self.rfile.read(size + 2)[:-2]


@contextmanager
def listening() -> Iterator[Lists]:
    with Lists() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def server() -> Iterator[Lists]:
    with listening() as started:
        yield started


def item(number: int) -> QueueItem:
    payload = {"id": f"i{number}", "document_id": f"d{number}", "normalized_text": "größer \r\n $5"}
    return QueueItem(id=f"i{number}", queue=NAME, recipe="markets", document=f"d{number}", payload=payload)


def test_r40_r86_items_are_pushed_to_the_right_as_plain_json_in_order(server: Lists):
    assert RedisQueues(f"redis://{server.url}").push([item(1), item(2)]) == 2
    assert RedisQueues(f"redis://{server.url}").push([item(3)]) == 1
    found = [json.loads(one) for one in server.lists[0, NAME]]
    assert [one["document_id"] for one in found] == ["d1", "d2", "d3"]
    assert found[0]["normalized_text"] == "größer \r\n $5"


def test_a_password_and_a_database_come_first(server: Lists):
    server.password = "p@ss/word"
    RedisQueues(f"redis://:p%40ss%2Fword@{server.url}/3").push([item(1)])
    assert len(server.lists[3, NAME]) == 1


@pytest.mark.parametrize(("login", "code"), [("", "NOAUTH"), (":secret@", "WRONGPASS")])
def test_a_refusal_is_told_without_the_password_and_holds_nothing_against_the_items(
    server: Lists, login, code
):
    server.password = "another"
    with pytest.raises(Temporary) as told:
        RedisQueues(f"redis://{login}{server.url}").push([item(1)])
    assert (told.value.reason, told.value.detail, told.value.counts) == ("queue_refused", code, False)
    assert "secret" not in str(told.value)


def test_a_server_that_hangs_up_or_is_away_is_asked_again_later(server: Lists):
    server.hang_up = 1
    with pytest.raises(Temporary) as told:
        RedisQueues(f"redis://{server.url}").push([item(1), item(2)])
    assert (told.value.reason, told.value.counts) == ("queue_unavailable", False)
    with pytest.raises(Temporary, match="queue_unavailable"):
        RedisQueues("redis://127.0.0.1:1").push([item(1)])
    assert RedisQueues("redis://127.0.0.1:1").push([]) == 0


@pytest.mark.parametrize("url", ["http://x.example", "redis://", "redis://host/name", "nonsense"])
def test_a_wrong_address_is_told_at_once(url):
    with pytest.raises(Refused, match="queues:"):
        RedisQueues(url)


def test_the_address_is_not_shown():
    assert "secret" not in repr(RedisQueues("redis://:secret@localhost"))


def test_the_setting_sends_documents_there_instead_of_into_rows(server: Lists, tmp_path, monkeypatch):
    monkeypatch.setenv("QUEUES", f"redis://{server.url}/2")
    app = App(Settings(data=str(tmp_path), queues="env:QUEUES"))
    document = Document(
        id="d1", recipe="markets", source="s", lead="l", url="", text="words", attributes={"ticker": "NGSC"}
    )
    app.sinks["queue"].send([Parcel(key="k-1", route=NAME, record=document, revision=1)])
    app.store.engine.dispose()
    (pushed,) = [json.loads(one) for one in server.lists[2, NAME]]
    assert pushed == {
        "id": "k-1", "document_id": "d1", "ticker": "NGSC", "document_type": None, "normalized_text": "words",
    }  # fmt: skip
