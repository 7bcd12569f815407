"""Sources of every kind of health: broken, gone, moved, failing, stopped, crashed."""

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.support.recipe_run import RECIPE, QuickClock, RecipeRun, recipe_run

from headwater.model.jobs import Claim, Job, State, Task
from headwater.store.schema.flow import documents, polls
from headwater_demo.faults import Fault
from headwater_demo.feeds.catalogue import odd_feeds
from headwater_demo.internet import Internet, running

HOUR = timedelta(hours=1)
WIRE = ("Ledger Lane", "http://ledgerlane.example/feed")
NOWHERE = ("Nowhere", "http://ledgerlane.example/no/such/feed")


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RecipeRun]:
    """All 50 feeds of the full internet, read once."""
    with (
        running(size="full") as internet,
        recipe_run(tmp_path_factory.mktemp("full"), internet) as crypto_run,
    ):
        crypto_run.run()
        yield crypto_run


@pytest.fixture(scope="module")
def odd_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RecipeRun]:
    """Feeds with every known defect, read once."""
    odd = [(feed["name"], feed["url"]) for feed in odd_feeds()]
    with (
        running(size="small") as internet,
        recipe_run(tmp_path_factory.mktemp("odd"), internet, feeds=odd) as crypto_run,
    ):
        crypto_run.run()
        yield crypto_run


@pytest.fixture(scope="module")
def internet() -> Iterator[Internet]:
    with running(size="small") as demo_internet:
        yield demo_internet


def test_every_story_of_the_full_internet_is_kept_and_every_article_a_document(full: RecipeRun):
    truth = {url: record for record in full.internet.truth() if record["feeds"] for url in record["urls"]}
    kept_stories = {truth[row["url"]]["story"] for row in full.documents(State.KEPT)}
    assert kept_stories == {record["story"] for record in truth.values()}
    assert {truth[row["url"]]["id"] for row in full.documents()} == {
        record["id"] for record in truth.values()
    }
    assert full.status()["quarantine"] == 0


def test_c3_c14_95_percent_of_fifty_feeds_are_read_a_fifth_of_them_broken(full: RecipeRun):
    listed = full.internet.feeds()
    broken = [feed for feed in listed if feed["expect"] in ("broken", "refused", "gone")]
    assert (len(listed), len(broken), len({feed["defect"] for feed in broken})) == (50, 10, 10)
    first: dict[str, str] = {}
    for poll_row in sorted(full.rows(polls), key=lambda poll_row: poll_row["started_at"]):
        first.setdefault(poll_row["source_id"], poll_row["status"])
    assert len(first) == 50
    assert sum(status == "completed" for status in first.values()) >= 0.95 * 50


def test_c6_c13_every_failure_has_a_reason_and_only_what_is_broken_fails(full: RecipeRun):
    lost = {feed["name"] for feed in full.internet.feeds() if feed["expect"] in ("refused", "gone")}
    rows = [full.source(feed["name"]) for feed in full.internet.feeds()]
    assert {row["name"] for row in rows if row["last_success_at"] is None} == lost
    failed = [poll_row for poll_row in full.rows(polls) if poll_row["status"] != "completed"]
    assert {(poll_row["error"], bool(poll_row["detail"])) for poll_row in failed} == {
        ("gone", True),
        ("not_a_feed:refused_entities", True),
    }


def test_c15_c35_c40_no_row_is_corrupt_and_nine_of_ten_are_complete(full: RecipeRun):
    kept_rows = full.rows(documents, state=State.KEPT)
    for row in kept_rows:
        assert row["title"].strip()
        assert row["text"].strip()
        assert row["url"].startswith("http://")
        words = f"{row['title']} {row['text']} {row['description']}"
        assert not any(damage in words for damage in ("\x00", "\ufffd", "&amp;", "Ã©", "â€")), row["url"]
    required = ("title", "url", "text", "published_at", "authors", "description")
    assert sum(all(row[name] for name in required) for row in kept_rows) > 0.9 * len(kept_rows)
    assert len({row["url"] for row in kept_rows}) == len(kept_rows)


def test_c10_politeness_leaves_a_cycle_of_fifty_feeds_far_below_ten_minutes(full: RecipeRun):
    """At a request a second, the busiest host sets the pace; hosts do not wait for one another."""
    busiest = Counter(record["host"] for record in full.internet.log()).most_common(1)[0]
    assert busiest[1] < 300, busiest


@pytest.mark.parametrize("expect", ["ok", "broken", "flaky", "moved"])
def test_c15_feeds_that_can_be_read_are_read_and_their_defects_noted(
    full: RecipeRun, odd_run: RecipeRun, expect: str
):
    for crypto_run, feeds in ((full, full.internet.feeds()), (odd_run, odd_feeds())):
        for feed in (feed for feed in feeds if feed["expect"] == expect):
            row = crypto_run.source(feed["name"])
            assert (row["reason"], row["failures"], row["active"]) == (None, 0, True), feed
            (poll_row,) = crypto_run.rows(polls, source_id=row["id"])
            assert poll_row["item_count"] > 0, feed
            # The fetcher decompresses a feed that does not declare its compression.
            noted = poll_row["warnings"] or crypto_run is odd_run or feed["defect"] == "gzip-without-header"
            assert expect != "broken" or noted, feed


