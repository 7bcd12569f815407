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
    with running(size="full") as internet, recipe_run(tmp_path_factory.mktemp("full"), internet) as made:
        made.run()
        yield made


@pytest.fixture(scope="module")
def museum(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RecipeRun]:
    """Everything a feed can do wrong, read once."""
    odd = [(feed["name"], feed["url"]) for feed in odd_feeds()]
    with (
        running(size="small") as internet,
        recipe_run(tmp_path_factory.mktemp("odd"), internet, feeds=odd) as made,
    ):
        made.run()
        yield made


@pytest.fixture(scope="module")
def internet() -> Iterator[Internet]:
    with running(size="small") as made:
        yield made


def test_every_story_of_the_full_internet_is_kept_and_every_article_a_document(full: RecipeRun):
    truth = {url: record for record in full.internet.truth() if record["feeds"] for url in record["urls"]}
    kept = {truth[row["url"]]["story"] for row in full.documents(State.KEPT)}
    assert kept == {record["story"] for record in truth.values()}
    assert {truth[row["url"]]["id"] for row in full.documents()} == {
        record["id"] for record in truth.values()
    }
    assert full.status()["quarantine"] == 0


def test_c3_c14_95_percent_of_fifty_feeds_are_read_a_fifth_of_them_broken(full: RecipeRun):
    listed = full.internet.feeds()
    trouble = [feed for feed in listed if feed["expect"] in ("broken", "refused", "gone")]
    assert (len(listed), len(trouble), len({feed["defect"] for feed in trouble})) == (50, 10, 10)
    first: dict[str, str] = {}
    for look in sorted(full.rows(polls), key=lambda look: look["started_at"]):
        first.setdefault(look["source_id"], look["status"])
    assert len(first) == 50
    assert sum(status == "completed" for status in first.values()) >= 0.95 * 50


def test_c6_c13_every_failure_has_a_reason_and_only_what_is_broken_fails(full: RecipeRun):
    lost = {feed["name"] for feed in full.internet.feeds() if feed["expect"] in ("refused", "gone")}
    rows = [full.source(feed["name"]) for feed in full.internet.feeds()]
    assert {row["name"] for row in rows if row["last_success_at"] is None} == lost
    failed = [look for look in full.rows(polls) if look["status"] != "completed"]
    assert {(look["error"], bool(look["detail"])) for look in failed} == {
        ("gone", True),
        ("not_a_feed:refused_entities", True),
    }


def test_c15_c35_c40_no_row_is_corrupt_and_nine_of_ten_are_complete(full: RecipeRun):
    kept = full.rows(documents, state=State.KEPT)
    for row in kept:
        assert row["title"].strip()
        assert row["text"].strip()
        assert row["url"].startswith("http://")
        words = f"{row['title']} {row['text']} {row['description']}"
        assert not any(mark in words for mark in ("\x00", "\ufffd", "&amp;", "Ã©", "â€")), row["url"]
    wanted = ("title", "url", "text", "published_at", "authors", "description")
    assert sum(all(row[name] for name in wanted) for row in kept) > 0.9 * len(kept)
    assert len({row["url"] for row in kept}) == len(kept)


def test_c10_politeness_leaves_a_cycle_of_fifty_feeds_far_below_ten_minutes(full: RecipeRun):
    """At a request a second, the busiest host sets the pace; hosts do not wait for one another."""
    busiest = Counter(record["host"] for record in full.internet.log()).most_common(1)[0]
    assert busiest[1] < 300, busiest


@pytest.mark.parametrize("expect", ["ok", "broken", "flaky", "moved"])
def test_c15_feeds_that_can_be_read_are_read_and_their_defects_noted(
    full: RecipeRun, museum: RecipeRun, expect: str
):
    for made, feeds in ((full, full.internet.feeds()), (museum, odd_feeds())):
        for feed in (feed for feed in feeds if feed["expect"] == expect):
            row = made.source(feed["name"])
            assert (row["reason"], row["failures"], row["active"]) == (None, 0, True), feed
            (look,) = made.rows(polls, source_id=row["id"])
            assert look["found_count"] > 0, feed
            # What arrives packed without saying so is opened by whoever fetches it.
            noted = look["warnings"] or made is museum or feed["defect"] == "gzip-without-header"
            assert expect != "broken" or noted, feed


@pytest.mark.parametrize(("expect", "reason"), [("unreadable", ""), ("refused", "not_a_feed:")])
def test_c15_feeds_that_cannot_be_read_say_why_and_are_tried_later(
    full: RecipeRun, museum: RecipeRun, expect: str, reason: str
):
    seen = 0
    for made, feeds in ((full, full.internet.feeds()), (museum, odd_feeds())):
        for feed in (feed for feed in feeds if feed["expect"] == expect):
            row = made.source(feed["name"])
            assert row["reason"].startswith(reason), feed
            assert row["failures"] >= 1, feed
            assert row["due_at"] is not None, feed
            seen += 1
    assert seen > 0


