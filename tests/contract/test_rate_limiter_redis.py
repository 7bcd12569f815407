"""A rate limiter on a real server: one limit for all machines, whatever happens to the server or to one of them."""

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing

import pytest
from tests.contract.test_rate_limiter import START, ask, demand, host, on_server, send
from tests.servers.fault_proxy import fault_proxy
from tests.servers.valkey import Valkey
from tests.support.deadline import DEADLINE

from headwater.app import App
from headwater.fetch.politeness.quotas import Go, Quota, Slots, Wait
from headwater.fetch.politeness.rate_limiter_redis import ERA, PREFIX, RedisRateLimiter
from headwater.model.errors import Refused, Temporary
from headwater.redis_client import RedisClient
from headwater.settings.settings import Settings

ONE_PLACE = (Slots("host:slow.example", 1),)
BUDGET = Quota("credential:wire", 3, 60.0)
LONG = Quota("host:ledgerlane.example", 1, 500.0)
HOUR = 3600.0


@pytest.fixture
def killable(valkey: Valkey) -> Iterator[Valkey]:
    yield valkey
    valkey.stop()
    valkey.start()


@pytest.fixture
def two(valkey: Valkey) -> Iterator[tuple[RedisRateLimiter, RedisRateLimiter]]:
    """On two machines."""
    with closing(on_server(valkey)) as first, closing(on_server(valkey)) as second:
        yield first, second


def remembering(valkey: Valkey) -> None:
    with valkey.client() as client:
        client.set(f"{PREFIX}:{ERA}", "0.0")


def test_r33_machines_share_their_limits(two):
    first, second = two
    send(first, demand("a", host()), START)
    assert ask(second, demand("b", host()), START + 0.5).until == START + 1
    assert ask(first, demand("c", host()), START + 0.5).until == START + 2
    assert ask(second, demand("b", host()), START + 1) == Go()
    second.block_until(["host:harbour.example"], START + 99)
    assert ask(first, demand("d", host("harbour.example")), START + 1).until == START + 99


def test_r33_r32_the_slots_of_a_dead_machine_expire(two):
    first, second = two
    assert ask(first, demand("a", BUDGET, slots=ONE_PLACE, start=10, hold=20), START) == Go()
    first.close()
    assert isinstance(ask(second, demand("b", slots=ONE_PLACE), START + 19), Wait)
    assert ask(second, demand("b", slots=ONE_PLACE), START + 21) == Go()
    tight = Quota(BUDGET.key, 1, 60.0)
    assert ask(second, demand("c", tight), START + 30).until == START + 70


def take_and_die(url: str) -> None:
    (decision,) = RedisRateLimiter(RedisClient(url)).reserve(
        [demand("first", LONG, slots=ONE_PLACE)], time.time
    )
    assert isinstance(decision, Go)
    os.kill(os.getpid(), signal.SIGKILL)


def test_p10_the_slots_of_a_killed_local_process_are_free_at_once_and_count_as_sent(valkey):
    remembering(valkey)
    victim = multiprocessing.get_context("spawn").Process(target=take_and_die, args=(valkey.url,))
    victim.start()
    victim.join(DEADLINE)
    assert victim.exitcode == -signal.SIGKILL
    with closing(RedisRateLimiter(RedisClient(valkey.url))) as after:
        assert after.reserve([demand("second", slots=ONE_PLACE)], time.time) == [Go()]
        (waiting,) = after.reserve([demand("third", LONG)], time.time)
        assert isinstance(waiting, Wait)
        assert 400 < waiting.until - time.time() < 501


@pytest.mark.parametrize("wrong_by", [-HOUR, HOUR])
def test_r33_clocks_that_differ_do_not_matter(valkey, wrong_by):
    """The clock is the server's; each gets its answer in its own time."""
    remembering(valkey)

    def off() -> float:
        return time.time() + wrong_by

    with (
        closing(RedisRateLimiter(RedisClient(valkey.url))) as right,
        closing(RedisRateLimiter(RedisClient(valkey.url))) as limiter,
    ):
        assert right.reserve([demand("a", LONG)], time.time) == [Go()]
        right.report_sent(["lease-a"], time.time())
        (waiting,) = limiter.reserve([demand("b", LONG)], off)
        assert 400 < waiting.until - off() < 501
        other = Quota("host:quay.example", 1, 500.0)
        assert limiter.reserve([demand("c", other)], off) == [Go()]
        limiter.report_sent(["lease-c"], off())
        (waiting,) = right.reserve([demand("d", other)], time.time)
        assert 400 < waiting.until - time.time() < 501
        limiter.block_until(["host:harbour.example"], off() + 500)
        (blocked_until,) = right.reserve([demand("e", host("harbour.example"))], time.time)
        assert 400 < blocked_until.until - time.time() < 501


