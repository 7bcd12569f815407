"""The fingerprints by which copies are recognised: stored rows, shared by workers, consistent after every error."""

from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import Engine, event
from tests.support.scene import ME, Scene, ended_result, kept_result

from headwater.model.document import DedupeRecord, FingerprintLookup
from headwater.model.jobs import Draft, RefineResult, State
from headwater.store.claims import refine as refining
from headwater.store.dedupe import index as remembering
from headwater.store.dedupe.index import dedupe_space
from headwater.store.schema.flow import documents
from headwater.store.schema.knowledge import dedupe_bands, dedupe_epochs, edges, fingerprints, sentence_counts
from headwater.store.sql_store import SqlStore

SCHEME = "s1"
MEMORY = (dedupe_bands, dedupe_epochs, fingerprints, sentence_counts, edges)


def record(draft: Draft, *keys: int, epoch: int = 0, **fields: Any) -> DedupeRecord:
    defaults: dict[str, Any] = {
        "fingerprints": (),
        "sentences": (),
        "publisher": "Wire",
        "original": draft.id,
    }
    return DedupeRecord(scheme=SCHEME, keys=keys, epoch=epoch, **(defaults | fields))


def keep(draft: Draft, *keys: int, **fields: Any) -> RefineResult:
    return replace(kept_result(draft), dedupe_record=record(draft, *keys, **fields))


def copy(draft: Draft, of: Draft, *keys: int, **fields: Any) -> RefineResult:
    result = ended_result(draft, State.DUPLICATE, "duplicate:near", of=of.id, score=0.9)
    return replace(result, dedupe_record=record(draft, *keys, original=of.id, **fields))


def recall(
    scene: Scene, *keys: int, fingerprints: tuple[tuple[str, str], ...] = (), limit: int = 40
) -> FingerprintLookup:
    return scene.store.look_up_fingerprints("trial", SCHEME, fingerprints, keys, limit)


def now(scene: Scene) -> int:
    return recall(scene).epoch


def rows_of(scene: Scene) -> dict[str, list[dict[str, Any]]]:
    return {table.name: sorted(scene.rows(table), key=repr) for table in MEMORY}


def test_an_empty_memory_knows_nothing(scene: Scene):
    assert recall(scene, 1, 2, fingerprints=(("url", "u"),)) == FingerprintLookup(0, {}, {})
    assert scene.store.originals([]) == {}
    assert scene.store.sentence_story_counts("trial", {"Wire": []}) == {"Wire": {}}


def test_holders_of_a_key_come_newest_first_and_no_more_than_asked(scene: Scene):
    drafts = scene.drafts("a", "b", "c", "d")
    for draft in drafts:
        assert scene.refine(keep(draft, 7, -(2**63), epoch=now(scene))) == []
    newest_first = [draft.id for draft in reversed(drafts)]
    assert recall(scene, 7, 8).holders == {7: newest_first}
    assert recall(scene, 7, -(2**63), limit=2).holders == {7: newest_first[:2], -(2**63): newest_first[:2]}


def test_keys_of_another_scheme_or_recipe_are_other_keys(scene: Scene):
    (draft,) = scene.drafts("a")
    scene.refine(keep(draft, 7, fingerprints=(("url", "u"),)))
    assert scene.store.look_up_fingerprints("trial", "s2", (), [7], 40).holders == {}
    other = scene.store.look_up_fingerprints("other", SCHEME, [("url", "u")], [7], 40)
    assert (other.holders, other.owners, other.epoch) == ({}, {}, 0)