@pytest.mark.parametrize(("expect", "reason"), [("unreadable", ""), ("refused", "not_a_feed:")])
def test_c15_feeds_that_cannot_be_read_say_why_and_are_tried_later(
    full: RecipeRun, odd_run: RecipeRun, expect: str, reason: str
):
    checked = 0
    for crypto_run, feeds in ((full, full.internet.feeds()), (odd_run, odd_feeds())):
        for feed in (feed for feed in feeds if feed["expect"] == expect):
            row = crypto_run.source(feed["name"])
            assert row["reason"].startswith(reason), feed
            assert row["failures"] >= 1, feed
            assert row["due_at"] is not None, feed
            checked += 1
    assert checked > 0


def test_a_feed_that_is_gone_is_closed_for_good(full: RecipeRun, odd_run: RecipeRun):
    for crypto_run, name in ((full, "Hashfield: closed"), (odd_run, "gone")):
        row = crypto_run.source(name)
        assert (row["active"], row["reason"], row["due_at"]) == (False, "gone", None)


def test_a_permanent_move_is_remembered_and_the_old_address_is_not_requested_again(
    internet: Internet, tmp_path: Path
):
    moved = [(feed["name"], feed["url"]) for feed in odd_feeds() if feed["expect"] == "moved"]
    with recipe_run(tmp_path, internet, feeds=moved) as crypto_run:
        crypto_run.run()
        for name, before in moved:
            assert crypto_run.source(name)["url"] != before
        internet.clear_log()
        crypto_run.poll_again()
        paths = {record["path"] for record in internet.log()}
        assert paths
        assert not paths & {urlsplit(before).path for _, before in moved}


def test_r27_r28_a_failing_source_backs_off_and_after_ten_is_tried_once_a_day_until_it_is_reset(
    internet: Internet, tmp_path: Path
):
    with recipe_run(tmp_path, internet, feeds=[NOWHERE], clock=QuickClock(speed=0)) as crypto_run:
        waits = []
        for failures in range(1, 11):
            crypto_run.run()
            row = crypto_run.source("Nowhere")
            assert (row["failures"], row["reason"]) == (failures, "http_404")
            waits.append(round((row["due_at"] - row["last_polled_at"]).total_seconds()))
            crypto_run.clock.advance(HOUR)
        assert waits == [60, 120, 240, 480, 960, 1920, 3600, 3600, 3600, 24 * 3600]
        assert crypto_run.source("Nowhere")["stop_reason"] == "10 failures in a row"
        internet.clear_log()
        crypto_run.clock.advance(22 * HOUR)
        crypto_run.run()
        assert internet.log() == []
        crypto_run.clock.advance(HOUR)
        crypto_run.run()
        assert crypto_run.source("Nowhere")["stop_reason"] == "11 failures in a row"
        crypto_run.app.operations.reset("Nowhere", crypto_run.clock())
        crypto_run.run()
        assert (crypto_run.source("Nowhere")["failures"], crypto_run.source("Nowhere")["stop_reason"]) == (
            1,
            None,
        )


def test_5_5_retry_state_outlives_the_poll_rows(internet: Internet, tmp_path: Path):
    with recipe_run(tmp_path, internet, feeds=[NOWHERE], clock=QuickClock(speed=0)) as crypto_run:
        for _ in range(3):
            crypto_run.run()
            crypto_run.clock.advance(HOUR)
        with crypto_run.app.store.engine.begin() as connection:
            connection.execute(polls.delete())
        assert crypto_run.source("Nowhere")["failures"] == 3
        crypto_run.run()
        row = crypto_run.source("Nowhere")
        assert row["failures"] == 4
        assert round((row["due_at"] - row["last_polled_at"]).total_seconds()) == 480


def test_a_success_resets_the_failures(internet: Internet, tmp_path: Path):
    with recipe_run(tmp_path, internet, feeds=[WIRE]) as crypto_run:
        internet.fault("ledgerlane.example", "/feed", Fault(status=404), times=2)
        crypto_run.run()
        crypto_run.clock.advance(HOUR)
        crypto_run.run()
        assert crypto_run.source("Ledger Lane")["failures"] == 2
        crypto_run.clock.advance(HOUR)
        crypto_run.run()
        assert (crypto_run.source("Ledger Lane")["failures"], crypto_run.source("Ledger Lane")["reason"]) == (
            0,
            None,
        )
        assert crypto_run.documents(State.KEPT)


def test_r29_a_crashed_run_does_not_block_its_source(internet: Internet, tmp_path: Path):
    with recipe_run(tmp_path, internet, feeds=[WIRE]) as crypto_run:
        lease = timedelta(minutes=5)
        (source_lease,) = crypto_run.app.store.claim_sources(
            Claim(Job(RECIPE, Task.POLL), "crashed", crypto_run.clock(), 100, lease)
        )
        internet.clear_log()
        crypto_run.context.store.claim_sources(crypto_run.context.claim(Job(RECIPE, Task.POLL)))
        assert internet.log() == []
        crypto_run.clock.advance(lease)
        crypto_run.run()
        by_id = {run["id"]: run for run in crypto_run.rows(polls)}
        assert (by_id.pop(source_lease.poll_id)["error"], {run["status"] for run in by_id.values()}) == (
            "worker_died",
            {"completed"},
        )
        assert crypto_run.documents(State.KEPT)


def test_c12_a_feed_that_fails_for_a_moment_is_requested_again_within_the_same_poll(
    internet: Internet, tmp_path: Path
):
    with recipe_run(tmp_path, internet, feeds=[WIRE]) as crypto_run:
        internet.fault("ledgerlane.example", "/feed", Fault(status=503), times=2)
        internet.clear_log()
        crypto_run.run()
        assert [record["status"] for record in internet.log() if record["path"] == "/feed"] == [503, 503, 200]
        (poll_row,) = crypto_run.rows(polls)
        assert (poll_row["status"], poll_row["http_status"]) == ("completed", 200)
