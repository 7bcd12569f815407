from bisect import insort

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.fetch.politeness.circuit_breaker import CLOSED, circuit_after, enter_circuit
from headwater.fetch.politeness.quotas import (
    Demand,
    Go,
    KeyState,
    Quota,
    Slots,
    Wait,
    decide_admission,
    earliest_moment,
)

HOST = Quota("host", 1, 1.0)
moments = st.lists(st.integers(0, 600).map(lambda n: n / 10), max_size=30).map(sorted)
quotas = st.builds(Quota, st.just("q"), st.integers(1, 5), st.integers(1, 100).map(lambda n: n / 10))


def demand(*quotas: Quota, slots: tuple[Slots, ...] = ()) -> Demand:
    return Demand(ticket="t", lease="l", quotas=quotas, slots=slots)


def decision(*quotas: Quota, views=None, planned=None, slots=(), horizon=600.0):
    return decide_admission(
        demand(*quotas, slots=slots), views or {}, 100.0, planned=planned, horizon=horizon
    )


def keeps(times, quota) -> bool:
    return all(
        later - earlier > quota.window - 1e-9
        for earlier, later in zip(times, times[quota.limit :], strict=False)
    )


def test_the_first_request_goes_at_once():
    assert decision(HOST) == Go()


def test_p7_the_next_one_waits_its_interval():
    assert decision(HOST, views={"host": KeyState(sent_times=[99.5])}) == Wait(100.5, "host", is_planned=True)


def test_exactly_one_interval_later_is_late_enough():
    assert decision(HOST, views={"host": KeyState(sent_times=[99.0])}) == Go()


def test_the_strictest_of_several_quotas_decides():
    budget = Quota("credential", 2, 60.0)
    views = {"host": KeyState(sent_times=[99.5]), "credential": KeyState(sent_times=[50.0, 99.5])}
    assert decision(HOST, budget, views=views) == Wait(110.0, "credential", is_planned=True)


def test_a_request_that_is_not_on_the_wire_yet_counts_as_sent_now():
    assert decision(HOST, views={"host": KeyState(pending_count=1)}) == Wait(101.0, "host", is_planned=True)


def test_a_block_is_respected():
    assert decision(HOST, views={"host": KeyState(blocked_until=130.0)}) == Wait(
        130.0, "host", is_planned=True
    )


def test_when_all_slots_are_taken_a_request_tries_again_soon_without_a_plan():
    result = decision(HOST, slots=(Slots("host", 3),), views={"host": KeyState(running_count=3)})
    assert result == Wait(100.1, "host", is_planned=False)


def test_a_new_request_is_planned_behind_waiting_ones():
    view = KeyState(sent_times=[99.5], planned_times=[100.5, 101.5])
    assert decision(HOST, views={"host": view}) == Wait(102.5, "host", is_planned=True)


def test_a_request_at_its_planned_moment_goes_before_later_ones():
    view = KeyState(sent_times=[99.0], planned_times=[101.0, 102.0])
    assert decision(HOST, views={"host": view}, planned=100.0) == Go()


def test_a_late_request_still_keeps_its_distance_to_sent_ones():
    assert decision(HOST, views={"host": KeyState(sent_times=[99.8])}, planned=100.0) == Wait(
        100.8, "host", is_planned=True
    )


def test_an_early_request_waits_for_its_planned_moment():
    assert decision(HOST, planned=105.0) == Wait(105.0, "host", is_planned=True)


def test_p10_a_slow_host_does_not_use_up_a_shared_quota():
    # Twenty plans of a host with a long Crawl-delay lie far ahead in the budget of its kind; now there is room.
    kind = Quota("kind", 20, 60.0)
    later_plans = KeyState(planned_times=[160.0 + 60 * step for step in range(20)])
    assert decision(kind, views={"kind": later_plans}) == Go()


def test_no_request_is_planned_beyond_the_horizon():
    assert decision(HOST, views={"host": KeyState(blocked_until=5000.0)}, horizon=600.0) == Wait(
        700.0, "host", is_planned=False
    )


@given(moments, quotas, st.integers(0, 600).map(lambda n: n / 10))
def test_r32_a_granted_moment_never_breaks_the_quota(times, quota, start):
    sent_times: list[float] = []
    for time in times:
        insort(sent_times, earliest_moment(sent_times, quota, time))
    moment = earliest_moment(sent_times, quota, start)
    assert moment >= start
    insort(sent_times, moment)
    assert keeps(sent_times, quota)


@given(quotas, st.integers(1, 60))
def test_a_quota_is_used_to_the_full(quota, count):
    sent_times: list[float] = []
    for _ in range(count):
        insort(sent_times, earliest_moment(sent_times, quota, 0.0))
    assert sent_times[-1] == pytest.approx((count - 1) // quota.limit * quota.window)


def test_g5_five_failures_open_a_circuit_and_one_probe_decides():
    circuit = CLOSED
    for _ in range(4):
        circuit = circuit_after(circuit, 0.0, failed=True, threshold=5, pause=300.0)
        assert enter_circuit(circuit, 0.0) == (circuit, 0.0)
    circuit = circuit_after(circuit, 0.0, failed=True, threshold=5, pause=300.0)
    assert enter_circuit(circuit, 10.0)[1] == 290.0
    probing, wait = enter_circuit(circuit, 300.0)
    assert wait == 0.0
    assert enter_circuit(probing, 301.0)[1] > 0
    assert circuit_after(probing, 301.0, failed=False, threshold=5, pause=300.0) == CLOSED
    assert (
        enter_circuit(circuit_after(probing, 301.0, failed=True, threshold=5, pause=300.0), 302.0)[1] == 299.0
    )


def test_g5_a_success_ends_a_row_of_failures():
    circuit = circuit_after(CLOSED, 0.0, failed=True, threshold=5, pause=300.0)
    assert circuit_after(circuit, 0.0, failed=False, threshold=5, pause=300.0) == CLOSED


def test_a_probe_that_never_reports_is_replaced_in_the_end():
    circuit = circuit_after(CLOSED, 0.0, failed=True, threshold=1, pause=300.0)
    probing, _ = enter_circuit(circuit, 300.0)
    assert enter_circuit(probing, 400.0)[1] == 0.0
