"""The request for a browser: made once, in the transaction that sets the document aside, and kept when workers die."""

from datetime import timedelta

from tests.support.scene import HOUR, LEASE, ME, Scene, ended_result, kept_result, make_capture

from headwater.model.jobs import FetchResult, Postponement, Quarantine, State, Task
from headwater.model.source import StoredLead
from headwater.store.changes.operations import Operations
from headwater.store.schema.flow import documents, leads, quarantine


def wish(scene: Scene) -> StoredLead:
    """A document that is set aside, and its lead that waits for a browser."""
    (draft,) = scene.drafts("a")
    scene.refine(ended_result(draft, State.ASIDE, "js_required", render=True))
    return draft.lead


def fetched(lead: StoredLead, result: object, *, rendered: bool = True, version: str = "v1") -> FetchResult:
    return FetchResult(lead=lead.id, version=version, was_rendered=rendered, result=result)


def test_a_document_that_is_set_aside_sends_its_lead_to_the_browser(scene: Scene):
    wish(scene)
    assert (scene.row(documents)["state"], scene.row(quarantine)["reason"]) == (State.ASIDE, "js_required")
    (lead,) = scene.claim(Task.FETCH)
    assert (lead.render, lead.render_reason) == (True, "js_required")
    assert lead.attempts == 1


def test_nothing_is_sent_to_the_browser_unasked(scene: Scene):
    (draft,) = scene.drafts("a")
    scene.refine(ended_result(draft, State.ASIDE, "js_required"))
    assert scene.claim(Task.FETCH) == []


def test_results_of_a_lost_lease_send_nothing(scene: Scene):
    (draft,) = scene.drafts("a")
    scene.refine(ended_result(draft, State.ASIDE, "js_required", render=True), owner="another worker")
    assert scene.claim(Task.FETCH) == []


def test_the_wish_survives_workers_that_die_and_waits(scene: Scene):
    lead = wish(scene)
    assert [claimed_lead.render for claimed_lead in scene.claim(Task.FETCH, "dies")] == [True]
    scene.store.release(["dies"], counts=True)
    assert [claimed_lead.render for claimed_lead in scene.claim(Task.FETCH, "dies too")] == [True]
    scene.now += LEASE + timedelta(seconds=1)
    assert [claimed_lead.render for claimed_lead in scene.claim(Task.FETCH)] == [True]
    later = Postponement(at=scene.now + HOUR, reason="rate_limited", counts=False)
    scene.store.finish_fetch([fetched(lead, later)], ME, scene.now)
    scene.now += HOUR
    assert [claimed_lead.render for claimed_lead in scene.claim(Task.FETCH)] == [True]


def test_a_rendered_page_fulfils_the_wish_and_the_document_leaves_quarantine(scene: Scene):
    lead = wish(scene)
    scene.claim(Task.FETCH)
    capture = make_capture(lead.id, "shown", lead=lead.id, policy={"rendered": True})
    scene.store.finish_fetch([fetched(lead, capture)], ME, scene.now)
    assert not scene.row(leads)["render"]
    (draft,) = scene.claim(Task.REFINE)
    assert draft.capture is not None
    assert draft.capture.policy == {"rendered": True}
    scene.refine(kept_result(draft))
    assert scene.row(documents)["state"] == State.KEPT
    assert scene.rows(quarantine) == []
    assert scene.claim(Task.FETCH) == []


def test_a_wish_that_comes_while_the_page_is_fetched_plainly_is_not_lost(scene: Scene):
    lead = wish(scene)
    scene.claim(Task.FETCH)
    scene.store.finish_fetch([fetched(lead, None, rendered=False)], ME, scene.now)
    assert [claimed_lead.render for claimed_lead in scene.claim(Task.FETCH)] == [True]


def test_a_page_that_could_not_be_shown_is_shown_again_when_an_operator_says_so(scene: Scene):
    lead = wish(scene)
    scene.claim(Task.FETCH)
    scene.store.finish_fetch([fetched(lead, Quarantine(reason="render_timeout"))], ME, scene.now)
    assert {row["reason"] for row in scene.rows(quarantine)} == {"js_required", "render_timeout"}
    assert scene.claim(Task.FETCH) == []
    Operations(scene.store.engine).retry([lead.id], None, scene.now)
    assert [claimed_lead.render for claimed_lead in scene.claim(Task.FETCH)] == [True]
