"""What one check of a link means, and the state that follows."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.documents.link_health import (
    CHECK_INTERVALS,
    CheckResult,
    LinkAlert,
    LinkCheck,
    LinkPriority,
    LinkRecord,
    LinkState,
    hosts_to_review,
    judge_check,
    link_priority,
    needs_get,
    update_health,
)
from headwater.model.http import Failure, Response

NOW = datetime(2026, 11, 13, 9, 0, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
GOOD, BAD = (
    LinkCheck(result=CheckResult.GOOD, status=200, final_url="http://a.example/"),
    LinkCheck(result=CheckResult.BAD, reason="http_500"),
)
GONE, UNKNOWN = (
    LinkCheck(result=CheckResult.GONE, status=410, reason="http_410"),
    LinkCheck(result=CheckResult.UNKNOWN, reason="rate_limited"),
)


def response(status, **headers):
    return Response(url="http://a.example/x", status=status, headers=headers, body=b"")


def after(checks, *, step=HOUR, health=None):
    """The health and all alerts after these checks, one per step."""
    health, all_alerts = health or LinkRecord(priority=LinkPriority.P0), []
    for number, check in enumerate(checks):
        health, alerts = update_health(health, check, NOW + number * step)
        all_alerts += alerts
    return health, all_alerts


@pytest.mark.parametrize(
    ("answer", "sign"),
    [
        (response(200), CheckResult.GOOD),
        (response(204), CheckResult.GOOD),
        (response(304), CheckResult.GOOD),
        (response(301), CheckResult.BAD),
        (response(403), CheckResult.BAD),
        (response(404), CheckResult.BAD),
        (response(410), CheckResult.GONE),
        (response(429), CheckResult.UNKNOWN),
        (response(500), CheckResult.BAD),
        (Failure("dns"), CheckResult.BAD),
        (Failure("timeout"), CheckResult.BAD),
        (Failure("tls"), CheckResult.BAD),
        (Failure("redirects"), CheckResult.BAD),
        (Failure("forbidden_address"), CheckResult.BAD),
        (Failure("robots"), CheckResult.UNKNOWN),
        (Failure("rate_limited"), CheckResult.UNKNOWN),
        (Failure("breaker_open"), CheckResult.UNKNOWN),
    ],
)
def test_p36_an_answer_makes_a_check_good_bad_gone_or_inconclusive(answer, sign):
    assert judge_check(answer, NOW).result is sign


@pytest.mark.parametrize(
    ("answer", "expected"),
    [(response(405), True), (response(404), True), (response(410), True), (response(501), True), (response(200), False),
     (response(429), False), (Failure("reset"), True), (Failure("dns"), False), (Failure("robots"), False)],
)  # fmt: skip
def test_p36_an_inconclusive_head_is_repeated_as_get(answer, expected):
    assert needs_get(answer) is expected


@pytest.mark.parametrize(("priority", "days"), [("P0", 1), ("P1", 7), ("P2", 30)])
def test_p36_a_healthy_link_is_checked_daily_weekly_or_monthly(priority, days):
    health, alerts = update_health(LinkRecord(priority=LinkPriority(priority)), GOOD, NOW)
    assert (health.state, health.due_at, alerts) == (LinkState.WELL, NOW + days * DAY, ())


@pytest.mark.parametrize(
    ("failures", "state", "expected"),
    [
        (1, "failing", []),
        (2, "warned", []),
        (3, "degraded", ["down"]),
        (4, "degraded", ["down"]),
        (5, "hidden", ["down"]),
    ],
)
def test_p36_three_failures_in_a_row_raise_one_alert(failures, state, expected):
    health, alerts = after([BAD] * failures)
    assert (health.failures, health.state, alerts) == (failures, state, expected)
    assert health.first_failed_at == NOW


def test_p36_seven_days_down_make_a_link_inactive():
    health, alerts = after([BAD] * 8, step=DAY)
    assert (health.state, health.due_at, alerts) == (
        LinkState.INACTIVE,
        None,
        [LinkAlert.DOWN, LinkAlert.INACTIVE],
    )
    assert after([BAD] * 7, step=DAY)[0].state is LinkState.HIDDEN


def test_p36_a_410_makes_a_link_inactive_at_once():
    health, alerts = after([GONE])
    assert (health.state, health.due_at, alerts) == (LinkState.INACTIVE, None, [LinkAlert.INACTIVE])


def test_two_failures_a_month_apart_do_not_make_a_link_inactive():
    assert after([BAD, BAD], step=30 * DAY)[0].state is LinkState.WARNED


def test_one_good_check_clears_all_failures_and_raises_an_alert_of_recovery():
    health, alerts = after([BAD, BAD, BAD, GOOD])
    assert (health.failures, health.first_failed_at, health.state) == (0, None, LinkState.WELL)
    assert alerts == [LinkAlert.DOWN, LinkAlert.RECOVERED]
    assert after([BAD, GOOD])[1] == []


def test_a_link_with_a_new_target_raises_an_alert():
    elsewhere = replace(GOOD, final_url="http://b.example/")
    assert after([GOOD, GOOD, elsewhere, elsewhere])[1] == [LinkAlert.MOVED]


def test_an_inconclusive_check_changes_no_count():
    before, _ = after([BAD, BAD])
    health, alerts = update_health(before, UNKNOWN, NOW + HOUR)
    assert (health.failures, health.state, health.first_failed_at, alerts) == (2, before.state, NOW, ())
    assert health.due_at == NOW + 2 * HOUR


def test_a_link_forbidden_by_robots_is_checked_again_at_the_usual_time():
    health, _ = update_health(
        LinkRecord(priority=LinkPriority.P1), LinkCheck(result=CheckResult.UNKNOWN, reason="robots"), NOW
    )
    assert health.due_at == NOW + 7 * DAY


def test_a_failing_link_is_checked_soon_and_then_daily_whatever_its_priority():
    pauses = []
    health = LinkRecord(priority=LinkPriority.P2)
    for _ in range(4):
        now = health.due_at or NOW
        health, _ = update_health(health, BAD, now)
        pauses.append(health.due_at - now)
    assert pauses == [HOUR, HOUR, DAY, DAY]


CHECKS = st.lists(st.tuples(st.sampled_from([GOOD, BAD, GONE, UNKNOWN]), st.integers(0, 400)), max_size=30)


@given(CHECKS, st.sampled_from(list(LinkPriority)))
def test_the_laws_of_link_health_hold_for_any_checks(checks, priority):
    health, now = LinkRecord(priority=priority), NOW
    in_a_row, since = 0, None
    for check, hours in checks:
        now += timedelta(hours=hours)
        before = health
        health, alerts = update_health(health, check, now)
        if check.result is CheckResult.GOOD:
            in_a_row, since = 0, None
        elif check.result in (CheckResult.BAD, CheckResult.GONE):
            in_a_row, since = in_a_row + 1, since or now
        assert (health.failures, health.first_failed_at) == (in_a_row, since)
        assert (LinkAlert.DOWN in alerts) <= (in_a_row == 3)
        assert (health.due_at is None) == (
            health.state is LinkState.INACTIVE and check.result is not CheckResult.UNKNOWN
        )
        if health.due_at is not None:
            assert now < health.due_at <= now + CHECK_INTERVALS[priority]
        if health.state is LinkState.INACTIVE and before.state is not LinkState.INACTIVE:
            assert check.result is CheckResult.GONE or (in_a_row >= 3 and now - since >= 7 * DAY)
        assert health.last_checked_at == now


def test_a_host_of_which_most_links_are_down_is_to_be_reviewed():
    down, well = LinkState.DEGRADED, LinkState.WELL
    links = [(f"http://a.example/{n}", down if n < 3 else well) for n in range(5)]
    links += [(f"http://b.example/{n}", down if n < 2 else well) for n in range(4)]
    links += [("http://c.example/", down)]
    assert hosts_to_review(links) == ("a.example",)


@pytest.mark.parametrize(
    ("value", "priority"), [("P0", "P0"), ("p0", "P2"), (0, "P2"), (None, "P2"), ("P9", "P2")]
)
def test_a_priority_is_read_from_its_option(value, priority):
    assert link_priority(value, LinkPriority.P2) == priority
