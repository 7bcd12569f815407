"""Sources: registered once, polled when due, each poll a row with an end."""

from dataclasses import replace
from datetime import timedelta

import pytest
from tests.support.scene import HOUR, LEASE, ME, RECIPE, START, Scene, make_capture, make_source

from headwater.model.jobs import PollResult, Task
from headwater.model.source import Trigger
from headwater.store.changes.operations import Operations
from headwater.store.schema.flow import captures, leads, polls, sources


def test_r26_a_source_that_never_ran_is_due_at_once(scene: Scene):
    assert scene.store.register([scene.source], START) == 1
    assert scene.store.next_due(RECIPE) == {Task.POLL: START}
    (source_lease,) = scene.claim(Task.POLL)
    assert source_lease.source == scene.source
    assert source_lease.attempts == 1


def test_registering_again_changes_nothing_and_counts_nothing(scene: Scene):
    two_sources = [scene.source, make_source("Post")]
    assert scene.store.register(two_sources, START) == 2
    before = scene.rows(sources)
    assert scene.store.register(two_sources, START + HOUR) == 0
    assert scene.rows(sources) == before


def test_a_source_named_twice_is_one_new_source(scene: Scene):
    assert scene.store.register([scene.source, scene.source], START) == 1
    assert scene.count(sources) == 1


def test_registering_keeps_what_was_learned_and_takes_over_what_was_configured(scene: Scene):
    scene.poll(watermark={"etag": "x"}, moved_to="https://new.example/feed", failures=3, error="http_500")
    configured = replace(
        scene.source,
        name="Wire renamed",
        trigger=Trigger(cron="0 */4 * * *"),
        credibility=0.9,
        options={"a": 1},
    )
    scene.store.register([configured], START)
    row = scene.row(sources)
    assert (row["watermark"], row["url"], row["failures"]) == ({"etag": "x"}, "https://new.example/feed", 3)
    assert (row["name"], row["trigger_cron"], row["credibility"], row["options"]) == (
        "Wire renamed", "0 */4 * * *", 0.9, {"a": 1},
    )  # fmt: skip


def test_a_paused_source_stays_paused_when_registered_again(scene: Scene):
    scene.store.register([replace(scene.source, active=False)], START)
    scene.store.register([scene.source], START)
    assert scene.row(sources)["active"] is False


@pytest.mark.parametrize("trigger", [None, Trigger(every=timedelta(seconds=0.5)), Trigger(cron="0 4 * * *")])
def test_a_source_is_read_back_as_it_was_registered(scene: Scene, trigger: Trigger | None):
    source = make_source(
        "Full", trigger=trigger, subject="s", credibility=0.25, options={"deep": [1, {"x": None}]}
    )
    scene.store.register([source], START)
    assert [source_lease.source for source_lease in scene.claim(Task.POLL)] == [source]


def test_inactive_sources_are_never_claimed_and_never_due(scene: Scene):
    scene.poll(due_at=START, active=False)
    assert scene.claim(Task.POLL) == []
    assert scene.store.next_due(RECIPE) == {}


def test_r28_a_stopped_source_is_claimed_at_its_daily_retry(scene: Scene):
    scene.poll(due_at=START + 24 * HOUR, stop_reason="10 failures in a row", failures=10)
    assert scene.claim(Task.POLL) == []
    scene.now = START + 24 * HOUR
    assert [lease.source.failures for lease in scene.claim(Task.POLL)] == [10]


def test_r34_a_poll_that_was_only_postponed_leaves_no_row(scene: Scene):
    scene.store.register([scene.source], START)
    (source_lease,) = scene.claim(Task.POLL)
    postponed = PollResult(
        source=scene.source.id,
        poll_id=source_lease.poll_id,
        due_at=START + HOUR,
        error="rate_limited",
        is_postponed=True,
    )
    scene.store.finish_poll([postponed], ME, START)
    assert scene.rows(polls) == []
    source = scene.row(sources)
    assert (source["reason"], source["failures"], source["last_polled_at"]) == ("rate_limited", 0, None)
    assert source["due_at"] == START + HOUR


def test_r30_a_source_is_due_again_when_its_time_has_come(scene: Scene):
    scene.poll(due_at=START + HOUR)
    assert scene.claim(Task.POLL) == []
    scene.now = START + HOUR
    assert len(scene.claim(Task.POLL)) == 1


