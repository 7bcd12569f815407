"""Leads: new, known or changed; one document each; fetched into captures."""

import threading
from dataclasses import replace
from datetime import timedelta

import pytest
from tests.support.deadline import DEADLINE
from tests.support.scene import (
    HOUR,
    ME,
    RECIPE,
    START,
    Scene,
    kept_result,
    make_capture,
    make_lead,
    make_source,
)

from headwater.model.jobs import FetchResult, PollResult, Postponement, Quarantine, State, Task
from headwater.store.schema.flow import captures, documents, leads, quarantine
from headwater.store.schema.knowledge import edges


def test_a_new_lead_waits_to_be_fetched(scene: Scene):
    lead = scene.lead("a", published=START, hints={"guid": "1", "tags": ["x"]}, subject="sub")
    assert scene.poll(lead) == 1
    assert scene.claim(Task.FETCH) == [replace(lead, attempts=1, source_kind="feed", updated_at=START)]
    assert scene.count(documents) == 0


def test_a_known_lead_is_left_alone(scene: Scene):
    scene.poll(scene.lead("a"))
    scene.fetch(scene.lead("a"))
    before = scene.row(leads)
    assert scene.poll(scene.lead("a")) == 0
    assert scene.row(leads) == before


def test_a_changed_lead_is_fetched_again_with_what_the_last_fetch_learned(scene: Scene):
    scene.poll(scene.lead("a"))
    (capture,) = scene.fetch(scene.lead("a"))
    assert scene.poll(scene.lead("a", version="v2", title="New")) == 0
    (again,) = scene.claim(Task.FETCH)
    assert (again.lead.version, again.lead.title) == ("v2", "New")
    assert (again.etag, again.last_modified, again.sha256) == (
        capture.headers["ETag"], capture.headers["Last-Modified"], capture.sha256,
    )  # fmt: skip


def test_a_changed_lead_leaves_the_quarantine(scene: Scene):
    scene.poll(scene.lead("a"))
    (stored,) = scene.claim(Task.FETCH)
    scene.store.finish_fetch(
        [FetchResult(lead=stored.id, version="v1", result=Quarantine(reason="timeout"))], ME, START
    )
    scene.poll(scene.lead("a", version="v2"))
    assert scene.count(quarantine) == 0
    assert len(scene.claim(Task.FETCH)) == 1


def test_a_lead_reported_twice_in_one_poll_is_stored_once(scene: Scene):
    assert scene.poll(scene.lead("a"), scene.lead("a")) == 1
    assert scene.count(leads) == 1


def test_a_second_lead_to_the_same_document_becomes_an_edge(scene: Scene):
    first, other = scene.lead("a"), make_source("Post")
    second = make_lead("b", source=other, url=first.lead.url)
    scene.poll(first)
    assert scene.poll(second, source=other) == 1
    row = scene.row(leads, id=second.id)
    assert (row["state"], row["reason"], row["due_at"]) == (State.DUPLICATE, "duplicate:url", None)
    edge = scene.row(edges)
    assert (edge["from_id"], edge["to_id"], edge["relation"]) == (second.id, first.document, "duplicate")
    assert (edge["rule"], edge["evidence"]["source"]) == ("url", other.id)
    assert [lead.id for lead in scene.claim(Task.FETCH)] == [first.id]


def test_two_leads_to_the_same_document_in_one_poll_make_one_document(scene: Scene):
    first = scene.lead("a")
    assert scene.poll(first, scene.lead("b", url=first.lead.url)) == 2
    assert sorted(row["state"] for row in scene.rows(leads)) == [State.DUPLICATE, State.WAITING]
    assert scene.count(edges) == 1


def test_reporting_a_duplicate_again_changes_nothing(scene: Scene):
    first = scene.lead("a")
    copy = scene.lead("b", url=first.lead.url)
    scene.poll(first, copy)
    before = scene.rows(leads), scene.rows(edges)
    assert scene.poll(scene.lead("b", url=first.lead.url, version="v2")) == 0
    assert (scene.rows(leads), scene.rows(edges)) == before


