"""Items on lists of a real server have rows: a list that lost its items is filled again, and a program that pops from the list
itself reports success, failure and results."""

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import timedelta

import pytest
import redis
from sqlalchemy import Engine
from tests.contract.test_queue import NAME, Watch, ids, item
from tests.servers.valkey import Valkey

from headwater.model.errors import Temporary
from headwater.redis_client import RedisClient
from headwater.sinks.queue import RedisQueue
from headwater.store.changes.queue_lists import REPORT_WITHIN, QueueLists
from headwater.store.changes.queues import MAX_ATTEMPTS, RETRY_DELAY, SqlQueues
from headwater.store.redis.queue_supply import RedisQueueSupply

MINUTE = timedelta(minutes=1)


@dataclass
class ListServer:
    """A queue on a server, with a clock that the test moves."""

    queues: SqlQueues
    lists: QueueLists
    client: redis.Redis
    watch: Watch

    def fill(self) -> int:
        assert self.queues.supply is not None
        return self.lists.fill(self.queues.supply).get(NAME, 0)

    def push(self, *numbers: int) -> None:
        """And a minute later a worker does its maintenance."""
        self.lists.push([item(number) for number in numbers])
        self.wait(2 * MINUTE)

    def wait(self, time: timedelta) -> int:
        self.watch.now += time
        return self.fill()

    def listed(self) -> list[str]:
        return [json.loads(raw)["id"] for raw in self.client.lrange(NAME, 0, -1)]

    def consume(self) -> str:
        """Pop as any program does that knows only the list."""
        return str(json.loads(self.client.lpop(NAME))["id"])

    def counts(self) -> tuple[int, int, int, int]:
        (row,) = self.queues.counts()
        return row["waiting"], row["leased"], row["done"], row["failed"]


@pytest.fixture
def server(engine: Engine, valkey: Valkey) -> Iterator[ListServer]:
    watch = Watch()
    with closing(RedisClient(valkey.url, "queues")) as connection, valkey.client() as client:
        supply = RedisQueueSupply(connection, {NAME: "markets"})
        queues = SqlQueues(engine, watch, supply=supply)
        yield ListServer(queues, QueueLists(queues, RedisQueue(valkey.url).push), client, watch)


def test_r41_a_server_that_lost_its_data_gets_back_what_was_not_popped(server: ListServer):
    server.push(1, 2, 3)
    assert server.consume() == "i1"
    server.push(4)
    server.consume()
    server.consume()
    server.fill()
    server.client.flushall()
    assert server.fill() == 1
    assert server.listed() == ["i4"]
    assert server.fill() == 0


def test_r41_an_item_without_a_report_comes_again_after_four_hours_and_not_for_ever(server: ListServer):
    server.push(1, 2)
    server.consume()
    server.queues.ack("i1", {"summary": "fine"})
    for _ in range(MAX_ATTEMPTS):
        assert server.listed() == ["i2"]
        server.consume()
        assert server.wait(2 * MINUTE) == 0
        assert server.wait(REPORT_WITHIN - MINUTE) == 0
        server.wait(MINUTE)
    assert server.listed() == []
    assert server.counts() == (0, 0, 1, 1)


def test_r41_a_list_that_was_deleted_is_filled_after_four_hours_or_by_an_operator(server: ListServer):
    server.push(1, 2, 3)
    server.consume()
    server.queues.ack("i1")
    server.client.delete(NAME)
    assert server.queues.supply is not None
    assert server.lists.refill(server.queues.supply, NAME) == 2
    assert server.listed() == ["i2", "i3"]
    assert server.lists.refill(server.queues.supply, NAME) == 0
    server.client.delete(NAME)
    server.wait(2 * MINUTE)
    assert server.wait(REPORT_WITHIN) == 2


def test_r42_a_program_that_pops_from_the_list_reports_failure_success_and_its_result(server: ListServer):
    server.push(1)
    name = server.consume()
    server.queues.fail(name, "no_model")
    assert server.wait(RETRY_DELAY) == 1
    assert server.consume() == name
    server.queues.ack(name, {"summary": "fine"})
    assert server.wait(REPORT_WITHIN) == 0
    assert server.counts() == (0, 0, 1, 0)


def test_r42_an_item_that_always_fails_is_given_up(server: ListServer):
    server.push(1)
    for _ in range(MAX_ATTEMPTS):
        server.queues.fail(server.consume(), "no_model")
        server.wait(RETRY_DELAY)
    assert server.listed() == []
    assert server.queues.retry(NAME) == 1
    assert server.fill() == 1


def test_a_program_that_never_reports_gets_each_item_once(server: ListServer):
    server.push(1, 2)
    server.consume()
    server.consume()
    server.wait(2 * MINUTE)
    assert server.wait(REPORT_WITHIN) == 0
    assert server.counts() == (0, 2, 0, 0)
    server.queues.ack("i1", {"late": True})
    assert server.counts() == (0, 1, 1, 0)


def test_both_ways_to_take_items_give_each_item_to_one_consumer(server: ListServer):
    server.push(1, 2, 3)
    assert server.consume() == "i1"
    (popped,) = server.queues.pop(NAME, "me")
    assert (popped["id"], popped["attempt"]) == ("i2", 1)
    assert server.fill() == 0
    assert server.listed() == ["i3"]
    assert server.counts() == (1, 1, 0, 0)
    assert ids(server.queues.pop(NAME, "me", 5)) == ["i3"]


def test_an_item_that_is_sent_twice_is_on_the_list_once(server: ListServer):
    server.push(1)
    server.push(1)
    assert server.listed() == ["i1"]


def test_an_unavailable_server_costs_no_item_and_no_attempt(server: ListServer):
    away = QueueLists(server.queues, RedisQueue("redis://127.0.0.1:1").push)
    with pytest.raises(Temporary, match="queue_unavailable"):
        away.push([item(1)])
    assert server.listed() == []
    assert server.fill() == 1
    assert server.listed() == ["i1"]