def test_a_run_is_running_then_completed_with_its_counts(scene: Scene):
    scene.store.register([scene.source], START)
    (source_lease,) = scene.claim(Task.POLL)
    run = scene.row(polls)
    assert (run["id"], run["status"], run["started_at"], run["ended_at"]) == (
        source_lease.poll_id,
        "running",
        START,
        None,
    )
    scene.now = START + timedelta(seconds=2)
    capture = make_capture(scene.source.id, "<rss/>")
    polled = PollResult(
        source=scene.source.id, poll_id=source_lease.poll_id, leads=(scene.lead("a"), scene.lead("b")), captures=(capture,),
        due_at=START + HOUR, status=200, elapsed_ms=12, warnings=("odd date",),
    )  # fmt: skip
    assert scene.store.finish_poll([polled], ME, scene.now) == 2
    run = scene.row(polls)
    assert (run["status"], run["ended_at"], run["item_count"], run["new_count"]) == (
        "completed",
        scene.now,
        2,
        2,
    )
    assert (run["http_status"], run["elapsed_ms"], run["warnings"]) == (200, 12, ["odd date"])
    assert run["capture_id"] == capture.id == scene.row(captures)["id"]
    row = scene.row(sources)
    assert (row["last_success_at"], row["lease_owner"], row["attempts"]) == (scene.now, None, 0)


def test_a_failed_run_says_why_and_leaves_the_watermark(scene: Scene):
    scene.poll(watermark={"etag": "good"})
    scene.now = START + HOUR
    scene.poll(watermark=None, error="http_500", detail="status 500", failures=1, due_at=scene.now + HOUR)
    run = scene.row(polls, status="failed")
    assert (run["error"], run["detail"], run["ended_at"]) == ("http_500", "status 500", scene.now)
    row = scene.row(sources)
    assert (row["watermark"], row["failures"], row["reason"]) == ({"etag": "good"}, 1, "http_500")
    assert (row["last_polled_at"], row["last_success_at"]) == (scene.now, START)


def test_a_success_clears_the_failure(scene: Scene):
    scene.poll(error="http_500", failures=4)
    scene.poll(failures=0)
    assert (scene.row(sources)["failures"], scene.row(sources)["reason"]) == (0, None)


def test_r29_a_crashed_run_is_closed_and_does_not_block_its_source(scene: Scene):
    scene.store.register([scene.source], START)
    (dead,) = scene.claim(Task.POLL, "dead")
    assert scene.claim(Task.POLL) == []
    scene.now = START + LEASE
    (source_lease,) = scene.claim(Task.POLL)
    assert source_lease.attempts == 2
    by_id = {run["id"]: run for run in scene.rows(polls)}
    assert (by_id[dead.poll_id]["status"], by_id[dead.poll_id]["error"]) == ("failed", "worker_died")
    assert by_id[source_lease.poll_id]["status"] == "running"


def test_a_pause_during_a_poll_outlives_the_poll(scene: Scene):
    from headwater.store.changes.operations import Operations

    scene.store.register([scene.source], START)
    (source_lease,) = scene.claim(Task.POLL)
    Operations(scene.store.engine).pause(scene.source.id, active=False, now=START)
    scene.store.finish_poll(
        [PollResult(source=scene.source.id, poll_id=source_lease.poll_id, due_at=START)], ME, START
    )
    assert scene.row(sources)["active"] is False
    assert scene.claim(Task.POLL) == []


def test_leads_of_a_poll_that_continues_are_stored_at_once_and_counted_in_its_run(scene: Scene):
    scene.store.register([scene.source], START)
    (source_lease,) = scene.claim(Task.POLL)
    page = make_capture(scene.source.id, "page 1")
    assert scene.store.add_leads(source_lease, [scene.lead("a"), scene.lead("b")], [page], START) == 2
    assert scene.count(leads) == 2
    last_result = PollResult(
        source=scene.source.id,
        poll_id=source_lease.poll_id,
        leads=(scene.lead("b"), scene.lead("c")),
        due_at=None,
    )
    assert scene.store.finish_poll([last_result], ME, START) == 1
    run = scene.row(polls)
    assert (run["item_count"], run["new_count"]) == (4, 3)
    assert scene.row(leads, identity="a")["capture_id"] == page.id


