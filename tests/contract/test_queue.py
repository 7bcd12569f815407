"""Queues for other programs: first in, first out; at least once; nothing is lost with a consumer. A
consumer cannot see whether items came as rows or by lists on a server."""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Engine
from tests.support.scene import START

from headwater.model.document import Document
from headwater.model.errors import Refused
from headwater.model.outcomes import Drop, Sent
from headwater.model.ports import QueueItem
from headwater.model.recipe import Envelope
from headwater.model.story import Story
from headwater.redis_client import RedisClient
from headwater.sinks.queue import LONGEST_TEXT, Push, QueueSink, RedisQueue
from headwater.store.changes.queue_lists import QueueLists
from headwater.store.changes.queues import MAX_ATTEMPTS, RETRY_DELAY, SqlQueues
from headwater.store.redis.queue_supply import RedisQueueSupply
from headwater_recipes.markets.questions import QUEUE_ATTRIBUTES

NAME, OTHER = "app:queue:extraction", "app:queue:macro_classification"
MINUTE = timedelta(minutes=1)


@dataclass
class Watch:
    now: datetime = field(default=START)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def watch() -> Watch:
    return Watch()


@dataclass(frozen=True)
class Both:
    """Items enter at one end and leave at the other."""

    rows: SqlQueues
    push: Push

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rows, name)


@pytest.fixture(params=["rows", "lists"])
def queues(request: pytest.FixtureRequest, engine: Engine, watch: Watch) -> Iterator[Both]:
    rows = SqlQueues(engine, watch)
    if request.param == "rows":
        yield Both(rows, rows.push)
        return
    url = request.getfixturevalue("valkey").url
    with closing(RedisClient(url, "queues")) as server:
        supply = RedisQueueSupply(server, dict.fromkeys((NAME, OTHER), "markets"))
        yield Both(replace(rows, supply=supply), QueueLists(rows, RedisQueue(url).push).push)


def item(number: int, queue: str = NAME) -> QueueItem:
    payload = {"id": f"i{number}", "document_id": f"d{number}", "ticker": "NGSC"}
    return QueueItem(id=f"i{number}", queue=queue, recipe="markets", document=f"d{number}", payload=payload)


def ids(popped) -> list[str]:
    return [item["id"] for item in popped]


def counts_of(queues: Both) -> dict[str, int]:
    (row,) = queues.counts()
    return {name: row[name] for name in ("waiting", "leased", "failed")}


def test_r40_what_came_first_is_popped_first(queues: Both, watch: Watch):
    for number in (2, 1, 3):
        queues.push([item(number)])
        watch.now += MINUTE
    assert ids(queues.pop(NAME, "me", 2)) == ["i2", "i1"]
    assert ids(queues.pop(NAME, "me", 2)) == ["i3"]
    assert queues.pop(NAME, "me", 2) == []


def test_r40_of_those_that_came_together_the_first_is_popped_first(queues: Both):
    queues.push([item(number) for number in (3, 1, 2)])
    assert ids(queues.pop(NAME, "me", 3)) == ["i3", "i1", "i2"]


def test_r44_one_consumer_holds_an_item_until_its_lease_ends(queues: Both, watch: Watch):
    queues.push([item(1)])
    (first,) = queues.pop(NAME, "dies", lease=MINUTE)
    assert queues.pop(NAME, "other") == []
    assert counts_of(queues) == {"waiting": 0, "leased": 1, "failed": 0}
    watch.now += 2 * MINUTE
    assert counts_of(queues) == {"waiting": 1, "leased": 0, "failed": 0}
    (again,) = queues.pop(NAME, "other")
    assert (first["attempt"], again["attempt"]) == (1, 2)
    assert again | {"attempt": 1} == first


def test_an_acknowledged_item_is_done_with_its_result_and_never_comes_again(queues: Both, watch: Watch):
    queues.push([item(1)])
    queues.pop(NAME, "me")
    queues.ack("i1", {"summary": "fine"})
    queues.ack("i1")
    with pytest.raises(Refused, match="is done"):
        queues.report_failure("i1", "too late")
    assert not queues.fail("i1", "too late")
    watch.now += timedelta(days=1)
    assert queues.pop(NAME, "me") == []
    queues.push([item(1)])
    assert queues.pop(NAME, "me") == []
    assert queues.counts() == [{"queue": NAME, "waiting": 0, "leased": 0, "done": 1, "failed": 0}]


def test_r42_5_4_a_failed_item_comes_again_after_ten_minutes_and_not_for_ever(queues: Both, watch: Watch):
    queues.push([item(1)])
    for attempt in range(1, MAX_ATTEMPTS + 1):
        (popped,) = queues.pop(NAME, "me")
        assert popped["attempt"] == attempt
        assert queues.fail("i1", "no_model")
        assert queues.pop(NAME, "me") == queues.peek(NAME) == []
        watch.now += RETRY_DELAY
    assert queues.pop(NAME, "me") == []
    assert queues.counts()[0]["failed"] == 1
    assert queues.retry(NAME) == 1
    assert ids(queues.pop(NAME, "me")) == ["i1"]


def test_r41_5_4_an_item_that_kills_its_consumers_is_given_up_with_a_reason(queues: Both, watch: Watch):
    queues.push([item(1), item(2)])
    for _ in range(MAX_ATTEMPTS):
        assert "i1" in ids(queues.pop(NAME, "dies", 2, lease=MINUTE))
        watch.now += 2 * MINUTE
    assert counts_of(queues) == {"waiting": 0, "leased": 0, "failed": 2}
    assert queues.pop(NAME, "me") == []
    assert {row["failed"] for row in queues.counts()} == {2}


def test_queues_are_apart_and_peeking_takes_nothing(queues: Both):
    queues.push([item(1), item(2, OTHER)])
    assert [row["id"] for row in queues.peek(NAME, 5)] == ["i1"]
    assert ids(queues.pop(NAME, "me", 5)) == ["i1"]
    assert queues.peek(NAME, 5) == []
    assert [row["queue"] for row in queues.counts()] == [NAME, OTHER]


def test_a_stranger_is_refused(queues: Both):
    with pytest.raises(Refused, match="queue list"):
        queues.ack("unknown")


@pytest.fixture
def send(queues: Both) -> Callable[..., list]:
    sink = QueueSink(queues.push, {"markets": QUEUE_ATTRIBUTES})

    def deliver(*records, route: str = NAME, key: str = "key-1") -> list:
        return list(
            sink.send(
                [
                    Envelope(key=f"{key}{n}", route=route, record=item, revision=1)
                    for n, item in enumerate(records)
                ]
            )
        )

    return deliver


def document(**fields) -> Document:
    return Document(id="d1", recipe="markets", source="s", lead="l", url="https://x.example/", **fields)


def test_r87_the_payload_is_the_document_its_ticker_and_the_first_32000_characters(queues: Both, send):
    long = document(text="é" * 40_000, attributes={"ticker": "NGSC", "document_type": "news"})
    assert send(long) == [Sent("key-10")]
    (popped,) = queues.pop(NAME, "me")
    assert (popped["document_id"], popped["ticker"], popped["id"]) == ("d1", "NGSC", "key-10")
    assert popped["normalized_text"] == "é" * LONGEST_TEXT
    assert LONGEST_TEXT == 32_000


def test_sending_twice_queues_once_and_a_story_is_not_queued(queues: Both, send):
    send(document())
    send(document())
    assert len(queues.pop(NAME, "me", 5)) == 1
    story = Story(id="s", recipe="markets", group="g", title="t", members=())
    assert send(story, key="story") == [Drop("not_a_document")]