def test_more_documents_than_a_statement_takes_are_recalled(scene: Scene, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(remembering, "NUMBERS_AT_ONCE", 2)
    drafts = scene.drafts("a", "b", "c", "d", "e")
    scene.refine(*(keep(draft, *range(10 * i, 10 * i + 10)) for i, draft in enumerate(drafts)))
    holders = recall(scene, *range(60))
    assert holders.holders == {key: [drafts[key // 10].id] for key in range(50)}


def test_a_fingerprint_belongs_to_the_first_document_that_had_it(scene: Scene):
    first, second = scene.drafts("a", "b")
    long = "x" * 5000
    fingerprints = (("url", "https://wire.example/a"), ("guid", long))
    scene.refine(keep(first, fingerprints=fingerprints))
    scene.refine(copy(second, first, fingerprints=fingerprints, epoch=now(scene)))
    assert recall(scene, fingerprints=fingerprints).owners == dict.fromkeys(fingerprints, first.id)


def test_lookups_in_sqlite_are_searches_by_the_whole_key(sqlite_engine: Engine):
    """Not by its beginning, which every row of a recipe shares."""
    plans: list[str] = []

    def explain(connection: Any, _: Any, statement: str, values: Any, *__: Any) -> None:
        if statement.lstrip().startswith("SELECT"):
            plan = connection.connection.cursor().execute(f"EXPLAIN QUERY PLAN {statement}", values)
            plans.extend(row[3] for row in plan.fetchall())

    event.listen(sqlite_engine, "before_cursor_execute", explain)
    try:
        fingerprints = [("url", "u"), ("url", "v"), ("guid", "g")]
        SqlStore(sqlite_engine).look_up_fingerprints("trial", SCHEME, fingerprints, [1, 2], 40)
    finally:
        event.remove(sqlite_engine, "before_cursor_execute", explain)
    searched = [plan for plan in plans if "fingerprints" in plan or "dedupe_bands" in plan]
    assert searched
    for plan in searched:
        assert plan.endswith(("(recipe=? AND kind=? AND value=?)", "(space=? AND band=?)")), plan


def test_originals_are_returned_for_copies_only(scene: Scene):
    first, second = scene.drafts("a", "b")
    scene.refine(keep(first), copy(second, first))
    assert scene.store.originals([first.id, second.id, "unknown"]) == {second.id: first.id}


def test_a_sentence_counts_once_a_story_whatever_the_order_within_a_batch(scene: Scene):
    first, echo, other, late = scene.drafts("a", "b", "c", "d")
    record_fields = {"sentences": (5, 6)}
    scene.refine(
        keep(first, **record_fields), keep(other, **record_fields), copy(echo, first, **record_fields)
    )
    assert scene.store.sentence_story_counts("trial", {"Wire": [5, 6, 7]}) == {"Wire": {5: 2, 6: 2}}
    scene.refine(keep(late, sentences=(6,), publisher="Gazette", epoch=now(scene)))
    counts = {"Wire": {5: 2, 6: 2}, "Gazette": {6: 1}, "": {5: 2, 6: 3}}
    sentences = {"Wire": [5, 6], "Gazette": [5, 6], "": [5, 6]}
    assert scene.store.sentence_story_counts("trial", sentences) == counts


def test_deciding_a_document_again_changes_nothing(scene: Scene):
    first, second = scene.drafts("a", "b")
    record_fields = {"sentences": (5,), "fingerprints": (("url", "u"),)}
    scene.refine(keep(first, 1, 2, **record_fields), copy(second, first, 1, 2, **record_fields))
    before = rows_of(scene)
    assert len(before["dedupe_bands"]) == 4
    again = [scene.change(draft, "reset", version="v2") for draft in (first, second)]
    epoch = now(scene)
    results = (
        keep(again[0], 1, 2, epoch=epoch, **record_fields),
        copy(again[1], first, 1, 2, epoch=epoch, **record_fields),
    )
    assert scene.refine(*results) == []
    after = rows_of(scene)
    for name in ("dedupe_bands", "fingerprints", "sentence_counts", "edges"):
        assert after[name] == before[name], name


def test_a_revision_adds_the_keys_that_it_did_not_have(scene: Scene):
    first, other = scene.drafts("a", "b")
    scene.refine(keep(first, 1, 2), keep(other, 2))
    again = scene.change(first, "more")
    scene.refine(keep(again, 2, 3, epoch=now(scene)))
    assert recall(scene, 1, 2, 3).holders == {
        1: [first.id],
        2: recall(scene, 2).holders[2],
        3: [first.id],
    }
    assert scene.count(dedupe_bands) == 4


@pytest.mark.parametrize("fields", [{"keys": (1,)}, {"fingerprints": (("url", "u"),)}], ids=["key", "print"])
def test_an_overtaken_document_is_decided_again(scene: Scene, fields: dict[str, Any]):
    first, second, third = scene.drafts("a", "b", "c")
    keys, fingerprints = fields.get("keys", ()), {"fingerprints": fields.get("fingerprints", ())}
    assert scene.refine(keep(first, *keys, **fingerprints)) == []
    assert scene.refine(keep(second, *keys, **fingerprints), keep(third, 99)) == [second.id]
    assert scene.row(documents, id=second.id)["state"] == State.WAITING
    assert scene.row(documents, id=third.id)["state"] == State.KEPT
    assert scene.refine(copy(second, first, *keys, epoch=now(scene), **fingerprints)) == []
    assert [(row["from_id"], row["to_id"]) for row in scene.rows(edges)] == [(second.id, first.id)]


def test_copies_of_an_overtaken_document_are_decided_again_with_it(scene: Scene):
    """Otherwise a copy would point to a copy."""
    first, second, leaning = scene.drafts("a", "b", "c")
    assert scene.refine(keep(first, 1)) == []
    assert scene.refine(keep(second, 1, 2), copy(leaning, second, 2)) == sorted([second.id, leaning.id])
    assert scene.count(edges) == 0


def test_documents_that_share_nothing_or_were_seen_overtake_no_document(scene: Scene):
    first, second, third = scene.drafts("a", "b", "c")
    scene.refine(keep(first, 1))
    assert scene.refine(keep(second, 2)) == []
    assert scene.refine(keep(third, 1, 2, epoch=now(scene))) == []


class Accident(Exception):
    pass


def test_an_error_before_the_commit_leaves_no_row(scene: Scene, monkeypatch: pytest.MonkeyPatch):
    first, second = scene.drafts("a", "b")
    record_fields = {"sentences": (5,), "fingerprints": (("url", "u"),)}
    before = rows_of(scene)

    def fail(*_: object) -> None:
        raise Accident

    with monkeypatch.context() as patch:
        patch.setattr(refining, "_write_quarantine", fail)
        with pytest.raises(Accident):
            scene.refine(keep(first, 1, **record_fields), copy(second, first, 1, **record_fields))
    assert rows_of(scene) == before == {table.name: [] for table in MEMORY}
    assert (
        scene.refine(keep(first, 1, **record_fields), copy(second, first, 1, **record_fields), owner=ME) == []
    )
    assert scene.count(dedupe_bands) == 2
    assert scene.row(dedupe_epochs) == {"space": dedupe_space("trial", SCHEME), "value": 1}
