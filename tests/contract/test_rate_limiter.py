"""One suite for every rate limiter: its promises do not depend on where it remembers."""

from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import count, pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.servers.valkey import Valkey

from headwater.fetch.politeness.quotas import Decision, Demand, Go, Quota, Slots, Wait
from headwater.fetch.politeness.rate_limiter import MemoryRateLimiter, RateLimiter
from headwater.fetch.politeness.rate_limiter_file import FileRateLimiter
from headwater.fetch.politeness.rate_limiter_redis import ERA, PREFIX, RedisRateLimiter
from headwater.model.errors import Temporary
from headwater.redis_client import RedisClient

START = 1_000_000.0
RUNS = count()


@pytest.fixture(params=["memory", "file", "redis"])
def rate_limiter(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RateLimiter]:
    limiter: RateLimiter
    if request.param == "memory":
        limiter = MemoryRateLimiter()
    elif request.param == "file":
        limiter = FileRateLimiter(tmp_path / "rate-limits.sqlite")
    else:
        limiter = on_server(request.getfixturevalue("valkey"))
    yield limiter
    limiter.close()


def on_server(valkey: Valkey) -> RedisRateLimiter:
    """On a server that remembers since the beginning of time, by the clocks of the tests."""
    with valkey.client() as client:
        client.set(f"{PREFIX}:{ERA}", "0.0", nx=True)
    return RedisRateLimiter(RedisClient(valkey.url), measured=False)


def demand(ticket: str, *quotas: Quota, slots: tuple[Slots, ...] = (), **times: float) -> Demand:
    return Demand(ticket=ticket, lease=f"lease-{ticket}", quotas=quotas, slots=slots, **times)


def host(name: str = "ledgerlane.example", interval: float = 1.0) -> Quota:
    return Quota(f"host:{name}", 1, interval)


def ask(rate_limiter: RateLimiter, request_demand: Demand, now: float) -> Decision:
    return rate_limiter.reserve([request_demand], lambda: now)[0]


def send(rate_limiter: RateLimiter, request_demand: Demand, now: float) -> None:
    assert ask(rate_limiter, request_demand, now) == Go()
    rate_limiter.report_sent([request_demand.lease], now)
    rate_limiter.report_done([request_demand.lease], now)


def test_p7_one_request_per_interval(rate_limiter):
    send(rate_limiter, demand("a", host()), START)
    assert ask(rate_limiter, demand("b", host()), START + 0.4) == Wait(
        START + 1, "host:ledgerlane.example", is_planned=True
    )
    assert ask(rate_limiter, demand("b", host()), START + 1) == Go()


def test_p10_hosts_do_not_wait_for_each_other(rate_limiter):
    send(rate_limiter, demand("a", host()), START)
    assert ask(rate_limiter, demand("b", host("harbour.example")), START) == Go()


def test_the_interval_counts_from_the_moment_of_sending(rate_limiter):
    request_demand = demand("a", host())
    assert ask(rate_limiter, request_demand, START) == Go()
    assert ask(rate_limiter, demand("b", host()), START + 3).until == START + 4
    rate_limiter.report_sent([request_demand.lease], START + 3.5)
    assert ask(rate_limiter, demand("b", host()), START + 4).until == START + 4.5
    assert ask(rate_limiter, demand("b", host()), START + 4.5) == Go()


def test_5_6_waiting_requests_are_admitted_in_order(rate_limiter):
    send(rate_limiter, demand("a", host()), START)
    waits = [ask(rate_limiter, demand(name, host()), START).until - START for name in "bcd"]
    assert waits == [1.0, 2.0, 3.0]
    # A new request at the very moment that is reserved for another one is placed last.
    assert ask(rate_limiter, demand("e", host()), START + 1).until == START + 4
    assert ask(rate_limiter, demand("b", host()), START + 1) == Go()


def test_a_batch_is_decided_in_its_order(rate_limiter):
    decisions = rate_limiter.reserve([demand(name, host()) for name in "abc"], lambda: START)
    assert [isinstance(decision, Go) for decision in decisions] == [True, False, False]
    assert decisions[1].until < decisions[2].until


def test_a_planned_moment_expires_when_its_request_does_not_come_back(rate_limiter):
    send(rate_limiter, demand("a", host()), START)
    ask(rate_limiter, demand("b", host()), START)
    assert ask(rate_limiter, demand("c", host()), START + 60) == Go()


def test_p10_concurrency_is_limited_until_a_request_is_done(rate_limiter):
    slots = (Slots("host:ledgerlane.example", 2),)
    request_demand = [demand(name, slots=slots) for name in "abc"]
    assert [isinstance(decision, Go) for decision in rate_limiter.reserve(request_demand, lambda: START)] == [
        True,
        True,
        False,
    ]
    rate_limiter.report_done([request_demand[0].lease], START + 1)
    assert ask(rate_limiter, request_demand[2], START + 1) == Go()


def test_a_request_that_never_reports_counts_as_dead_after_its_time(rate_limiter):
    slots = (Slots("host:ledgerlane.example", 1),)
    assert ask(rate_limiter, demand("a", host(), slots=slots, start=10, hold=20), START) == Go()
    assert isinstance(ask(rate_limiter, demand("b", slots=slots), START + 19), Wait)
    assert ask(rate_limiter, demand("b", slots=slots), START + 21) == Go()


