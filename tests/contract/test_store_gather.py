"""Groups are gathered into stories; stories keep their identity, or end."""

from dataclasses import replace
from datetime import timedelta

from tests.scene import HOUR, ME, RECIPE, START, Scene, ended, kept, make_story

from headwater.backends.sql.schema import deliveries, facts, groups, members, quarantine, stories
from headwater.model.fact import Finding
from headwater.model.work import Bundle, Claim, Gathered, Job, Later, Quarantined, State, Task
from headwater.pure.keys import group_key

DAY = group_key(RECIPE, "day")


def _bundle(scene: Scene) -> Bundle:
    (bundle,) = scene.claim(Task.GATHER)
    return bundle


def _gather(scene: Scene, *told, bundle: Bundle | None = None, **more) -> None:
    bundle = bundle or _bundle(scene)
    scene.store.finish_gather(
        [Gathered(group=bundle.id, marks=bundle.marks, stories=told, **more)], ME, scene.now
    )


def _mark(scene: Scene, path: str) -> str:
    (draft,) = scene.drafts(path)
    scene.refine(kept(draft, group="day", published=scene.now))
    return draft.id


def test_a_bundle_of_outlines_leaves_the_words_in_the_database(scene: Scene):
    (draft,) = scene.drafts("a")
    scene.refine(kept(draft, group="day", title="Headline", text="Long text.", published=START))
    wish = Claim(Job(RECIPE, Task.GATHER), ME, scene.now, 10, HOUR)
    (bundle,) = scene.store.claim_groups(wish, whole=False)
    (document,) = bundle.documents
    assert (document.id, document.title, document.published) == (draft.id, "Headline", START)
    assert (document.text, document.trail, document.group) == ("", (), DAY)


def test_a_bundle_has_the_kept_documents_of_its_group_and_no_others(scene: Scene):
    late, early, undated, bad, elsewhere = scene.drafts("a", "b", "c", "d", "e")
    scene.refine(
        kept(late, group="day", published=START),
        kept(early, group="day", published=START - HOUR),
        kept(undated, group="day"),
        ended(bad, State.DROPPED, "spam"),
        kept(elsewhere, group="other", published=START),
    )
    bundles = {bundle.name: bundle for bundle in scene.claim(Task.GATHER)}
    assert set(bundles) == {"day", "other"}
    assert [document.id for document in bundles["day"].documents] == [early.id, late.id, undated.id]
    assert (bundles["day"].id, bundles["day"].marks, bundles["day"].attempts) == (DAY, 1, 1)


def test_stories_are_written_with_their_members_and_facts(scene: Scene):
    a, b = _mark(scene, "a"), _mark(scene, "b")
    story = make_story(
        "s1", "day", *sorted([a, b]), summary="Two say it", first_at=START, last_at=START, score=0.5,
        attributes={"x": [1]}, facts={"tone": Finding("calm", "tone", "1")},
    )  # fmt: skip
    _gather(scene, story)
    row = scene.row(stories)
    assert (row["state"], row["size"], row["revision"]) == ("live", 2, 1)
    _mark(scene, "c")
    assert _bundle(scene).stories == (story,)


def test_a_gathered_group_rests_until_somebody_joins(scene: Scene):
    _mark(scene, "a")
    _gather(scene)
    row = scene.row(groups)
    assert (row["due_at"], row["lease_owner"], row["attempts"]) == (None, None, 0)
    _mark(scene, "b")
    assert _bundle(scene).marks == 2


def test_a_document_that_joins_meanwhile_keeps_the_group_due(scene: Scene):
    a = _mark(scene, "a")
    bundle = _bundle(scene)
    b = _mark(scene, "b")
    _gather(scene, make_story("s1", "day", a), bundle=bundle)
    again = _bundle(scene)
    assert {document.id for document in again.documents} == {a, b}
    assert [story.id for story in again.stories] == ["s1"]