def test_p7_a_slow_answer_dates_nothing_into_the_future(valkey):
    """What is said to be sent later than it was would leave room for others before it."""
    remembering(valkey)
    quota = Quota("host:ledgerlane.example", 1, 100.0)
    moments = iter([time.time() - 300, time.time()])
    with (
        closing(RedisRateLimiter(RedisClient(valkey.url))) as slow,
        closing(RedisRateLimiter(RedisClient(valkey.url))) as other,
    ):
        assert slow.reserve([demand("a", quota)], lambda: next(moments)) == [Go()]
        slow.report_sent(["lease-a"], time.time())
        (waiting,) = other.reserve([demand("b", quota)], time.time)
        assert isinstance(waiting, Wait)
        assert waiting.until - time.time() < 101


def test_r31_r32_many_at_once_get_exactly_what_the_budget_allows(valkey):
    remembering(valkey)
    budget = Quota("credential:wire", 20, HOUR)
    decisions: list[bool] = []

    def crowd(machine: int) -> None:
        with closing(RedisRateLimiter(RedisClient(valkey.url))) as rate_limiter:
            for batch in range(5):
                demands = [demand(f"{machine}-{batch}-{n}", budget) for n in range(3)]
                decisions.extend(isinstance(item, Go) for item in rate_limiter.reserve(demands, time.time))

    threads = [threading.Thread(target=crowd, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(decisions), sum(decisions)) == (90, 20)


def test_contended_calls_are_halved_and_give_up_at_last(two, monkeypatch):
    rate_limiter, _ = two
    sizes: list[int] = []
    write = rate_limiter._write

    def late(snapshot):
        sizes.append(len(snapshot.usages))
        return len(snapshot.usages) <= 2 and write(snapshot)

    monkeypatch.setattr(rate_limiter, "_write", late)
    crowd = [demand(str(n), host(f"{n}.example")) for n in range(8)]
    assert rate_limiter.reserve(crowd, lambda: START) == [Go()] * 8
    assert set(sizes) == {8, 4, 2}
    monkeypatch.setattr(rate_limiter, "_write", lambda snapshot: False)
    monkeypatch.setattr("headwater.fetch.politeness.rate_limiter_redis._TRIES_ALONE", 3)
    with pytest.raises(Temporary, match="rate_limiter_contended"):
        ask(rate_limiter, demand("x", host()), START)


def test_p7_r32_of_a_server_without_memory_no_window_is_used_twice(valkey):
    with closing(RedisRateLimiter(RedisClient(valkey.url), measured=False)) as rate_limiter:
        assert ask(rate_limiter, demand("a", host()), START).until == START + 1
        assert ask(rate_limiter, demand("b", BUDGET), START + 0.5).until == START + 60
        assert ask(rate_limiter, demand("a", host()), START + 1) == Go()
        assert ask(rate_limiter, demand("b", BUDGET), START + 60) == Go()
        assert ask(rate_limiter, demand("c", slots=ONE_PLACE), START + 60) == Go()


def test_p10_p11_requests_in_flight_are_reported_again_to_a_server_that_forgot(two, valkey):
    first, second = two
    assert ask(first, demand("a", slots=ONE_PLACE), START) == Go()
    first.block_until(["host:harbour.example"], START + 500)
    assert ask(second, demand("x", host("other.example")), START) == Go()
    with valkey.client() as client:
        client.flushall()
    assert isinstance(ask(first, demand("b", host()), START + 2), Wait)
    assert isinstance(ask(second, demand("c", slots=ONE_PLACE), START + 3), Wait)
    assert ask(second, demand("d", host("harbour.example")), START + 3).until == START + 500
    first.report_done(["lease-a"], START + 4)
    assert ask(second, demand("c", slots=ONE_PLACE), START + 4) == Go()


def test_p7_r33_no_request_is_admitted_while_the_server_is_away(killable):
    with closing(on_server(killable)) as rate_limiter:
        send(rate_limiter, demand("a", host()), START)
        killable.kill()
        for _ in range(2):
            with pytest.raises(Temporary, match="redis_unavailable"):
                ask(rate_limiter, demand("b", host()), START + 5)
            with pytest.raises(Temporary, match="redis_unavailable"):
                rate_limiter.block_until(["host:harbour.example"], START + 300)
        killable.start()
        assert ask(rate_limiter, demand("b", host()), START + 10).until == START + 11
        assert ask(rate_limiter, demand("c", host("harbour.example")), START + 10).until == START + 300
        assert ask(rate_limiter, demand("b", host()), START + 11) == Go()


@pytest.mark.parametrize("fault", ["silent", "refusing"])
def test_no_request_is_admitted_while_the_network_fails(valkey, fault):
    remembering(valkey)
    with fault_proxy(valkey.port) as proxy:
        url = valkey.url.replace(f":{valkey.port}/", f":{proxy.port}/")
        with closing(RedisRateLimiter(RedisClient(url, seconds=0.2), measured=False)) as rate_limiter:
            send(rate_limiter, demand("a", host()), START)
            setattr(proxy.faults, fault, True)
            proxy.cut()
            with pytest.raises(Temporary, match="redis_unavailable"):
                ask(rate_limiter, demand("b", host()), START + 5)
            setattr(proxy.faults, fault, False)
            proxy.cut()
            assert ask(rate_limiter, demand("b", host()), START + 5) == Go()


def test_p7_an_admission_whose_answer_was_lost_counts_as_sent(two):
    rate_limiter, other = two
    run_script = rate_limiter._server.run_script

    def deaf(*arguments):
        run_script(*arguments)
        raise Temporary("redis_unavailable", "the answer was lost")

    object.__setattr__(rate_limiter._server, "run_script", deaf)
    with pytest.raises(Temporary):
        ask(rate_limiter, demand("a", host(), start=5.0), START)
    assert ask(other, demand("b", host()), START + 1).until == START + 2
    assert ask(other, demand("b", host()), START + 7) == Go()


def test_r33_requests_are_counted_by_kind_and_minute(valkey):
    remembering(valkey)
    server = RedisClient(valkey.url)
    with closing(RedisRateLimiter(server, counted=["team"], measured=False)) as rate_limiter:
        news = Quota("kind:news_api", 2, 60.0)
        decisions = rate_limiter.reserve([demand(name, news) for name in "abc"], lambda: START)
        assert [isinstance(item, Go) for item in decisions] == [True, True, False]
    with valkey.client() as client:
        (key,) = client.keys("team:*")
        assert key == f"team:ratelimit:news_api:{int(START) // 60 * 60}"
        assert client.get(key) == "2"
        assert 0 < client.ttl(key) <= 120


def test_what_no_longer_counts_is_gone_from_the_server(two, valkey):
    first, _ = two
    for number in range(20):
        send(first, demand(str(number), host(f"{number}.example")), START)
    with valkey.client() as client:
        usage_keys = [key for key in client.keys(f"{PREFIX}:*") if not key.endswith(f":{ERA}")]
        assert len(usage_keys) == 20
        assert all(0 < client.ttl(key) <= 180 for key in usage_keys)
        first.reserve(
            [demand(f"again{n}", slots=(Slots(f"host:{n}.example", 3),)) for n in range(20)],
            lambda: START + 99,
        )
        first.report_done([f"lease-again{n}" for n in range(20)], START + 99)
        assert client.keys(f"{PREFIX}:*") == [f"{PREFIX}:{ERA}"]


def test_the_setting_chooses_it(valkey, tmp_path):
    with ExitStack() as opened:
        shared = opened.enter_context(closing(App(Settings(data=str(tmp_path), redis=valkey.url)).fetcher()))
        fetcher = opened.enter_context(closing(App(Settings(data=str(tmp_path))).fetcher()))
        assert isinstance(shared._rate_limiter, RedisRateLimiter)
        assert not isinstance(fetcher._rate_limiter, RedisRateLimiter)


def test_a_missing_library_is_reported_at_once(monkeypatch):
    monkeypatch.setattr("headwater.redis_client.find_spec", lambda name: None)
    with pytest.raises(Refused, match=r"headwater\[cluster\]"):
        RedisClient("redis://localhost")
    with pytest.raises(Refused, match="redis:"):
        RedisClient("http://localhost")
    monkeypatch.undo()
    assert "secret" not in repr(RedisClient("redis://:secret@localhost"))