def test_a_feed_that_is_gone_is_closed_for_good(full: RecipeRun, museum: RecipeRun):
    for made, name in ((full, "Hashfield: closed"), (museum, "gone")):
        row = made.source(name)
        assert (row["active"], row["reason"], row["due_at"]) == (False, "gone", None)


def test_a_permanent_move_is_remembered_and_the_old_address_not_asked_again(
    internet: Internet, tmp_path: Path
):
    moved = [(feed["name"], feed["url"]) for feed in odd_feeds() if feed["expect"] == "moved"]
    with recipe_run(tmp_path, internet, feeds=moved) as made:
        made.run()
        for name, before in moved:
            assert made.source(name)["url"] != before
        internet.clear_log()
        made.poll_again()
        asked = {record["path"] for record in internet.log()}
        assert asked
        assert not asked & {urlsplit(before).path for _, before in moved}


def test_r27_r28_a_failing_source_backs_off_and_stops_after_ten_until_it_is_reset(
    internet: Internet, tmp_path: Path
):
    with recipe_run(tmp_path, internet, feeds=[NOWHERE], clock=QuickClock(speed=0)) as made:
        waits = []
        for failures in range(1, 11):
            made.run()
            row = made.source("Nowhere")
            assert (row["failures"], row["reason"]) == (failures, "http_404")
            if row["due_at"] is not None:
                waits.append(round((row["due_at"] - row["last_polled_at"]).total_seconds()))
            made.clock.advance(HOUR)
        assert waits == [60, 120, 240, 480, 960, 1920, 3600, 3600, 3600]
        assert made.source("Nowhere")["stopped"] == "10 failures in a row"
        internet.clear_log()
        made.clock.advance(1000 * HOUR)
        made.run()
        assert internet.log() == []
        made.app.operations.reset("Nowhere", made.clock())
        made.run()
        assert (made.source("Nowhere")["failures"], made.source("Nowhere")["stopped"]) == (1, None)


def test_5_5_retry_state_outlives_the_runs(internet: Internet, tmp_path: Path):
    with recipe_run(tmp_path, internet, feeds=[NOWHERE], clock=QuickClock(speed=0)) as made:
        for _ in range(3):
            made.run()
            made.clock.advance(HOUR)
        with made.app.store.engine.begin() as connection:
            connection.execute(polls.delete())
        assert made.source("Nowhere")["failures"] == 3
        made.run()
        row = made.source("Nowhere")
        assert row["failures"] == 4
        assert round((row["due_at"] - row["last_polled_at"]).total_seconds()) == 480


def test_a_success_forgets_the_failures(internet: Internet, tmp_path: Path):
    with recipe_run(tmp_path, internet, feeds=[WIRE]) as made:
        internet.fault("ledgerlane.example", "/feed", Fault(status=404), times=2)
        made.run()
        made.clock.advance(HOUR)
        made.run()
        assert made.source("Ledger Lane")["failures"] == 2
        made.clock.advance(HOUR)
        made.run()
        assert (made.source("Ledger Lane")["failures"], made.source("Ledger Lane")["reason"]) == (0, None)
        assert made.documents(State.KEPT)


def test_r29_a_crashed_run_does_not_block_its_source(internet: Internet, tmp_path: Path):
    with recipe_run(tmp_path, internet, feeds=[WIRE]) as made:
        lease = timedelta(minutes=5)
        (source_lease,) = made.app.store.claim_sources(
            Claim(Job(RECIPE, Task.POLL), "crashed", made.clock(), 100, lease)
        )
        internet.clear_log()
        made.context.store.claim_sources(made.context.claim(Job(RECIPE, Task.POLL)))
        assert internet.log() == []
        made.clock.advance(lease)
        made.run()
        by_id = {run["id"]: run for run in made.rows(polls)}
        assert (by_id.pop(source_lease.run)["error"], {run["status"] for run in by_id.values()}) == (
            "worker_died",
            {"completed"},
        )
        assert made.documents(State.KEPT)


def test_c12_a_feed_that_fails_for_a_moment_is_asked_again_within_the_same_look(
    internet: Internet, tmp_path: Path
):
    with recipe_run(tmp_path, internet, feeds=[WIRE]) as made:
        internet.fault("ledgerlane.example", "/feed", Fault(status=503), times=2)
        internet.clear_log()
        made.run()
        assert [record["status"] for record in internet.log() if record["path"] == "/feed"] == [503, 503, 200]
        (look,) = made.rows(polls)
        assert (look["status"], look["http_status"]) == ("completed", 200)
