"""The read side: counts, lists and the full history of one document."""

import pytest
from tests.support.scene import (
    HOUR,
    ME,
    RECIPE,
    START,
    Scene,
    ended_result,
    kept_result,
    make_capture,
    make_lead,
    make_source,
    make_story,
)

from headwater.model.document import Edge, FactValue, Mention, TrailEntry
from headwater.model.jobs import DeliveryResult, GatherResult, State, Task
from headwater.store.reads.catalogue import Catalogue
from headwater.store.reads.explanation import explain
from headwater.store.reads.quarantine_reasons import quarantine_reasons


@pytest.fixture
def catalogue(scene: Scene) -> Catalogue:
    return Catalogue(scene.store.engine)


def test_the_status_of_nothing_is_all_zero(scene: Scene, catalogue: Catalogue):
    status = catalogue.status(RECIPE, START)
    assert status["sources"] == dict.fromkeys(
        ("active", "paused", "stopped", "failing", "polled", "running"), 0
    )
    assert status["documents"] == status["leads"] == status["deliveries"] == status["ended"] == {}
    assert (status["stories"], status["captures"], status["quarantine"]) == (0, 0, 0)
    assert status["unfinished"]["poll"] == {"due": 0, "later": 0, "leased": 0, "next": None}


def test_the_status_counts_everything_and_says_why_things_ended(scene: Scene, catalogue: Catalogue):
    a, b, c, d = scene.drafts("a", "b", "c", "d")
    scene.refine(
        kept_result(a, routes=("out",), group="day"),
        ended_result(b, State.DUPLICATE, "duplicate:text", of=a.id),
        ended_result(c, State.DROPPED, "spam"),
        ended_result(d, State.QUARANTINED, "error:X"),
    )
    (group_batch,) = scene.claim(Task.GATHER)
    story = make_story("s", "day", a.id)
    scene.store.finish_gather(
        [GatherResult(group=group_batch.id, version=group_batch.version, stories=(story,))], ME, START
    )
    scene.poll(scene.lead("e"), scene.lead("f", url=a.lead.lead.url))
    scene.claim(Task.FETCH)
    status = catalogue.status(RECIPE, START)
    assert status["documents"] == {"dropped": 1, "duplicate": 1, "kept": 1, "quarantined": 1}
    assert status["leads"] == {"done": 4, "duplicate": 1, "waiting": 1}
    assert status["ended"] == {"duplicate:text": 1, "duplicate:url": 1, "error:X": 1, "spam": 1}
    assert (status["stories"], status["captures"], status["quarantine"]) == (1, 4, 1)
    assert status["deliveries"] == {"waiting": 1}
    assert status["unfinished"]["fetch"] == {"due": 1, "later": 0, "leased": 1, "next": START}
    assert status["unfinished"]["poll"] == {"due": 0, "later": 1, "leased": 0, "next": START + HOUR}
    assert status["unfinished"]["deliver"]["due"] == 1


def test_the_status_distinguishes_the_states_of_sources(scene: Scene, catalogue: Catalogue):
    for name, fields in (
        ("A", {}),
        ("B", {"failures": 2, "error": "http_500"}),
        ("C", {"stop_reason": "10 failures", "failures": 10, "due_at": None}),
        ("D", {"active": False}),
    ):
        scene.poll(source=make_source(name), **fields)
    scene.store.register([make_source("E")], START)
    scene.claim(Task.POLL)
    assert catalogue.status(RECIPE, START)["sources"] == {
        "active": 3, "paused": 1, "stopped": 1, "failing": 1, "polled": 4, "running": 1,
    }  # fmt: skip
    assert catalogue.status(RECIPE, START)["unfinished"]["poll"]["later"] == 2


def test_sources_and_recipes_are_listed(scene: Scene, catalogue: Catalogue):
    scene.store.register([make_source("B"), make_source("A"), make_source("Z", recipe="alpha")], START)
    assert catalogue.recipes() == ["alpha", RECIPE]
    assert [row["name"] for row in catalogue.sources()] == ["Z", "A", "B"]
    assert [row["name"] for row in catalogue.sources(RECIPE)] == ["A", "B"]
    assert catalogue.sources("none") == []


@pytest.mark.parametrize("by", ["id", "url", "name"])
def test_a_source_is_shown_with_its_last_runs(scene: Scene, catalogue: Catalogue, by: str):
    for hours in range(12):
        scene.now = START + hours * HOUR
        scene.poll()
    shown = catalogue.source(getattr(scene.source, by))
    assert shown["id"] == scene.source.id
    assert [run["started_at"] for run in shown["polls"]] == [
        START + hours * HOUR for hours in range(11, 1, -1)
    ]
    assert catalogue.source("unknown") is None


def test_documents_are_listed_newest_first_and_undated_last(scene: Scene, catalogue: Catalogue):
    a, b, c, d = scene.drafts("a", "b", "c", "d")
    scene.refine(
        kept_result(a, published=START - HOUR),
        kept_result(b, published=START),
        kept_result(c),
        ended_result(d, State.DROPPED, "spam"),
    )
    assert [row["id"] for row in catalogue.documents(RECIPE, [State.KEPT], 10)] == [b.id, a.id, c.id]
    assert [row["id"] for row in catalogue.documents(None, [State.KEPT], 2)] == [b.id, a.id]
    assert [row["reason"] for row in catalogue.documents(RECIPE, [State.DROPPED], 10)] == ["spam"]
    assert len(catalogue.documents(RECIPE, [], 10)) == 4
    assert catalogue.documents("other", [], 10) == []


