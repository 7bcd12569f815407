"""Items in lists on a real server become rows when they are taken: a process that dies on the way loses none."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import timedelta

import pytest
import redis
from sqlalchemy import Engine
from tests.contract.test_queue import Watch, ids
from tests.servers.fault_proxy import FaultProxy, fault_proxy
from tests.servers.valkey import Valkey

from headwater.model.errors import Temporary
from headwater.model.ports import QueueItem
from headwater.redis_client import RedisClient
from headwater.store.changes.queues import SqlQueues
from headwater.store.redis.queue_supply import RedisQueueSupply, parse_item

NAME, OTHER = "app:queue:extraction", "app:queue:parsing"
BRIEF = timedelta(milliseconds=1)


@pytest.fixture
def client(valkey: Valkey) -> Iterator[redis.Redis]:
    with valkey.client() as opened:
        yield opened


@pytest.fixture
def proxy(valkey: Valkey) -> Iterator[FaultProxy]:
    with fault_proxy(valkey.port) as between:
        yield between


@pytest.fixture
def lists(valkey: Valkey) -> Iterator[RedisQueueSupply]:
    with closing(RedisClient(valkey.url, "queues")) as server:
        yield RedisQueueSupply(server, {NAME: "markets"})


@pytest.fixture
def queues(engine: Engine, lists: RedisQueueSupply) -> SqlQueues:
    return SqlQueues(engine, Watch(), supply=lists)


def fill(client: redis.Redis, *numbers: int, queue: str = NAME) -> None:
    for number in numbers:
        payload = {"id": f"i{number}", "document_id": f"d{number}", "normalized_text": "größer"}
        client.rpush(queue, json.dumps(payload))


def remaining_ids(client: redis.Redis) -> list[str]:
    return [json.loads(item)["id"] for item in client.lrange(NAME, 0, -1)]


def traces(client: redis.Redis) -> list[str]:
    return sorted(key for key in client.keys(f"{NAME}:*") if not key.endswith(":unreadable"))


def forget(items: Sequence[QueueItem]) -> None:
    """The items are not stored: the process died before it could."""
    raise KeyboardInterrupt


def run_out(client: redis.Redis) -> None:
    """The leases of all hand-overs end."""
    for key in client.keys(f"{NAME}:handover:*:lease"):
        client.delete(key)


def test_r44_only_as_many_as_are_asked_for_are_taken_the_oldest_first(queues: SqlQueues, client):
    fill(client, 1, 2, 3)
    assert ids(queues.pop(NAME, "me", 2)) == ["i1", "i2"]
    assert remaining_ids(client) == ["i3"]
    assert traces(client) == []
    (popped,) = queues.pop(NAME, "me", 5)
    assert popped == {"id": "i3", "document_id": "d3", "normalized_text": "größer", "attempt": 1}
    assert queues.pop(NAME, "me") == []


def test_r44_a_consumer_that_pops_from_the_list_itself_works_unchanged(queues: SqlQueues, client):
    fill(client, 1, 2, 3, 4)
    popped = [
        json.loads(client.lpop(NAME))["id"],
        *ids(queues.pop(NAME, "me")),
        json.loads(client.lpop(NAME))["id"],
    ]
    assert [*popped, *ids(queues.pop(NAME, "me"))] == ["i1", "i2", "i3", "i4"]


def test_r44_items_of_a_dead_consumer_return_to_the_head_once_its_lease_ends(lists: RedisQueueSupply, client):
    fill(client, 1, 2, 3)
    with pytest.raises(KeyboardInterrupt):
        lists.hand_over(NAME, 2, forget)
    stored_items: list[QueueItem] = []
    assert lists.hand_over(NAME, 1, stored_items.extend) == 1
    assert [entry.id for entry in stored_items] == ["i3"]
    fill(client, 4)
    run_out(client)
    assert lists.hand_over(NAME, 5, stored_items.extend) == 3
    assert [entry.id for entry in stored_items] == ["i3", "i1", "i2", "i4"]
    assert traces(client) == []


def test_r44_a_lease_ends_by_the_clock_of_the_server(lists: RedisQueueSupply, client):
    fill(client, 1)
    brief = RedisQueueSupply(lists.server, lists.recipes, lease=BRIEF)
    with pytest.raises(KeyboardInterrupt):
        brief.hand_over(NAME, 1, forget)
    until = time.monotonic() + 20
    stored_items: list[QueueItem] = []
    while not brief.hand_over(NAME, 1, stored_items.extend):
        assert time.monotonic() < until
    assert [entry.id for entry in stored_items] == ["i1"]


VICTIM = """
import sys, time
from headwater.store.redis.queue_supply import RedisQueueSupply
from headwater.redis_client import RedisClient
def hold(items):
    print(len(items), flush=True)
    time.sleep(600)
