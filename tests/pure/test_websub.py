"""WebSub subscriptions: when they are requested, what confirms them, which senders are accepted."""

import hashlib
import hmac
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.sources.feeds.websub import (
    ANSWER_WITHIN,
    RecentDeliveries,
    Subscription,
    handle_verification,
    has_valid_signature,
    link_relations,
    make_subscription,
    needs_subscribe_request,
    subscribe_form,
)

NOW = datetime(2026, 11, 13, 9, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
TOPIC = "http://wire.example/feed"
FRESH = make_subscription("s1", "http://hub.example/", TOPIC, b"of this installation")
REQUESTED = replace(FRESH, requested_at=NOW)


def verification_query(**query: str) -> dict[str, str]:
    expected = {"mode": "subscribe", "topic": TOPIC, "challenge": "abc", "lease_seconds": "7200"} | query
    return {f"hub.{name}": value for name, value in expected.items()}


def confirmed_subscription() -> Subscription:
    return handle_verification(REQUESTED, verification_query(), NOW)[0]


def test_each_source_topic_and_installation_has_its_own_key_and_secret():
    other_subscriptions = [
        make_subscription("s2", FRESH.hub, TOPIC, b"of this installation"),
        make_subscription("s1", FRESH.hub, TOPIC + "2", b"of this installation"),
        make_subscription("s1", FRESH.hub, TOPIC, b"of another"),
    ]
    assert (
        len({subscription.key for subscription in (FRESH, *other_subscriptions)})
        == len({subscription.secret for subscription in (FRESH, *other_subscriptions)})
        == 4
    )
    assert make_subscription("s1", FRESH.hub, TOPIC, b"of this installation") == FRESH


def test_the_form_is_complete_and_the_secret_is_short_enough():
    query = {
        name: values[0]
        for name, values in parse_qs(subscribe_form(FRESH, "https://me.example/push/").decode()).items()
    }
    assert query["hub.callback"] == f"https://me.example/push/{FRESH.key}"
    assert (query["hub.mode"], query["hub.topic"]) == ("subscribe", TOPIC)
    assert len(query["hub.secret"]) < 200


def test_a_requested_subscription_is_confirmed():
    after, answer = handle_verification(REQUESTED, verification_query(), NOW)
    assert (answer, after.expires_at) == ("abc", NOW + 2 * HOUR)


@pytest.mark.parametrize(
    ("subscription", "query", "now"),
    [
        (FRESH, verification_query(), NOW),
        (REQUESTED, verification_query(topic="http://other.example/"), NOW),
        (REQUESTED, verification_query(mode="unsubscribe"), NOW),
        (REQUESTED, verification_query(challenge=""), NOW),
        (REQUESTED, {}, NOW),
        (REQUESTED, verification_query(), NOW + ANSWER_WITHIN + HOUR),
    ],
)
def test_a_subscription_that_was_not_requested_is_not_confirmed(subscription, query, now):
    assert handle_verification(subscription, query, now) == (subscription, None)


def test_a_subscription_is_renewed_before_it_ends_and_requested_again_without_an_answer():
    assert needs_subscribe_request(FRESH, NOW)
    assert not needs_subscribe_request(REQUESTED, NOW + ANSWER_WITHIN)
    assert needs_subscribe_request(REQUESTED, NOW + HOUR)
    assert not needs_subscribe_request(confirmed_subscription(), NOW + HOUR)
    assert needs_subscribe_request(confirmed_subscription(), NOW + 1.7 * HOUR)
    renewing = replace(confirmed_subscription(), requested_at=NOW + 1.7 * HOUR)
    assert not needs_subscribe_request(renewing, NOW + 1.75 * HOUR)
    assert needs_subscribe_request(renewing, NOW + 2 * HOUR)


def test_a_denial_is_respected_for_a_day():
    refused, answer = handle_verification(REQUESTED, verification_query(mode="denied"), NOW)
    assert answer == ""
    assert not needs_subscribe_request(refused, NOW + HOUR)
    assert needs_subscribe_request(refused, NOW + 25 * HOUR)


@given(st.binary(max_size=200), st.binary(max_size=200), st.sampled_from(["sha1", "sha256", "sha512"]))
def test_c38_only_a_sender_that_knows_the_secret_is_accepted(body: bytes, other: bytes, name: str):
    digest = hmac.new(FRESH.secret.encode(), body, getattr(hashlib, name)).hexdigest()
    assert has_valid_signature(FRESH, f"{name}={digest}", body)
    assert has_valid_signature(FRESH, f"{name}={digest}", other) == (body == other)
    assert not has_valid_signature(replace(FRESH, secret="x"), f"{name}={digest}", body)


@pytest.mark.parametrize("signature", ["", "md5=1", "sha256", "sha256=", "sha256=é", "none=", "sha256=00"])
def test_an_invalid_signature_is_rejected(signature: str):
    assert not has_valid_signature(FRESH, signature, b"")


@given(st.text())
def test_a_lease_is_bounded_whatever_the_hub_says(text: str):
    until = handle_verification(REQUESTED, verification_query(lease_seconds=text), NOW)[0].expires_at
    assert until is not None
    assert timedelta(minutes=5) <= until - NOW <= timedelta(days=30)


def test_the_relations_of_a_link_header_are_read():
    header = '<http://hub.example/>; rel="hub", <http://wire.example/feed>; type=x; rel="self alternate", <x>; rel=hub'
    assert link_relations(header) == {
        "hub": "http://hub.example/",
        "self": "http://wire.example/feed",
        "alternate": "http://wire.example/feed",
    }
    assert link_relations("nonsense <<>>;;rel") == {}


def test_a_delivery_that_arrives_twice_counts_once_an_hour():
    deliveries, now = RecentDeliveries(), datetime(2026, 11, 13, 9, 0, tzinfo=UTC)
    assert not deliveries.is_repeated("key", b"body", now)
    assert deliveries.is_repeated("key", b"body", now + timedelta(minutes=59))
    assert not deliveries.is_repeated("other", b"body", now)
    assert not deliveries.is_repeated("key", b"body 2", now)
    assert not deliveries.is_repeated("key", b"body", now + timedelta(hours=1))
    for number in range(10_001):
        deliveries.is_repeated("key", b"%d" % number, now)
    assert len(deliveries.times) == 10_000