def test_a_document_is_found_by_key_by_its_beginning_or_by_address(scene: Scene, catalogue: Catalogue):
    (draft,) = scene.keep("a")
    for name in (draft.id, draft.id[:8], draft.lead.lead.url):
        assert catalogue.document(name)["id"] == draft.id
    for name in (draft.id[:7], "%", "deadbeef", "https://wire.example/none", ""):
        assert catalogue.document(name) is None


def test_the_quarantine_is_listed(scene: Scene, catalogue: Catalogue):
    a, b = scene.drafts("a", "b")
    scene.refine(
        ended_result(a, State.QUARANTINED, "error:X", evidence={"n": 1}),
        ended_result(b, State.ASIDE, "js_required"),
    )
    assert {row["reason"] for row in catalogue.quarantine()} == {"error:X", "js_required"}
    assert catalogue.quarantine("other") == []
    assert catalogue.quarantined_record(a.id[:10])["evidence"] == {"n": 1}
    assert catalogue.quarantined_record("deadbeef") is None


def test_quarantined_records_are_counted_by_reason_and_a_long_reason_is_cut(scene: Scene):
    """An index of PostgreSQL takes no longer one."""
    drafts = scene.drafts("a", "b", "c")
    long = "".join(map(chr, range(0x4E00, 0x5E00)))
    for draft, reason in zip(drafts, ("error:X", "error:X", long), strict=True):
        scene.refine(ended_result(draft, State.QUARANTINED, reason))
    counts = {row["reason"]: row["count"] for row in quarantine_reasons(scene.store.engine)}
    assert counts == {"error:X": 2, long[:300]: 1}
    assert quarantine_reasons(scene.store.engine, "other") == []


def test_explain_returns_the_full_history_of_a_document(scene: Scene):
    feed = make_capture(scene.source.id, "feed")
    lead = scene.lead("a")
    scene.poll(lead, captures=(feed,))
    (page,) = scene.fetch(lead)
    other = make_source("Post")
    copy = make_lead("copy", source=other, url=lead.lead.url)
    scene.poll(copy, source=other)
    (draft,) = scene.claim(Task.REFINE)
    scene.refine(
        kept_result(
            draft,
            routes=("out",),
            group="day",
            trail=(TrailEntry("extract", "1", ("text",), {"score": 1}),),
            facts={"f": FactValue(1, "s", "2")},
            mentions=(Mention("sub", "k", 1.0),),
            edges=(Edge("o", "related", "r"),),
        )
    )
    (delivery,) = scene.claim(Task.DELIVER)
    scene.store.finish_deliver([DeliveryResult(id=delivery.id, revision=1, receipt="r")], ME, START)
    (group_batch,) = scene.claim(Task.GATHER)
    story = make_story("s", "day", draft.id)
    scene.store.finish_gather(
        [GatherResult(group=group_batch.id, version=group_batch.version, stories=(story,))], ME, START
    )
    explanation = explain(scene.store.engine, draft.id)
    assert (explanation["document"]["id"], explanation["lead"]["id"], explanation["source"]["name"]) == (
        draft.id,
        lead.id,
        "Wire",
    )
    assert explanation["poll"]["source_id"] == scene.source.id
    assert page.id in {capture["id"] for capture in explanation["captures"]}
    assert explanation["document"]["trail"] == [
        {"step": "extract", "version": "1", "changed": ["text"], "notes": {"score": 1}}
    ]
    assert [row["id"] for row in explanation["also_seen"]] == [copy.id]
    assert [(row["name"], row["step"]) for row in explanation["facts"]] == [("f", "s")]
    assert [row["subject_id"] for row in explanation["mentions"]] == ["sub"]
    assert {row["relation"] for row in explanation["edges"]} == {"related", "duplicate"}
    assert [row["id"] for row in explanation["stories"]] == ["s"]
    assert [(row["route"], row["state"]) for row in explanation["deliveries"]] == [("out", "done")]
    assert explanation["quarantine"] == explanation["revisions"] == []


def test_explain_finds_a_document_by_the_address_that_its_source_named(scene: Scene):
    (draft,) = scene.drafts("a")
    scene.refine(kept_result(draft, url="https://wire.example/after-a-redirect"))
    for name in (draft.lead.lead.url, "https://wire.example/after-a-redirect", draft.lead.id):
        assert explain(scene.store.engine, name)["document"]["id"] == draft.id


def test_explain_describes_a_lead_that_has_no_document_yet(scene: Scene):
    scene.poll(scene.lead("a"))
    explanation = explain(scene.store.engine, scene.lead("a").lead.url)
    assert (explanation["document"], explanation["lead"]["state"]) == (None, State.WAITING)


def test_explain_shows_earlier_revisions_and_the_quarantine(scene: Scene):
    (draft,) = scene.keep("a")
    scene.refine(ended_result(scene.change(draft, "x"), State.QUARANTINED, "error:X"))
    explanation = explain(scene.store.engine, draft.id)
    assert [(row["revision"], row["state"]) for row in explanation["revisions"]] == [(2, State.QUARANTINED)]
    assert [row["reason"] for row in explanation["quarantine"]] == ["error:X"]


def test_explain_returns_nothing_for_an_unknown_key(scene: Scene):
    assert explain(scene.store.engine, "deadbeefdeadbeef") is None