RedisQueueSupply(RedisClient(sys.argv[1]), {sys.argv[2]: "markets"}).hand_over(sys.argv[2], 10, hold)
"""


def test_r44_a_killed_process_loses_nothing(lists: RedisQueueSupply, client, valkey):
    fill(client, 1, 2)
    words = [sys.executable, "-c", VICTIM, valkey.url, NAME]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"2\n"
        process.send_signal(signal.SIGKILL)
    assert remaining_ids(client) == []
    run_out(client)
    stored_items: list[QueueItem] = []
    lists.hand_over(NAME, 10, stored_items.extend)
    assert [entry.id for entry in stored_items] == ["i1", "i2"]


def test_r44_a_process_that_died_after_writing_the_rows_leaves_no_second_item(queues: SqlQueues, client):
    fill(client, 1)

    def keep_and_die(items: Sequence[QueueItem]) -> None:
        queues.push(items)
        raise KeyboardInterrupt

    assert queues.supply is not None
    with pytest.raises(KeyboardInterrupt):
        queues.supply.hand_over(NAME, 1, keep_and_die)
    assert ids(queues.pop(NAME, "me", 5)) == ["i1"]
    queues.ack("i1", {"done": True})
    run_out(client)
    assert queues.pop(NAME, "me", 5) == []
    assert (remaining_ids(client), traces(client)) == ([], [])
    assert queues.counts() == [{"queue": NAME, "waiting": 0, "leased": 0, "done": 1, "failed": 0}]


def test_an_item_pushed_twice_is_stored_once(queues: SqlQueues, client):
    fill(client, 1, 1)
    assert ids(queues.pop(NAME, "me", 5)) == ["i1"]
    assert queues.pop(NAME, "me", 5) == []


@pytest.mark.parametrize(
    "raw",
    [b"no json", b"[1]", b'{"id": "i9"}', b'{"document_id": 3}', b'{"document_id": "a\\u0000b"}', b"\xff\xfe",
     b'{"document_id": ""}', b"[" * 5_000, b'{"document_id": "d", "id": "\\n"}'],
)  # fmt: skip
def test_unusable_items_are_put_aside_and_stop_no_consumer(queues: SqlQueues, client, valkey, raw):
    client.rpush(NAME, raw)
    fill(client, 1)
    assert ids(queues.pop(NAME, "me", 5)) == ["i1"]
    with redis.Redis.from_url(valkey.url) as plain:
        assert plain.lrange(f"{NAME}:unreadable", 0, -1) == [raw]
    assert (remaining_ids(client), traces(client)) == ([], [])


def test_an_item_without_an_id_gets_the_same_one_each_time():
    raw = b'{"document_id": "d1", "ticker": "NGSC"}'
    first, second = parse_item(raw, NAME, "markets"), parse_item(raw, NAME, "markets")
    assert first == second
    assert first is not None
    assert len(first.id) == 64


def test_items_can_be_listed_and_counted_in_the_list(queues: SqlQueues, client):
    fill(client, 1, 2)
    fill(client, 3, queue=OTHER)
    assert queues.counts() == [{"queue": NAME, "waiting": 2, "leased": 0, "done": 0, "failed": 0}]
    assert queues.find_queue("extraction") == NAME
    assert [row["document_id"] for row in queues.peek(NAME, 5)] == ["d1", "d2"]
    queues.pop(NAME, "me")
    assert queues.counts() == [{"queue": NAME, "waiting": 1, "leased": 1, "done": 0, "failed": 0}]
    assert [row["state"] for row in queues.peek(NAME, 5)] == ["waiting"]
    assert queues.pop(OTHER, "me") == []
    assert client.llen(OTHER) == 1


@pytest.mark.parametrize("fault", ["refusing", "silent"])
def test_an_unreachable_server_loses_nothing_and_local_items_are_handed_out(
    engine: Engine, client, proxy: FaultProxy, valkey: Valkey, fault: str
):
    fill(client, 1, 2)
    url = valkey.url.replace(f":{valkey.port}/", f":{proxy.port}/")
    with closing(RedisClient(url, "queues", seconds=0.2)) as server:
        queues = SqlQueues(engine, Watch(), supply=RedisQueueSupply(server, {NAME: "markets"}))
        setattr(proxy.faults, fault, True)
        with pytest.raises(Temporary, match="redis_unavailable"):
            queues.pop(NAME, "me")
        queues.push([QueueItem(id="i0", queue=NAME, recipe="markets", document="d0", payload={"id": "i0"})])
        assert ids(queues.pop(NAME, "me", 3)) == ["i0"]
        setattr(proxy.faults, fault, False)
        proxy.cut()
        assert ids(queues.pop(NAME, "me", 3)) == ["i1", "i2"]


@pytest.mark.parametrize("answers", [5, 20, 60, 150])
def test_a_connection_cut_at_any_moment_loses_nothing(engine: Engine, client, proxy, valkey, answers: int):
    """The moment depends on the bytes; at any moment, both items arrive, each once."""
    fill(client, 1, 2)
    url = valkey.url.replace(f":{valkey.port}/", f":{proxy.port}/")
    with closing(RedisClient(url, "queues")) as server:
        queues = SqlQueues(engine, Watch(), supply=RedisQueueSupply(server, {NAME: "markets"}))
        proxy.faults.answers = answers
        with pytest.raises(Temporary):
            queues.pop(NAME, "me", 2)
        proxy.faults.answers = None
        run_out(client)
        assert sorted(ids(queues.pop(NAME, "me", 2))) == ["i1", "i2"]
        run_out(client)
        assert queues.pop(NAME, "me", 2) == []