def test_sources_that_report_the_same_documents_at_once_agree_on_one_lead_each(scene: Scene):
    """In opposite order, from two threads: neither may fail and no document may get two leads."""
    pair = [make_source("East"), make_source("West")]
    scene.store.register(pair, START)
    turns = {source_lease.source.id: source_lease for source_lease in scene.claim(Task.POLL)}
    gate = threading.Barrier(2)
    errors: list[Exception] = []

    def finish(source, order: int) -> None:
        same_leads = [make_lead(f"p{i}", source=source, url=f"https://x.example/{i}") for i in range(30)][
            ::order
        ]
        polled = PollResult(
            source=source.id, poll_id=turns[source.id].poll_id, leads=tuple(same_leads), due_at=None
        )
        gate.wait()
        try:
            scene.store.finish_poll([polled], ME, START)
        except Exception as error:  # noqa: BLE001 - whatever it is, the test is to show it
            errors.append(error)

    threads = [threading.Thread(target=finish, args=(s, o)) for s, o in zip(pair, (1, -1), strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(DEADLINE)
    assert errors == []
    assert len(scene.rows(leads, state=State.WAITING)) == 30
    assert len(scene.rows(leads, state=State.DUPLICATE)) == 30
    assert scene.count(edges) == 30


def test_a_lead_that_carries_its_body_is_a_draft_at_once(scene: Scene):
    feed = make_capture(scene.source.id, "<rss/>")
    scene.poll(scene.lead("a", body="<p>Words</p>"), captures=(feed,))
    assert scene.claim(Task.FETCH) == []
    (draft,) = scene.claim(Task.REFINE)
    assert draft.lead.lead.body == "<p>Words</p>"
    assert (draft.revision, draft.capture, draft.source.id) == (1, feed, scene.source.id)
    assert scene.row(leads)["state"] == State.DONE


def test_a_changed_body_is_the_next_revision(scene: Scene):
    scene.poll(scene.lead("a", body="one"), captures=(make_capture(scene.source.id, "feed 1"),))
    (draft,) = scene.claim(Task.REFINE)
    scene.refine(kept_result(draft))
    later = make_capture(scene.source.id, "feed 2")
    scene.poll(scene.lead("a", body="two", version="v2"), captures=(later,))
    (again,) = scene.claim(Task.REFINE)
    assert (again.id, again.revision, again.lead.lead.body, again.capture) == (draft.id, 2, "two", later)


def test_a_fetched_page_is_captured_once_and_opens_a_draft(scene: Scene):
    scene.poll(scene.lead("a"))
    (capture,) = scene.fetch(scene.lead("a"))
    row = scene.row(leads)
    assert (row["state"], row["due_at"], row["capture_id"], row["attempts"]) == (
        State.DONE,
        None,
        capture.id,
        1,
    )
    assert (scene.row(captures)["id"], scene.row(captures)["lead_id"]) == (capture.id, row["id"])
    (draft,) = scene.claim(Task.REFINE)
    assert (draft.capture, draft.revision, draft.attempts) == (capture, 1, 1)


def test_the_same_bytes_again_are_the_same_capture(scene: Scene):
    scene.poll(scene.lead("a"))
    scene.fetch(scene.lead("a"), body="same")
    changed = scene.lead("a", version="v2")
    scene.poll(changed)
    scene.fetch(changed, body="same")
    assert scene.count(captures) == 1


def _finish(scene: Scene, **fields) -> dict:
    scene.poll(scene.lead("a"))
    (stored,) = scene.claim(Task.FETCH)
    fetched = FetchResult(**({"lead": stored.id, "version": "v1", "result": None} | fields))
    scene.store.finish_fetch([fetched], ME, START)
    return scene.row(leads)


def test_an_unchanged_page_ends_the_lead_and_opens_nothing(scene: Scene):
    row = _finish(scene)
    assert (row["state"], row["due_at"], row["lease_owner"]) == (State.DONE, None, None)
    assert scene.count(documents) == scene.count(captures) == 0


@pytest.mark.parametrize(("counts", "attempts"), [(True, 1), (False, 0)])
def test_a_postponed_fetch_is_due_later_and_may_not_count(scene: Scene, counts: bool, attempts: int):
    row = _finish(scene, result=Postponement(at=START + HOUR, reason="http_503", counts=counts))
    assert (row["state"], row["due_at"], row["reason"]) == (State.WAITING, START + HOUR, "http_503")
    assert (row["attempts"], row["lease_owner"]) == (attempts, None)


def test_a_dropped_lead_keeps_its_reason(scene: Scene):
    row = _finish(scene, drop_reason="http_404")
    assert (row["state"], row["reason"], row["due_at"]) == (State.DROPPED, "http_404", None)
    assert scene.store.next_due(RECIPE).get(Task.FETCH) is None


def test_a_quarantined_lead_lies_in_the_quarantine_with_its_reason(scene: Scene):
    row = _finish(scene, result=Quarantine(reason="tls", detail="expired", evidence={"host": "x"}))
    assert (row["state"], row["reason"], row["due_at"]) == (State.QUARANTINED, "tls", None)
    apart = scene.row(quarantine)
    assert (apart["record_id"], apart["task"], apart["reason"]) == (row["id"], Task.FETCH, "tls")
    assert (apart["detail"], apart["evidence"], apart["attempts"]) == ("expired", {"host": "x"}, 1)


def test_a_permanent_redirect_is_remembered(scene: Scene):
    scene.poll(scene.lead("a"))
    (stored,) = scene.claim(Task.FETCH)
    moved = FetchResult(
        lead=stored.id, version="v1", result=make_capture(stored.id), moved_to="https://new.example/a"
    )
    scene.store.finish_fetch([moved], ME, START)
    assert scene.row(leads)["url"] == "https://new.example/a"


@pytest.mark.parametrize(
    "result",
    [None, Postponement(at=START + HOUR, reason="r"), Quarantine(reason="r")],
    ids=["none", "later", "apart"],
)
def test_a_lead_that_changed_while_it_was_fetched_stays_due(scene: Scene, result):
    scene.poll(scene.lead("a"))
    (stored,) = scene.claim(Task.FETCH)
    scene.poll(scene.lead("a", version="v2"))
    scene.store.finish_fetch([FetchResult(lead=stored.id, version="v1", result=result)], ME, START)
    row = scene.row(leads)
    assert (row["state"], row["due_at"], row["lease_owner"]) == (State.WAITING, START, None)
    assert scene.count(quarantine) == 0


def test_a_capture_taken_while_the_lead_changed_is_kept_and_the_lead_fetched_again(scene: Scene):
    scene.poll(scene.lead("a"))
    (stored,) = scene.claim(Task.FETCH)
    scene.poll(scene.lead("a", version="v2"))
    capture = make_capture(stored.id, lead=stored.id)
    scene.store.finish_fetch([FetchResult(lead=stored.id, version="v1", result=capture)], ME, START)
    assert [draft.capture for draft in scene.claim(Task.REFINE)] == [capture]
    scene.now = START + timedelta(seconds=1)
    assert [lead.lead.version for lead in scene.claim(Task.FETCH)] == ["v2"]


def watch(scene: Scene, url: str, version: str, **fields: object) -> None:
    watcher = make_source("Watch")
    scene.poll(
        make_lead("w", source=watcher, url=url, version=version, watched=True, **fields), source=watcher
    )


@pytest.mark.parametrize("body", [None, "<p>The page</p>"])  # a seed that is visited again; a watched page
def test_a_watched_page_that_another_source_stored_is_fetched_again_when_it_changes(
    scene: Scene, body: str | None
):
    (draft,) = scene.keep("a")
    url = draft.lead.lead.url
    watch(scene, url, "w1", body=body)
    scene.fetch(draft.lead)  # it may have changed before it was watched
    scene.refine(kept_result(*scene.claim(Task.REFINE)))
    watch(scene, url, "w1", body=body)
    assert scene.claim(Task.FETCH) == []
    watch(scene, url, "w2", body=body)
    (again,) = scene.claim(Task.FETCH)
    assert (again.id, again.lead.version, again.lead.title) == (draft.lead.id, "v1", "A")


def test_a_watched_page_that_changes_while_it_is_fetched_is_fetched_once_more(scene: Scene):
    (draft,) = scene.keep("a")
    watch(scene, draft.lead.lead.url, "w1")
    (claimed,) = scene.claim(Task.FETCH)
    watch(scene, draft.lead.lead.url, "w2")
    scene.store.finish_fetch([FetchResult(lead=claimed.id, version="v1", result=None)], ME, scene.now)
    assert [lead.id for lead in scene.claim(Task.FETCH)] == [draft.lead.id]


def test_a_document_without_page_takes_the_text_of_the_watched_page_that_has_its_address(scene: Scene):
    lead = scene.lead("a", body="<p>From the feed</p>")
    scene.poll(lead)
    scene.refine(kept_result(*scene.claim(Task.REFINE)))
    watch(scene, lead.lead.url, "w1", body="<p>Old</p>")
    assert scene.claim(Task.REFINE) == []
    watch(scene, lead.lead.url, "w2", body="<p>New</p>")
    (draft,) = scene.claim(Task.REFINE)
    assert (draft.id, draft.revision, draft.lead.lead.body) == (lead.document, 2, "<p>New</p>")
    assert (draft.lead.id, draft.lead.lead.title) == (lead.id, "A")
