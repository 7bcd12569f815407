"""A Celery worker that takes nothing although messages wait is noticed, and only that one."""

import os
import time

import pytest
from tests.servers.valkey import Valkey

from headwater.redis_client import RedisClient
from headwater.runtime.celery.watchdog import STUCK_AFTER, BusyChildren, QueueWatchdog, StallTimer

QUEUE = "headwater.trial.refine"


class Hour:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def stop_times() -> list[float]:
    return []


@pytest.fixture
def watch(valkey: Valkey, stop_times: list[float]) -> QueueWatchdog:
    hour = Hour()
    return QueueWatchdog(
        RedisClient(valkey.url),
        ["headwater.other.refine", QUEUE],
        BusyChildren(),
        lambda: stop_times.append(hour.now),
        hour,
    )


def pass_time(watch: QueueWatchdog, seconds: float) -> None:
    assert isinstance(watch.clock, Hour)
    watch.clock.now += seconds
    watch.check()


def test_messages_that_are_not_taken_end_the_worker(
    watch: QueueWatchdog, valkey: Valkey, stop_times: list[float]
):
    valkey.client().rpush(QUEUE, "hint")
    watch.check()
    pass_time(watch, STUCK_AFTER - 1)
    assert stop_times == []
    pass_time(watch, 1)
    assert len(stop_times) == 1


def test_a_busy_worker_may_let_messages_wait(watch: QueueWatchdog, valkey: Valkey, stop_times: list[float]):
    valkey.client().rpush(QUEUE, "hint")
    watch.check()
    with watch.children.mark_busy():
        pass_time(watch, 10 * STUCK_AFTER)
    pass_time(watch, 1)
    pass_time(watch, STUCK_AFTER - 1)
    assert stop_times == []


def test_empty_queues_and_a_missing_server_are_not_a_stall(
    watch: QueueWatchdog, valkey: Valkey, stop_times: list[float]
):
    pass_time(watch, 10 * STUCK_AFTER)
    valkey.client().rpush(QUEUE, "hint")
    watch.check()
    away = QueueWatchdog(
        RedisClient("redis://127.0.0.1:1/0", seconds=0.2),
        [QUEUE],
        watch.children,
        watch.on_stall,
        watch.clock,
        watch.timer,
    )
    pass_time(away, 10 * STUCK_AFTER)
    pass_time(watch, 1)
    assert stop_times == []


def test_a_child_is_busy_until_it_is_done_or_dead():
    presence = BusyChildren()
    child = os.fork()
    if child == 0:
        with presence.mark_busy():
            time.sleep(60)
        os._exit(0)
    try:
        until = time.monotonic() + 20
        while not presence.any_busy() and time.monotonic() < until:
            time.sleep(0.01)
        assert presence.any_busy()
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)
    assert not presence.any_busy()


def test_the_timer_restarts_when_a_message_was_taken():
    waiting = StallTimer()
    assert not waiting.is_stalled(0, messages=True, busy=False)
    assert not waiting.is_stalled(STUCK_AFTER - 1, messages=False, busy=False)
    assert not waiting.is_stalled(STUCK_AFTER, messages=True, busy=False)
    assert waiting.is_stalled(2 * STUCK_AFTER, messages=True, busy=False)
