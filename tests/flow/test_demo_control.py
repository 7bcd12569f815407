"""Faults, log, clock and new articles, all through the control host."""

from datetime import UTC, datetime, timedelta

import pytest

from headwater_demo.faults import Fault
from headwater_demo.internet import running

HOST = "ledgerlane.example"
FRONT = f"http://{HOST}/"


@pytest.fixture
def internet():
    with running() as started:
        yield started


def test_scripted_faults_are_used_up_in_order(internet):
    internet.fault(HOST, "/feed", Fault(status=429, retry_after="2"), times=2)
    internet.fault(HOST, "/feed", Fault(html=True))
    answers = [internet.get(f"{FRONT}feed") for _ in range(4)]
    assert [answer.status for answer in answers] == [429, 429, 200, 200]
    assert answers[0].headers["retry-after"] == "2"
    assert answers[2].body.startswith(b"<!doctype html>")
    assert answers[3].body.startswith(b"<?xml")


def test_a_fault_for_the_whole_host_hits_any_path_of_it_only(internet):
    internet.fault(HOST, fault=Fault(status=503))
    assert internet.get("http://hashfield.example/").status == 200
    assert [internet.get(f"{FRONT}about").status, internet.get(FRONT).status] == [503, 200]


def test_faults_can_be_cleared(internet):
    internet.fault(HOST, times=5)
    internet.clear_faults()
    assert internet.get(FRONT).status == 200


def test_a_reset_tears_the_connection_down(internet):
    with pytest.raises(ConnectionError):
        internet.get(FRONT, headers={"X-Fake-Fault": "reset"})
    assert internet.log()[-1]["status"] == 0


def test_a_delay_is_waited_out_and_logged(internet):
    internet.get(FRONT, headers={"X-Fake-Fault": "delay=0.05"})
    record = internet.log()[-1]
    assert record["ended"] - record["started"] >= 0.05
    assert record["fault"] == "delay=0.05"


@pytest.mark.parametrize("fault", ["explode", "status=soon", "status=500,colour=red"])
def test_an_unknown_fault_is_refused(internet, fault):
    assert internet.get(FRONT, headers={"X-Fake-Fault": fault}).status == 400


def test_the_log_records_every_request_with_its_time(internet):
    internet.get(f"{FRONT}feed?x=1", headers={"User-Agent": "reader/1"})
    internet.get("http://hashfield.example/", method="HEAD")
    first, second = internet.log()
    assert (first["host"], first["path"], first["query"], first["status"]) == (HOST, "/feed", "x=1", 200)
    assert first["headers"]["user-agent"] == "reader/1"
    assert second["method"] == "HEAD"
    assert first["started"] <= first["ended"] <= second["ended"]
    assert internet.log(since=first["number"]) == [second]
    internet.clear_log()
    assert internet.log() == []


def test_advancing_the_clock_publishes_what_is_due(internet):
    before = {item["id"] for item in internet.truth()}
    feed = internet.get(f"{FRONT}feed")
    internet.advance(timedelta(hours=24))
    after = internet.truth()
    fresh = internet.get(f"{FRONT}feed", headers={"If-None-Match": feed.headers["etag"]})
    assert len(after) == len(before) + 20
    assert before < {item["id"] for item in after}
    assert fresh.status == 200


def test_the_clock_can_be_set_back(internet):
    internet.clock_set(datetime(2026, 11, 12, 9, tzinfo=UTC))
    assert len(internet.truth()) == 20
    with pytest.raises(ValueError, match="zone"):
        internet.clock_set(datetime(2026, 11, 12, 9))


def test_published_articles_are_on_the_site_in_the_feed_and_in_the_truth(internet):
    article = internet.publish(
        HOST,
        title="Lighthouse keeper mines a block",
        paragraphs=["It was dark.", "Then it was not."],
        guid="ll-1",
    )
    assert b"Then it was not." in internet.get(article["urls"][0]).body
    feed = internet.get(f"{FRONT}feed").body
    assert b"Lighthouse keeper mines a block" in feed
    assert b">ll-1</guid>" in feed
    assert internet.truth()[-1] == article


def test_an_edit_changes_the_page_and_its_validators(internet):
    article = next(item for item in internet.truth() if item["host"] == HOST)
    before = internet.get(article["urls"][0])
    internet.advance(timedelta(minutes=5))
    changed = internet.edit(article["id"], paragraphs=["All of it was wrong."])
    after = internet.get(article["urls"][0], headers={"If-None-Match": before.headers["etag"]})
    assert changed["urls"] == article["urls"]
    assert after.status == 200
    assert b"All of it was wrong." in after.body
    assert after.headers["last-modified"] == "Fri, 13 Nov 2026 09:05:00 GMT"


@pytest.mark.parametrize(
    ("fields", "reason"),
    [({"host": "nowhere.example"}, "KeyError"), ({"host": HOST, "colour": "red"}, "no .*colour")],
)
def test_an_invalid_article_is_refused_with_its_reason(internet, fields, reason):
    with pytest.raises(ValueError, match=reason):
        internet.publish(**fields)


def test_an_unpublished_article_cannot_be_edited(internet):
    with pytest.raises(ValueError, match="KeyError"):
        internet.edit("a777777")


def test_control_requests_stay_out_of_the_log(internet):
    internet.truth()
    assert internet.log() == []
