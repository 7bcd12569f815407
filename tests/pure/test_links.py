"""What a look at a link means and what follows from it."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.model.web import Failure, Response
from headwater.pure.links import (
    CADENCE,
    Alert,
    Health,
    Look,
    Priority,
    Sign,
    Standing,
    ask_in_full,
    decide,
    hosts_to_review,
    judge_link,
    our_own_trouble,
    priority_of,
)

NOW = datetime(2026, 11, 13, 9, 0, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
GOOD, BAD = (
    Look(sign=Sign.GOOD, status=200, final_url="http://a.example/"),
    Look(sign=Sign.BAD, reason="http_500"),
)
GONE, UNKNOWN = (
    Look(sign=Sign.GONE, status=410, reason="http_410"),
    Look(sign=Sign.UNKNOWN, reason="rate_limited"),
)


def response(status, **headers):
    return Response(url="http://a.example/x", status=status, headers=headers, body=b"")


def after(looks, *, step=HOUR, health=None):
    """The health and all alerts after these looks, one per step."""
    health, told = health or Health(priority=Priority.P0), []
    for number, look in enumerate(looks):
        health, alerts = decide(health, look, NOW + number * step)
        told += alerts
    return health, told


@pytest.mark.parametrize(
    ("answer", "sign"),
    [
        (response(200), Sign.GOOD),
        (response(204), Sign.GOOD),
        (response(304), Sign.GOOD),
        (response(301), Sign.BAD),
        (response(403), Sign.BAD),
        (response(404), Sign.BAD),
        (response(410), Sign.GONE),
        (response(429), Sign.UNKNOWN),
        (response(500), Sign.BAD),
        (Failure("dns"), Sign.BAD),
        (Failure("timeout"), Sign.BAD),
        (Failure("tls"), Sign.BAD),
        (Failure("redirects"), Sign.BAD),
        (Failure("forbidden_address"), Sign.BAD),
        (Failure("robots"), Sign.UNKNOWN),
        (Failure("rate_limited"), Sign.UNKNOWN),
        (Failure("breaker_open"), Sign.UNKNOWN),
    ],
)
def test_p36_what_an_answer_says_about_a_link(answer, sign):
    assert judge_link(answer, NOW).sign is sign


@pytest.mark.parametrize(
    ("answer", "again"),
    [(response(405), True), (response(404), True), (response(410), True), (response(501), True), (response(200), False),
     (response(429), False), (Failure("reset"), True), (Failure("dns"), False), (Failure("robots"), False)],
)  # fmt: skip
def test_p36_a_head_that_proves_nothing_is_asked_again_in_full(answer, again):
    assert ask_in_full(answer) is again


@pytest.mark.parametrize(("priority", "days"), [("P0", 1), ("P1", 7), ("P2", 30)])
def test_p36_a_link_that_is_well_is_looked_at_daily_weekly_or_monthly(priority, days):
    health, alerts = decide(Health(priority=Priority(priority)), GOOD, NOW)
    assert (health.standing, health.due_at, alerts) == (Standing.WELL, NOW + days * DAY, ())


@pytest.mark.parametrize(
    ("failures", "standing", "told"),
    [
        (1, "failing", []),
        (2, "warned", []),
        (3, "degraded", ["down"]),
        (4, "degraded", ["down"]),
        (5, "hidden", ["down"]),
    ],
)
def test_p36_three_failures_in_a_row_are_told_once(failures, standing, told):
    health, alerts = after([BAD] * failures)
    assert (health.failures, health.standing, alerts) == (failures, standing, told)
    assert health.first_failed_at == NOW


def test_p36_seven_days_down_make_a_link_inactive():
    health, alerts = after([BAD] * 8, step=DAY)
    assert (health.standing, health.due_at, alerts) == (Standing.INACTIVE, None, [Alert.DOWN, Alert.INACTIVE])
    assert after([BAD] * 7, step=DAY)[0].standing is Standing.HIDDEN


def test_p36_a_410_makes_a_link_inactive_at_once():
    health, alerts = after([GONE])
    assert (health.standing, health.due_at, alerts) == (Standing.INACTIVE, None, [Alert.INACTIVE])


def test_two_looks_far_apart_are_no_week_of_evidence():
    assert after([BAD, BAD], step=30 * DAY)[0].standing is Standing.WARNED


def test_one_good_look_forgets_all_failures_and_is_told_after_an_alert():
    health, alerts = after([BAD, BAD, BAD, GOOD])
    assert (health.failures, health.first_failed_at, health.standing) == (0, None, Standing.WELL)
    assert alerts == [Alert.DOWN, Alert.RECOVERED]
    assert after([BAD, GOOD])[1] == []


def test_a_link_that_leads_elsewhere_than_before_is_told():
    elsewhere = replace(GOOD, final_url="http://b.example/")
    assert after([GOOD, GOOD, elsewhere, elsewhere])[1] == [Alert.MOVED]


def test_what_says_nothing_about_the_link_changes_no_count():
    before, _ = after([BAD, BAD])
    health, alerts = decide(before, UNKNOWN, NOW + HOUR)
    assert (health.failures, health.standing, health.first_failed_at, alerts) == (2, before.standing, NOW, ())
    assert health.due_at == NOW + 2 * HOUR


def test_rules_that_forbid_looking_are_asked_again_at_the_usual_time():
    health, _ = decide(Health(priority=Priority.P1), Look(sign=Sign.UNKNOWN, reason="robots"), NOW)
    assert health.due_at == NOW + 7 * DAY


def test_a_failing_link_is_looked_at_soon_and_then_daily_whatever_its_priority():
    pauses = []
    health = Health(priority=Priority.P2)
    for _ in range(4):
        now = health.due_at or NOW
        health, _ = decide(health, BAD, now)
        pauses.append(health.due_at - now)
    assert pauses == [HOUR, HOUR, DAY, DAY]


LOOKS = st.lists(st.tuples(st.sampled_from([GOOD, BAD, GONE, UNKNOWN]), st.integers(0, 400)), max_size=30)


@given(LOOKS, st.sampled_from(list(Priority)))
def test_whatever_happens_the_laws_of_link_health_hold(looks, priority):
    health, now = Health(priority=priority), NOW
    in_a_row, since = 0, None
    for look, hours in looks:
        now += timedelta(hours=hours)
        before = health
        health, alerts = decide(health, look, now)
        if look.sign is Sign.GOOD:
            in_a_row, since = 0, None
        elif look.sign in (Sign.BAD, Sign.GONE):
            in_a_row, since = in_a_row + 1, since or now
        assert (health.failures, health.first_failed_at) == (in_a_row, since)
        assert (Alert.DOWN in alerts) <= (in_a_row == 3)
        assert (health.due_at is None) == (
            health.standing is Standing.INACTIVE and look.sign is not Sign.UNKNOWN
        )
        if health.due_at is not None:
            assert now < health.due_at <= now + CADENCE[priority]
        if health.standing is Standing.INACTIVE and before.standing is not Standing.INACTIVE:
            assert look.sign is Sign.GONE or (in_a_row >= 3 and now - since >= 7 * DAY)
        assert health.last_checked_at == now


def test_when_no_host_can_be_reached_it_is_our_own_network():
    dead = Look(sign=Sign.BAD, reason="dns")
    three = [(f"http://{name}.example/", dead) for name in "abc"]
    assert our_own_trouble(three)
    assert not our_own_trouble(three[:2])
    assert not our_own_trouble([(f"http://a.example/{n}", dead) for n in range(9)])
    assert not our_own_trouble([*three, ("http://d.example/", BAD)])
    assert not our_own_trouble([])


def test_a_host_of_which_most_links_are_down_is_to_be_reviewed():
    down, well = Standing.DEGRADED, Standing.WELL
    links = [(f"http://a.example/{n}", down if n < 3 else well) for n in range(5)]
    links += [(f"http://b.example/{n}", down if n < 2 else well) for n in range(4)]
    links += [("http://c.example/", down)]
    assert hosts_to_review(links) == ("a.example",)


@pytest.mark.parametrize(
    ("said", "meant"), [("P0", "P0"), ("p0", "P2"), (0, "P2"), (None, "P2"), ("P9", "P2")]
)
def test_a_priority_is_taken_as_it_is_said(said, meant):
    assert priority_of(said, Priority.P2) == meant