def test_r32_a_request_that_never_reports_still_counts_against_a_budget(rate_limiter):
    budget = Quota("credential:wire", 1, 60.0)
    assert ask(rate_limiter, demand("a", budget, start=10), START) == Go()
    # It may have been sent as late as ten seconds after it was let go.
    assert ask(rate_limiter, demand("b", budget), START + 30).until == START + 70
    assert ask(rate_limiter, demand("b", budget), START + 70) == Go()


def test_r31_r32_a_budget_holds_over_all_hosts_that_share_it(rate_limiter):
    budget = Quota("credential:wire", 3, 60.0)
    for number in range(3):
        send(rate_limiter, demand(str(number), host(f"h{number}.example"), budget), START + number)
    assert ask(rate_limiter, demand("x", host("h9.example"), budget), START + 5).until == START + 60


def test_p11_a_blocked_host_is_blocked_for_all_processes(rate_limiter):
    rate_limiter.block_until(["host:ledgerlane.example"], START + 30)
    rate_limiter.block_until(["host:ledgerlane.example"], START + 10)
    assert ask(rate_limiter, demand("a", host()), START).until == START + 30
    assert ask(rate_limiter, demand("b", host("harbour.example")), START) == Go()
    assert ask(rate_limiter, demand("a", host()), START + 30) == Go()


def test_a_crawl_delay_learnt_later_counts_from_the_last_request(rate_limiter):
    send(rate_limiter, demand("a", host()), START)
    assert ask(rate_limiter, demand("b", host(interval=10.0)), START + 5).until == START + 10


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    arrivals=st.lists(
        st.tuples(st.integers(0, 40), st.integers(0, 2), st.integers(0, 5)), min_size=1, max_size=40
    )
)
def test_r32_5_3_no_window_ever_holds_more_than_its_quota(rate_limiter, arrivals):
    """Requests arrive in any order on three hosts with one key, return when they should and are sent with any lag."""
    run = next(RUNS)
    budget = Quota(f"credential:{run}", 4, 10.0)
    log = play(
        rate_limiter,
        [
            (START + at, lag / 10, demand(f"{run}-{number}", host(f"{which}-{run}"), budget))
            for number, (at, which, lag) in enumerate(arrivals)
        ],
    )
    assert len(log) == len(arrivals)
    times = [at for at, _ in log]
    assert all(later - earlier > 10 - 1e-6 for earlier, later in zip(times, times[4:], strict=False))
    for key in {key for _, key in log}:
        key_times = [at for at, name in log if name == key]
        assert all(later - earlier > 1 - 1e-6 for earlier, later in pairwise(key_times))


def play(rate_limiter: RateLimiter, arrivals: list[tuple[float, float, Demand]]) -> list[tuple[float, str]]:
    """Everything that was sent, in order: (when, host key)."""
    log: list[tuple[float, str]] = []
    events = sorted((at, 1, number) for number, (at, _, _) in enumerate(arrivals))
    for _ in range(20 * len(arrivals)):
        if not events:
            break
        now, asking, number = heappop(events)
        _, lag, request_demand = arrivals[number]
        if not asking:
            rate_limiter.report_sent([request_demand.lease], now)
            log.append((now, request_demand.quotas[0].key))
            continue
        decisions = ask(rate_limiter, request_demand, now)
        heappush(
            events, (now + lag, 0, number) if isinstance(decisions, Go) else (decisions.until, 1, number)
        )
    return log


def test_r33_a_file_remembers_after_a_restart_and_is_shared(tmp_path):
    first = FileRateLimiter(tmp_path / "rate-limits.sqlite")
    send(first, demand("a", host()), START)
    assert ask(first, demand("b", host()), START).until == START + 1
    first.block_until(["host:harbour.example"], START + 99)
    first.close()
    second, third = (FileRateLimiter(tmp_path / "rate-limits.sqlite") for _ in range(2))
    assert ask(second, demand("c", host()), START + 0.5).until == START + 2
    assert ask(third, demand("b", host()), START + 1) == Go()
    assert ask(third, demand("d", host("harbour.example")), START).until == START + 99
    second.close()
    third.close()


def test_what_no_longer_counts_is_swept(tmp_path):
    rate_limiter = FileRateLimiter(tmp_path / "rate-limits.sqlite")
    for number in range(300):
        send(rate_limiter, demand(str(number), host(f"h{number}.example")), START + number)
    ask(rate_limiter, demand("x", host()), START + 10_000)
    rate_limiter._until_sweep = 0
    ask(rate_limiter, demand("y", host("harbour.example")), START + 10_000)
    row_count = rate_limiter._database.execute("SELECT count(*) FROM requests").fetchone()[0]
    rate_limiter.close()
    assert row_count == 2


def test_no_request_is_admitted_while_the_file_cannot_be_read(tmp_path):
    rate_limiter = FileRateLimiter(tmp_path / "rate-limits.sqlite")
    rate_limiter._database.execute("DROP TABLE requests")
    with pytest.raises(Temporary):
        ask(rate_limiter, demand("a", host()), START)
    rate_limiter.close()
