"""Whether our own network is down, decided from the requests so far."""

import asyncio
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.deadline import DEADLINE

from headwater.fetch.failures import FetchStopped
from headwater.fetch.outage import (
    OutageDetector,
    Reachability,
    after_answer,
    after_failure,
    failure_evidence,
    is_none_reached,
)
from headwater.model.http import Failure

MOMENT = timedelta(seconds=DEADLINE)
HOSTS = st.sampled_from(["a", "b", "c", "d"])


def failed(state: Reachability, *hosts: str, local: bool = False, hosts_known: int = 3) -> Reachability:
    for number, host in enumerate(hosts):
        state = after_failure(state, host, 10.0, 10.0 + number, local=local, hosts_known=hosts_known)
    return state


def test_three_hosts_without_an_answer_in_between_are_an_outage():
    assert failed(Reachability(), "a", "b", "b", "a").down_since is None
    assert failed(Reachability(), "a", "b", "c").down_since == 12.0


def test_a_batch_of_requests_that_reached_none_of_three_hosts_is_an_outage():
    unreached = [(name, "dns") for name in "abc"]
    assert is_none_reached(unreached)
    assert is_none_reached([*unreached[:2], ("c", "offline")])
    assert not is_none_reached(unreached[:2])
    assert not is_none_reached([("a", "timeout")] * 9)
    assert not is_none_reached([*unreached, ("d", "http_404")])
    assert not is_none_reached([*unreached, ("d", "")])
    assert not is_none_reached([*unreached, ("d", "reset")])
    assert not is_none_reached([(name, "refused") for name in "abcd"])
    assert not is_none_reached([])


def test_an_answer_in_between_ends_the_series():
    state = after_answer(failed(Reachability(), "a", "b"), 5.0)
    assert failed(state, "c", "a").down_since is None


def test_two_hosts_are_enough_where_the_system_itself_has_no_network_and_one_if_there_is_only_one():
    assert failed(Reachability(), "a", local=True).down_since is None
    assert failed(Reachability(), "a", "b", local=True).down_since == 11.0
    assert failed(Reachability(), "a", local=True, hosts_known=1).down_since == 10.0


def test_a_request_that_began_before_the_last_answer_says_nothing():
    """At the end of a round only slow and dead hosts are left; they time out together."""
    answered = after_answer(Reachability(), 60.0)
    assert failed(answered, "a", "b", "c") == answered


@given(st.lists(st.tuples(st.booleans(), HOSTS), max_size=30))
def test_an_answer_always_ends_an_outage(events: list[tuple[bool, str]]):
    state = Reachability()
    for number, (answered, host) in enumerate(events):
        now = float(number)
        state = (
            after_answer(state, now)
            if answered
            else after_failure(state, host, now, now, local=False, hosts_known=3)
        )
    assert after_answer(state, 99.0).down_since is None
    assert (state.down_since is None) or len(state.failing) >= 3


async def failures(
    detector: OutageDetector, hosts: str, reason: str = "timeout", *, accepted: bool = False
) -> list[str]:
    """All hosts fail at the same time; returns with which reason each request ends."""
    evidence = failure_evidence(reason, local=False, accepted=accepted)

    async def fail(host: str) -> str:
        try:
            await detector.record_failure(host, Failure(reason), detector.enter(host), evidence)
        except FetchStopped as stopped:
            return stopped.failure.reason
        return reason

    return list(await asyncio.gather(*(fail(host) for host in hosts)))


@pytest.mark.parametrize("reason", ["truncated", "protocol", "encoding", "too_large"])
def test_a_broken_answer_is_an_answer(reason: str):
    detector = OutageDetector(lambda: 0.0, MOMENT)
    assert asyncio.run(failures(detector, "abcd", reason)) == [reason] * 4
    assert detector.state.down_since is None


@pytest.mark.parametrize("reason", ["reset", "timeout"])
def test_a_host_that_accepts_a_connection_and_closes_it_or_is_silent_was_reached(reason: str):
    detector = OutageDetector(lambda: 0.0, MOMENT)
    assert asyncio.run(failures(detector, "abcd", reason, accepted=True)) == [reason] * 4
    assert detector.state.down_since is None


@pytest.mark.parametrize("reason", ["refused", "tls"])
def test_refusals_are_our_outage_only_where_those_hosts_answered_before(reason: str):
    detector = OutageDetector(lambda: 0.0, MOMENT)
    assert asyncio.run(failures(detector, "abcd", reason)) == [reason] * 4
    for host in "abc":
        detector.record_answer(host)
    assert asyncio.run(failures(detector, "dabc", reason)) == [reason, *["offline"] * 3]


@pytest.mark.parametrize("reason", ["refused", "tls"])
def test_a_process_that_starts_during_an_outage_learns_of_it_from_hosts_that_answered_before(reason: str):
    detector = OutageDetector(lambda: 0.0, timedelta(milliseconds=1), answered_before=frozenset("abc"))
    assert asyncio.run(failures(detector, "dabc", reason)) == [reason, *["offline"] * 3]


def test_dead_servers_that_refuse_before_others_answer_are_to_blame_themselves():
    async def run() -> list[str]:
        detector = OutageDetector(lambda: 0.0, MOMENT, answered_before=frozenset("abcd"))
        task = asyncio.create_task(failures(detector, "abc", "refused"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        detector.record_answer("d")
        return await task

    assert asyncio.run(run()) == ["refused"] * 3


def test_the_hosts_that_fail_first_are_not_blamed_either():
    assert asyncio.run(failures(OutageDetector(lambda: 0.0, MOMENT), "abcd")) == ["offline"] * 4


def test_a_failure_is_reported_as_soon_as_something_else_answers():
    async def run() -> list[str]:
        detector = OutageDetector(lambda: 0.0, MOMENT)
        task = asyncio.create_task(failures(detector, "ab"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        detector.record_answer("c")
        return await task

    assert asyncio.run(run()) == ["timeout", "timeout"]


def test_probes_pass_three_at_a_time_and_their_answer_ends_the_outage():
    now, return_times = [100.0], []
    detector = OutageDetector(lambda: now[0], MOMENT, lambda: return_times.append(now[0]))
    assert asyncio.run(failures(detector, "abc")) == ["offline"] * 3
    with pytest.raises(FetchStopped):
        detector.check()
    now[0] += 30
    for host in "abc":
        detector.enter(host)
    with pytest.raises(FetchStopped):
        detector.enter("d")
    detector.record_answer("b")
    detector.check()
    assert return_times == [130.0]