def test_a_new_division_replaces_the_old_one(scene: Scene):
    a, b = _mark(scene, "a"), _mark(scene, "b")
    _gather(scene, make_story("s1", "day", a, facts={"old": Finding(1)}), make_story("s2", "day", b))
    scene.now = START + HOUR
    c = _mark(scene, "c")
    _gather(scene, make_story("s1", "day", *sorted([a, b, c]), revision=2, facts={"new": Finding(2)}))
    by_id = {row["id"]: row for row in scene.rows(stories)}
    assert (by_id["s1"]["state"], by_id["s1"]["revision"], by_id["s1"]["size"]) == ("live", 2, 3)
    assert by_id["s1"]["created_at"] == START
    assert by_id["s2"]["state"] == "ended"
    assert {row["document_id"] for row in scene.rows(members, story_id="s1")} == {a, b, c}
    assert [row["name"] for row in scene.rows(facts)] == ["new"]


def test_an_ended_story_stays_as_it_ended(scene: Scene):
    a = _mark(scene, "a")
    _gather(scene, make_story("s1", "day", a))
    for hours in (1, 2):
        scene.now = START + hours * HOUR
        _mark(scene, f"more{hours}")
        _gather(scene)
    row = scene.row(stories)
    assert (row["state"], row["updated_at"]) == ("ended", START + HOUR)


def test_the_id_of_an_ended_story_is_not_given_away_again(scene: Scene):
    a = _mark(scene, "a")
    _gather(scene, make_story("s1", "day", a))
    _mark(scene, "b")
    _gather(scene)
    _mark(scene, "c")
    bundle = _bundle(scene)
    assert bundle.stories == ()
    assert bundle.ended == frozenset({"s1"})


def test_other_groups_keep_their_stories(scene: Scene):
    (draft,) = scene.drafts("x")
    scene.refine(kept(draft, group="other"))
    _gather(scene, make_story("s9", "other", draft.id))
    _mark(scene, "a")
    _gather(scene)
    assert scene.row(stories)["state"] == "live"


def test_stories_open_their_deliveries_once_per_revision(scene: Scene):
    a = _mark(scene, "a")
    story = make_story("s1", "day", a)
    _gather(scene, story, routes={"s1": ("digest",)})
    row = scene.row(deliveries)
    assert (row["route"], row["record_kind"], row["record_id"], row["revision"]) == (
        "digest",
        "story",
        "s1",
        1,
    )
    (errand,) = scene.claim(Task.DELIVER)
    assert errand.record == story
    _mark(scene, "b")
    _gather(scene, replace(story, revision=2), routes={"s1": ("digest",)})
    assert scene.row(deliveries)["revision"] == 2


def test_a_postponed_group_is_due_later(scene: Scene):
    _mark(scene, "a")
    _gather(scene, later=Later(at=START + HOUR, reason="model_busy"))
    row = scene.row(groups)
    assert (row["due_at"], row["reason"], row["attempts"], row["lease_owner"]) == (
        START + HOUR,
        "model_busy",
        1,
        None,
    )


def test_a_quarantined_group_rests_with_its_reason_and_leaves_its_stories(scene: Scene):
    a = _mark(scene, "a")
    _gather(scene, make_story("s1", "day", a))
    _mark(scene, "b")
    _gather(scene, quarantined=Quarantined(reason="error:ValueError", detail="x"))
    assert (scene.row(groups)["due_at"], scene.row(groups)["reason"]) == (None, "error:ValueError")
    assert (scene.row(quarantine)["record_id"], scene.row(quarantine)["task"]) == (DAY, Task.GATHER)
    assert scene.row(stories)["state"] == "live"


def test_a_quarantined_group_that_is_gathered_after_all_leaves_the_quarantine(scene: Scene):
    _mark(scene, "a")
    _gather(scene, quarantined=Quarantined(reason="error:ValueError"))
    _mark(scene, "b")
    _gather(scene)
    assert (scene.count(quarantine), scene.row(groups)["reason"]) == (0, None)


def test_a_group_settles_again_with_each_document(scene: Scene):
    settle = timedelta(minutes=10)
    first, second = scene.drafts("a", "b")
    scene.refine(kept(first, group="day"), settle=settle)
    scene.now = START + timedelta(minutes=9)
    scene.refine(kept(second, group="day"), settle=settle)
    scene.now = START + timedelta(minutes=11)
    assert scene.claim(Task.GATHER) == []
    scene.now = START + timedelta(minutes=19)
    assert len(_bundle(scene).documents) == 2