def test_a_source_that_moved_keeps_its_identity(scene: Scene):
    scene.poll(moved_to="https://elsewhere.example/feed")
    scene.now += HOUR
    (source_lease,) = scene.claim(Task.POLL)
    assert (source_lease.source.id, source_lease.source.url) == (
        scene.source.id,
        "https://elsewhere.example/feed",
    )


# The list that names the sources.


def listed(scene: Scene, *listed_sources) -> list[str]:
    scene.store.register(listed_sources, scene.now)
    return list(scene.store.sync_sources(RECIPE, listed_sources, scene.now))


def standing(scene: Scene, source) -> tuple[bool, str, str | None]:
    row = scene.row(sources, id=source.id)
    return row["active"], row["origin"], row["reason"]


def test_a_source_that_left_the_list_rests_with_a_reason_and_comes_back_with_it(scene: Scene):
    wire, post = make_source("Wire"), make_source("Post")
    assert listed(scene, wire, post) == []
    assert listed(scene, wire) == ["Post"]
    assert standing(scene, post) == (False, "unlisted", "unlisted")
    assert [source_lease.source.id for source_lease in scene.claim(Task.POLL)] == [wire.id]
    assert listed(scene, wire) == []
    assert listed(scene, wire, post) == []
    assert standing(scene, post) == (True, "recipe", None)
    assert [source_lease.source.id for source_lease in scene.claim(Task.POLL)] == [post.id]


def test_a_listed_source_comes_back_although_a_poll_was_under_way(scene: Scene):
    wire, post = make_source("Wire"), make_source("Post")
    listed(scene, wire, post)
    turns = {source_lease.source.id: source_lease for source_lease in scene.claim(Task.POLL)}
    listed(scene, wire)
    result = PollResult(
        source=post.id, poll_id=turns[post.id].poll_id, due_at=START + HOUR, error="http_500", failures=1
    )
    scene.store.finish_poll([result], ME, START)
    assert standing(scene, post)[:2] == (False, "unlisted")
    scene.now += 2 * HOUR
    assert post.id not in {source_lease.source.id for source_lease in scene.claim(Task.POLL)}
    listed(scene, wire, post)
    assert standing(scene, post)[:2] == (True, "recipe")


def test_what_an_operator_added_or_paused_is_not_touched_by_the_list(scene: Scene):
    wire, post, added = make_source("Wire"), make_source("Post"), make_source("Own")
    operations = Operations(scene.store.engine)
    scene.store.register([added], START, origin="operator")
    listed(scene, wire, post)
    operations.pause("Post", active=False, now=START)
    assert listed(scene, wire) == []
    assert standing(scene, added) == (True, "operator", None)
    listed(scene, wire, post)
    assert standing(scene, post)[0] is False


@pytest.mark.parametrize("by", ["resume", "add", "reset"])
def test_an_operator_keeps_a_source_that_left_the_list(scene: Scene, by: str):
    wire, post = make_source("Wire"), make_source("Post")
    operations = Operations(scene.store.engine)
    listed(scene, wire, post)
    listed(scene, wire)
    if by == "resume":
        operations.pause("Post", active=True, now=START)
    elif by == "reset":
        operations.reset("Post", START)
    else:
        scene.store.register([post], START, origin="operator")
    assert standing(scene, post)[:2] == (True, "operator")
    assert listed(scene, wire) == []
    assert post.id in {source_lease.source.id for source_lease in scene.claim(Task.POLL)}


def test_an_operator_who_pauses_what_left_the_list_means_it(scene: Scene):
    wire, post = make_source("Wire"), make_source("Post")
    listed(scene, wire, post)
    listed(scene, wire)
    Operations(scene.store.engine).pause("Post", active=False, now=START)
    listed(scene, wire, post)
    assert standing(scene, post)[0] is False


def test_the_list_of_one_recipe_says_nothing_about_another(scene: Scene):
    other = make_source("Other", recipe="other")
    scene.store.register([other], START)
    assert listed(scene, make_source("Wire")) == []
    assert standing(scene, other)[0] is True
