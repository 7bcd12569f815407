"""Link health in rows, on both databases: which are due, which worker may write, and what survives."""

from dataclasses import replace
from datetime import timedelta

import pytest
from tests.support.scene import START, Scene, kept_result, make_source

from headwater.documents.link_health import (
    CHECK_INTERVALS,
    CheckResult,
    LinkCheck,
    LinkPriority,
    LinkState,
    update_health,
)
from headwater.model.jobs import State, Task
from headwater.store.changes.link_health import LEASE, LinkHealthStore
from headwater.store.schema.flow import documents, sources
from headwater.store.schema.links import link_health

DAY = timedelta(days=1)
BAD, GONE = (
    LinkCheck(result=CheckResult.BAD, reason="http_404", status=404),
    LinkCheck(result=CheckResult.GONE, reason="http_410", status=410),
)


@pytest.fixture
def links(scene: Scene) -> LinkHealthStore:
    return LinkHealthStore(scene.store.engine)


def keep(scene, *paths, **fields):
    source = fields.pop("source", scene.source)
    leads = [scene.lead(path, source=source) for path in paths]
    scene.poll(*leads, source=source)
    scene.fetch(*leads)
    drafts = scene.claim(Task.REFINE)
    assert scene.refine(*(kept_result(draft) for draft in drafts)) == []


def test_p36_kept_documents_and_sources_are_enrolled_once_by_priority(scene, links):
    scene.source = make_source("Wire", options={"priority": "P0"})
    keep(scene, "a", "b")
    assert links.enrol("trial", START) == 3
    assert links.enrol("trial", START) == 0
    rows = links.links("trial")
    assert {row["url"] for row in rows} == {f"https://wire.example/{path}" for path in ("a", "b", "feed")}
    assert {row["priority"] for row in rows} == {"P0"}


def test_p36_without_a_priority_sources_are_weekly_and_documents_monthly(scene, links):
    keep(scene, "a")
    links.enrol("trial", START)
    assert {row["record_kind"]: row["priority"] for row in links.links()} == {
        "source": "P1",
        "document": "P2",
    }


def test_a_claimed_link_is_not_claimed_again_until_its_lease_ends(scene, links):
    keep(scene, "a")
    links.enrol("trial", START)
    assert len(links.claim("trial", "one", START)) == 2
    assert links.claim("trial", "two", START) == []
    assert len(links.claim("trial", "two", START + LEASE)) == 2


def test_only_links_of_the_given_priority_are_claimed(scene, links):
    keep(scene, "a", "b")
    links.enrol("trial", START)
    assert len(links.claim("trial", "me", START, priority=LinkPriority.P2)) == 2
    assert links.claim("trial", "me", START, priority=LinkPriority.P0) == []


def test_results_after_a_lost_lease_are_ignored(scene, links):
    keep(scene, "a")
    links.enrol("trial", START)
    first = links.claim("trial", "dead", START)
    later = START + LEASE
    again = links.claim("trial", "alive", later)
    results = [(link.id, update_health(link.health, BAD, later)[0]) for link in again]
    assert links.finish(results, "alive") == 2
    assert links.finish([(link.id, update_health(link.health, BAD, later)[0]) for link in first], "dead") == 0
    assert {row["failures"] for row in links.links()} == {1}


def test_p36_failures_in_a_row_survive_from_check_to_check(scene, links):
    keep(scene, "a")
    links.enrol("trial", START)
    now = START
    for expected in (LinkState.FAILING, LinkState.WARNED, LinkState.DEGRADED):
        (link,) = links.claim("trial", "me", now, priority=LinkPriority.P2)
        health, _ = update_health(link.health, BAD, now)
        links.finish([(link.id, health)], "me")
        row = scene.row(link_health, id=link.id)
        assert (row["state"], row["first_failed_at"], row["status"]) == (expected, START, 404)
        now = row["due_at"]


def test_p36_a_source_that_is_gone_is_switched_off_and_a_document_stays(scene, links):
    keep(scene, "a")
    now = START + DAY
    links.enrol("trial", now)
    claimed = links.claim("trial", "me", now)
    links.finish([(link.id, update_health(link.health, GONE, now)[0]) for link in claimed], "me")
    source = scene.row(sources)
    assert (source["active"], source["reason"]) == (False, "link:http_410")
    assert scene.row(documents)["state"] == State.KEPT
    assert {row["state"] for row in links.links()} == {LinkState.INACTIVE}
    assert links.claim("trial", "me", now + 99 * DAY) == []


def test_a_source_that_was_read_since_its_link_failed_is_left_alone(scene, links):
    keep(scene, "a")
    links.enrol("trial", START)
    (link,) = links.claim("trial", "me", START, priority=LinkPriority.P1)
    health = replace(update_health(link.health, GONE, START)[0], first_failed_at=START - DAY)
    links.finish([(link.id, health)], "me")
    assert scene.row(sources)["active"] is True


def test_a_document_that_is_no_longer_kept_is_no_longer_checked(scene, links):
    keep(scene, "a")
    links.enrol("trial", START)
    with scene.store.engine.begin() as connection:
        connection.execute(documents.update().values(state=State.DROPPED))
    links.enrol("trial", START)
    assert links.claim("trial", "me", START, priority=LinkPriority.P2) == []
    with scene.store.engine.begin() as connection:
        connection.execute(documents.update().values(state=State.KEPT))
    links.enrol("trial", START)
    assert len(links.claim("trial", "me", START, priority=LinkPriority.P2)) == 1


def test_a_higher_priority_brings_the_next_check_forward(scene, links):
    keep(scene, "a")
    links.enrol("trial", START)
    for link in links.claim("trial", "me", START):
        links.finish(
            [(link.id, update_health(link.health, LinkCheck(result=CheckResult.GOOD, status=200), START)[0])],
            "me",
        )
    scene.store.register([replace(scene.source, options={"priority": "P0"})], START)
    links.enrol("trial", START)
    assert {row["due_at"] for row in links.links()} == {START + CHECK_INTERVALS[LinkPriority.P0]}


def test_a_record_that_moved_is_checked_at_its_new_url(scene, links):
    keep(scene, "a")
    links.enrol("trial", START)
    with scene.store.engine.begin() as connection:
        connection.execute(documents.update().values(url="https://wire.example/moved"))
    (link,) = links.claim("trial", "me", START, priority=LinkPriority.P2)
    assert link.url == "https://wire.example/moved"
    assert scene.row(link_health, id=link.id)["url"] == link.url


def test_reset_and_release_make_links_claimable_again(scene, links):
    keep(scene, "a")
    links.enrol("trial", START)
    (link,) = links.claim("trial", "me", START, priority=LinkPriority.P2)
    links.finish([(link.id, update_health(link.health, GONE, START)[0])], "me")
    assert links.reset(link.url, START) == [link.url]
    assert links.reset("https://no.example/", START) == []
    assert len(links.claim("trial", "me", START)) == 2
    assert links.release("me") == 2
    assert len(links.claim("trial", "you", START)) == 2


def test_more_documents_than_fit_one_batch_are_all_enrolled(scene, links, monkeypatch):
    monkeypatch.setattr("headwater.store.changes.link_health.BATCH", 2)
    keep(scene, *"abcde")
    assert links.enrol("trial", START) == 6
