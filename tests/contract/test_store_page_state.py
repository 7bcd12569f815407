"""Leads without a page, the documents that are made all the same, and parts that a whole text supersedes."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from tests.support.scene import ME, Scene, ended_result, kept_result, make_capture

from headwater.model.document import Edge, Mention
from headwater.model.jobs import Draft, FetchResult, Postponement, State, Task
from headwater.model.page import PageState
from headwater.model.source import StoredLead
from headwater.store.changes.operations import Operations
from headwater.store.schema.flow import documents, groups, leads, revisions
from headwater.store.schema.knowledge import edges, mentions

FORBIDDEN = {"page": PageState.FORBIDDEN}


def no_page(scene: Scene, lead: StoredLead, reason: str = "http_403") -> None:
    (claimed,) = scene.claim(Task.FETCH, keys=(lead.id,))
    result = FetchResult(lead=lead.id, version=claimed.lead.version, result=None, no_page=reason)
    scene.store.finish_fetch([result], ME, scene.now)


def without_page(scene: Scene, path: str, **fields: Any) -> Draft:
    """A lead whose page is forbidden, claimed for refining."""
    lead = scene.lead(path, **fields)
    scene.poll(lead, captures=(make_capture(scene.source.id, path),))
    no_page(scene, lead)
    (draft,) = scene.claim(Task.REFINE, keys=(lead.document,))
    return draft


def test_a_lead_without_a_page_becomes_a_draft_of_what_its_source_listed(scene: Scene):
    draft = without_page(scene, "a", title="The tide")
    assert (draft.lead.page_reason, draft.reads_page) == ("http_403", False)
    assert draft.capture is not None
    assert draft.capture.lead == ""
    row = scene.row(leads)
    assert (row["state"], row["reason"], row["due_at"]) == (State.DONE, None, None)
    scene.refine(kept_result(draft, **FORBIDDEN))
    assert scene.row(documents)["page"] == "forbidden"


def test_a_result_of_a_lost_lease_or_an_old_version_opens_nothing_and_loses_nothing(scene: Scene):
    lead = scene.lead("a")
    scene.poll(lead)
    scene.claim(Task.FETCH)
    result = FetchResult(lead=lead.id, version="v1", result=None, no_page="http_403")
    scene.store.finish_fetch([result], "somebody else", scene.now)
    assert scene.count(documents) == 0
    scene.store.finish_fetch([replace(result, version="v0")], ME, scene.now)
    assert (scene.count(documents), scene.row(leads)["state"]) == (0, State.WAITING)
    no_page(scene, lead)
    assert [draft.id for draft in scene.claim(Task.REFINE)] == [lead.document]


def refuse(scene: Scene, lead: StoredLead, reason: str = "http_403") -> None:
    """The page is refused, and is requested again after a minute."""
    (claimed,) = scene.claim(Task.FETCH, keys=(lead.id,))
    retry = Postponement(at=scene.now + timedelta(minutes=1), reason=reason)
    result = FetchResult(lead=lead.id, version=claimed.lead.version, result=retry, no_page=reason)
    scene.store.finish_fetch([result], ME, scene.now)


def test_a_refused_page_is_a_draft_at_once_and_requested_again(scene: Scene):
    lead = scene.lead("a")
    scene.poll(lead)
    refuse(scene, lead)
    (draft,) = scene.claim(Task.REFINE)
    assert (draft.revision, draft.lead.page_reason, draft.reads_page) == (1, "http_403", False)
    scene.refine(kept_result(draft, **FORBIDDEN))
    row = scene.row(leads)
    assert (row["state"], row["reason"], row["attempts"]) == (State.WAITING, "http_403", 1)
    scene.now += timedelta(minutes=1)
    refuse(scene, lead, "http_429")
    assert scene.claim(Task.REFINE) == []
    scene.now += timedelta(minutes=1)
    scene.fetch(lead)
    (later,) = scene.claim(Task.REFINE)
    assert (later.revision, later.reads_page, later.lead.page_reason) == (2, True, None)


def test_a_refused_page_that_is_given_up_changes_nothing_more(scene: Scene):
    lead = scene.lead("a")
    scene.poll(lead)
    refuse(scene, lead)
    (draft,) = scene.claim(Task.REFINE)
    scene.refine(kept_result(draft, **FORBIDDEN))
    scene.now += timedelta(minutes=1)
    no_page(scene, lead)
    assert scene.claim(Task.REFINE) == []
    assert (scene.row(leads)["state"], scene.row(documents)["revision"]) == (State.DONE, 1)


def test_a_page_that_is_read_later_makes_a_revision_and_the_earlier_one_is_kept(scene: Scene):
    draft = without_page(scene, "a")
    scene.refine(kept_result(draft, text="A summary.", **FORBIDDEN))
    later = scene.change(draft, "the page")
    assert (later.revision, later.reads_page, later.lead.page_reason) == (2, True, None)
    scene.refine(kept_result(later, text="The whole text.", page=PageState.READ))
    assert (scene.row(documents)["page"], scene.row(documents)["text"]) == ("read", "The whole text.")
    assert (scene.row(revisions)["page"], scene.row(revisions)["text"]) == ("forbidden", "A summary.")


def test_a_page_that_is_lost_later_leaves_the_document_as_it_was(scene: Scene):
    (draft,) = scene.keep("a", page=PageState.READ)
    scene.poll(replace(draft.lead, lead=replace(draft.lead.lead, version="v2")))
    no_page(scene, draft.lead, "http_404")
    assert scene.claim(Task.REFINE) == []
    assert (scene.row(documents)["page"], scene.row(leads)["page_reason"]) == ("read", "http_404")


def test_the_same_state_again_is_nothing_new_but_a_changed_entry_is(scene: Scene):
    draft = without_page(scene, "a")
    scene.refine(kept_result(draft, **FORBIDDEN))
    operations = Operations(scene.store.engine)
    assert operations.fetch_pages(None, "trial", scene.now, states=[PageState.MISSING]) == 0
    assert operations.fetch_pages([draft.id], None, scene.now) == 1
    no_page(scene, draft.lead, "http_401")
    assert scene.claim(Task.REFINE) == []
    scene.poll(replace(draft.lead, lead=replace(draft.lead.lead, version="v2", title="Corrected")))
    no_page(scene, draft.lead, "http_403")
    (corrected,) = scene.claim(Task.REFINE)
    assert (corrected.lead.lead.title, corrected.revision) == ("Corrected", 2)


def test_an_unreachable_or_busy_page_is_requested_again_a_day_later_while_its_source_lists_it(scene: Scene):
    lead, busy = scene.lead("a"), scene.lead("busy")
    scene.poll(lead, busy, scene.lead("b"))
    no_page(scene, lead, "http_500")
    no_page(scene, busy, "http_429")
    no_page(scene, scene.lead("b"), "http_403")
    scene.now += timedelta(hours=23)
    scene.poll(lead, busy, scene.lead("b"))
    assert scene.claim(Task.FETCH) == []
    scene.now += timedelta(hours=2)
    scene.poll(lead, busy, scene.lead("b"))
    assert {claimed.id for claimed in scene.claim(Task.FETCH)} == {lead.id, busy.id}


def test_a_part_becomes_a_duplicate_of_the_whole_text_with_everything_that_follows(scene: Scene):
    part, copy = without_page(scene, "part"), without_page(scene, "copy")
    mention = Mention("sub", "ticker", 1.0)
    scene.refine(kept_result(part, group="today", mentions=(mention,), **FORBIDDEN))
    scene.refine(ended_result(copy, State.DUPLICATE, "duplicate:text", of=part.id))
    scene.claim(Task.GATHER)
    (whole,) = scene.drafts("whole")
    supersedes = Edge(part.id, "supersedes", "summary", 0.6, {"shared": 30})
    assert scene.refine(kept_result(whole, group="today", edges=(supersedes,), page=PageState.READ)) == []
    row = scene.row(documents, id=part.id)
    assert (row["state"], row["reason"]) == (State.DUPLICATE, "duplicate:summary")
    assert (row["duplicate_of"], row["group_id"], row["text"]) == (whole.id, None, "")
    assert scene.row(documents, id=copy.id)["duplicate_of"] == whole.id
    edge = scene.row(edges, from_id=part.id, relation="duplicate")
    assert (edge["to_id"], edge["rule"], edge["evidence"]) == (whole.id, "summary", {"shared": 30})
    assert scene.rows(mentions, document_id=part.id) == []
    assert [row["version"] for row in scene.rows(groups)] == [3]


def test_a_part_that_has_its_whole_text_by_now_is_not_superseded(scene: Scene):
    (other,) = scene.keep("other", page=PageState.READ)
    (whole,) = scene.drafts("whole")
    scene.refine(kept_result(whole, edges=(Edge(other.id, "supersedes", "summary"),), page=PageState.READ))
    assert scene.row(documents, id=other.id)["state"] == State.KEPT


def test_a_document_whose_part_is_being_decided_is_decided_again(scene: Scene):
    part = without_page(scene, "part")
    scene.refine(kept_result(part, **FORBIDDEN))
    (whole,) = scene.drafts("whole")
    scene.poll(replace(part.lead, lead=replace(part.lead.lead, version="v2")))
    no_page(scene, part.lead)
    assert scene.claim(Task.REFINE, owner="another worker", keys=(part.id,))
    result = kept_result(whole, edges=(Edge(part.id, "supersedes", "summary"),), page=PageState.READ)
    assert scene.refine(result) == [whole.id]
    assert scene.row(documents, id=part.id)["state"] == State.KEPT


def test_a_part_may_turn_out_to_be_a_copy_and_a_whole_text_may_not(scene: Scene):
    part = without_page(scene, "part")
    scene.refine(kept_result(part, group="today", **FORBIDDEN))
    (whole,) = scene.keep("whole", page=PageState.READ)
    scene.claim(Task.GATHER)
    for draft, state in ((part, State.DUPLICATE), (whole, State.KEPT)):
        later = scene.change(draft, "another page")
        scene.refine(ended_result(later, State.DUPLICATE, "duplicate:text", of="other"))
        assert scene.row(documents, id=draft.id)["state"] == state
    assert [row["version"] for row in scene.rows(groups)] == [2]
