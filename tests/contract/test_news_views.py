"""The tables of the news-intelligence contract, readable by name in plain SQL, on both databases."""

from datetime import timedelta
from typing import Any

import pytest
import tests.support.scene as scenes
from sqlalchemy import Engine, text
from tests.support.scene import HOUR, START, ended_result, kept_result, make_source

from headwater.model.jobs import Draft, FetchResult, GatherResult, Quarantine, State, Task
from headwater.model.keys import group_key, key_number
from headwater.model.page import PageState
from headwater.model.story import Member, Story
from headwater.model.subject import Subject
from headwater.store.changes.mentions import MentionStore
from headwater.store.changes.pipeline_runs import PipelineRuns
from headwater.store.connect import read_transaction
from headwater.store.schema.flow import leads
from headwater.store.sql_store import SqlStore
from headwater_recipes.geopolitics.views import NAMES

pytestmark = pytest.mark.usefixtures("recipe_views")
RECIPE = "geopolitics"
RUN_OPTIONS = {"tier": "B", "target_date": "2026-11-13"}
STRAIT = "0b0f2a86-6a1c-4b0e-9d43-1f2f3c4d5e6f"
ENTRY = "7e9a1c52-0f65-4e2b-8a53-0d6b1f2c3a4b"
OTHER_ENTRY = "1d0c5a0e-59f0-4a53-9a3c-6c1a3c9c2b11"
TOPIC = {"code": "16000000", "name": "conflict, war and peace", "confidence": 0.9}
COLUMNS = {
    "processing_runs": "id run_id status pipeline_tier target_date total_entries processed_entries failed_entries "
    "dedupe_skipped clusters_created started_at completed_at error_message metrics created_at",
    "feed_entry_jobs": "id feed_entry_id run_id status attempts last_error failure_reason extraction_method "
    "extraction_chars content_hash simhash is_duplicate duplicate_of fetch_duration_ms extract_duration_ms "
    "embed_duration_ms created_at updated_at",
    "feed_entry_vectors": "feed_entry_id embedding model_name created_at",
    "feed_entry_topics": "id feed_entry_id iptc_top_level iptc_path confidence created_at",
    "cluster_members": "id flashpoint_id cluster_uuid feed_entry_id run_id similarity created_at",
    "news_clusters": "id flashpoint_id cluster_id summary article_count top_domains languages urls images created_at",
}


class World(scenes.Scene):
    """A scene of this recipe."""

    def claim(self, task: Task, owner: str = scenes.ME, **options: Any) -> list[Any]:
        return super().claim(task, owner, **(options | {"recipe": RECIPE}))


def ask(engine: Engine, query: str) -> list[dict[str, Any]]:
    with read_transaction(engine) as connection:
        return [dict(row) for row in connection.execute(text(query)).mappings()]


def read_tuples(engine: Engine, query: str) -> list[tuple[Any, ...]]:
    return [tuple(str(value) for value in row.values()) for row in ask(engine, query)]


@pytest.fixture
def world(store: SqlStore) -> World:
    return World(store, source=make_source("Wire", recipe=RECIPE, subject=STRAIT))


def gather(world: World, drafts: list[Draft]) -> None:
    (group_batch,) = world.claim(Task.GATHER)
    about = {
        "flashpoint": STRAIT,
        "rank": 1,
        "topic": TOPIC,
        "top_domains": ["wire.example"],
        "languages": ["en"],
    }
    story = Story(
        id="ab" * 12,
        recipe=RECIPE,
        group=group_batch.id,
        title="A tanker",
        members=tuple(Member(draft.id, 0.9) for draft in drafts),
        summary="It was seized.",
        score=0.61,
        attributes={**about, "urls": [], "images": [], "components": {"volume": 0.2}},
    )
    result = GatherResult(group=group_batch.id, version=group_batch.version, stories=(story,))
    world.store.finish_gather([result], scenes.ME, world.now)


def keep(world: World, draft: Draft, **more: Any) -> None:
    about = {"flashpoint": STRAIT, "topic": TOPIC}
    group = group_key(RECIPE, STRAIT)
    assert group
    assert world.refine(kept_result(draft, attributes=about, group=STRAIT, **more)) == []


@pytest.mark.parametrize("view", COLUMNS)
def test_g3_the_columns_are_those_of_the_contract_and_more_behind(engine: Engine, view: str):
    with read_transaction(engine) as connection:
        names = list(connection.execute(text(f"SELECT * FROM {view}")).keys())
    columns = COLUMNS[view].split()
    assert names[: len(columns)] == columns


def test_g3_g4_an_entry_is_a_job_whose_state_follows_it(world: World, engine: Engine):
    PipelineRuns(engine).begin("run_1", RECIPE, RUN_OPTIONS, START - HOUR)
    waiting = world.lead("waiting")
    (accepted,) = world.drafts("good", hints={"guid": ENTRY})
    copy, walled = world.drafts("copy", "walled")
    world.poll(waiting)
    keep(world, accepted)
    world.refine(
        ended_result(copy, State.DUPLICATE, "exact", of=accepted.id),
        ended_result(walled, State.DROPPED, "paywall"),
    )
    jobs = {row["status"]: row for row in ask(engine, "SELECT * FROM feed_entry_jobs")}
    assert jobs.keys() == {"queued", "deduped", "skipped_duplicate", "failed"}
    assert str(jobs["deduped"]["feed_entry_id"]) == ENTRY
    assert jobs["failed"]["failure_reason"] == "paywall"
    assert jobs["skipped_duplicate"]["is_duplicate"]
    assert str(jobs["skipped_duplicate"]["duplicate_of"]) == ENTRY
    assert {row["run_id"] for row in jobs.values()} == {"run_1"}
    assert {status: row["attempts"] for status, row in jobs.items()} == {
        "queued": 0, "deduped": 1, "skipped_duplicate": 1, "failed": 1,
    }  # fmt: skip
    assert (jobs["deduped"]["extract_duration_ms"], jobs["deduped"]["embed_duration_ms"]) == (0, None)
    assert jobs["queued"]["extract_duration_ms"] is None
    gather(world, [accepted])
    assert read_tuples(engine, "SELECT status FROM feed_entry_jobs WHERE extraction_chars > 0 AND NOT is_duplicate "
                "AND status <> 'failed'") == [("scored",)]  # fmt: skip


def test_g4_an_entry_that_repeats_an_address_is_a_skipped_duplicate_and_every_job_has_its_entry(
    world: World, engine: Engine
):
    runs = PipelineRuns(engine)
    runs.begin("run_1", RECIPE, {}, START)
    (accepted,) = world.drafts("good", hints={"guid": ENTRY})
    keep(world, accepted)
    address = accepted.lead.lead.url
    world.poll(
        world.lead("again", url=address, hints={"guid": OTHER_ENTRY}),
        world.lead("listed-twice", url=address, hints={"guid": ENTRY}),
        world.lead("waiting", hints={"summary": "A tanker waits.", "attributes": {"domain": "wire.example"}}),
    )
    closed = runs.finish("run_1", START)
    assert (closed["status"], closed["total_count"], closed["duplicate_count"]) == ("partial", 4, 2)
    joined = """SELECT j.status, j.is_duplicate, j.duplicate_of, e.title, e.content, e.description, e.domain, e.flashpoint_id
        FROM feed_entry_jobs j JOIN feed_entries e ON e.id = j.feed_entry_id"""
    rows = {row["title"]: row for row in ask(engine, joined)}
    assert {title: row["status"] for title, row in rows.items()} == {
        "A title": "deduped", "Again": "skipped_duplicate", "Listed-Twice": "skipped_duplicate", "Waiting": "queued",
    }  # fmt: skip
    again, waiting = rows["Again"], rows["Waiting"]
    assert (bool(again["is_duplicate"]), str(again["duplicate_of"])) == (True, ENTRY)
    assert again["content"] == "The text of good."
    assert (waiting["content"], waiting["description"], waiting["domain"]) == (
        None, "A tanker waits.", "wire.example",
    )  # fmt: skip
    assert {str(row["flashpoint_id"]) for row in rows.values()} == {STRAIT}
    jobs = ask(engine, "SELECT id, feed_entry_id FROM feed_entry_jobs")
    assert len({row["id"] for row in jobs}) == len({row["feed_entry_id"] for row in jobs}) == 4
    assert ENTRY in {str(row["feed_entry_id"]) for row in jobs}
    numbers = {row["id"] for row in jobs}
    waiting_document = world.lead("waiting").document
    assert {key_number(accepted.id), key_number(waiting_document)} <= numbers


def test_g4_entries_that_repeat_an_address_have_ids_of_their_own_and_name_the_id_of_the_original(
    world: World, engine: Engine
):
    """Also while the original waits, when it is set aside, and when its own id is no UUID."""
    waiting = world.lead("waiting", hints={"guid": ENTRY})
    (numbered,) = world.drafts("numbered", hints={"guid": "4711"})
    (aside,) = world.drafts("aside")
    keep(world, numbered)
    world.refine(ended_result(aside, State.ASIDE, "low_quality"))
    world.poll(
        waiting,
        world.lead("waiting-again", url=waiting.lead.url, hints={"guid": ENTRY}),
        world.lead("numbered-again", url=numbered.lead.lead.url, hints={"guid": OTHER_ENTRY}),
        world.lead("numbered-once-more", url=numbered.lead.lead.url, hints={"guid": OTHER_ENTRY}),
        world.lead("aside-again", url=aside.lead.lead.url),
    )
    rows = ask(engine, "SELECT j.feed_entry_id, j.duplicate_of, e.url, e.content FROM feed_entry_jobs j "
               "JOIN feed_entries e ON e.id = j.feed_entry_id")  # fmt: skip
    assert len(rows) == len({row["feed_entry_id"] for row in rows}) == 7
    originals = {row["url"]: row["feed_entry_id"] for row in rows if row["duplicate_of"] is None}
    repeats = [row for row in rows if row["duplicate_of"] is not None]
    assert str(originals[waiting.lead.url]) == ENTRY
    assert [row["duplicate_of"] for row in repeats] == [originals[row["url"]] for row in repeats]
    assert sorted(str(row["content"]) for row in repeats) == ["None", "None", *["The text of numbered."] * 2]


def test_g3_entries_with_one_uuid_and_different_addresses_have_ids_of_their_own(world: World, engine: Engine):
    """The first of them has the UUID, in every view, before and after it has a document."""
    first, *others = (
        world.lead(path, hints={"guid": guid})
        for path, guid in (("first", ENTRY), ("second", ENTRY.upper()), ("third", ENTRY))
    )
    world.poll(first)
    world.now += HOUR
    world.poll(*others)
    queries = ("SELECT id, url FROM feed_entries", "SELECT feed_entry_id, id FROM feed_entry_jobs")
    before = [read_tuples(engine, query) for query in queries]
    assert dict(before[0])[ENTRY] == first.lead.url
    assert [len(dict(rows)) for rows in before] == [3, 3]
    world.fetch(first, *others)
    drafts = world.claim(Task.REFINE)
    for draft in drafts:
        keep(world, draft)
    gather(world, drafts)
    assert sorted(map(sorted, before)) == sorted(sorted(read_tuples(engine, query)) for query in queries)
    ids = {row[0] for row in before[0]}
    for view in ("cluster_members", "feed_entry_topics"):
        assert {row[0] for row in read_tuples(engine, f"SELECT feed_entry_id FROM {view}")} == ids


def test_g4_an_entry_that_could_not_be_fetched_has_failed(world: World, engine: Engine):
    lead = world.lead("gone")
    world.poll(lead)
    world.claim(Task.FETCH, keys=(lead.id,))
    why = Quarantine(reason="http_404")
    world.store.finish_fetch([FetchResult(lead=lead.id, version="v1", result=why)], scenes.ME, world.now)
    assert read_tuples(engine, "SELECT status, failure_reason FROM feed_entry_jobs") == [
        ("failed", "http_error")
    ]


def test_g4_an_entry_without_its_page_goes_on_and_says_why(world: World, engine: Engine):
    """It is made of what its source provided; a page that could be read in part, or was not wanted, has no failure."""
    drafts = dict(
        zip(
            ("missing", "walled", "read", "poor"),
            world.drafts("missing", "walled", "read", "poor"),
            strict=True,
        )
    )
    refetched = drafts["missing"].lead.id
    with engine.begin() as connection:
        connection.execute(leads.update().where(leads.c.id == refetched).values(page_reason="http_404"))
    keep(world, drafts["missing"], page=PageState.MISSING)
    keep(world, drafts["walled"], page=PageState.SCRIPT_ONLY)
    keep(world, drafts["read"], page=PageState.READ)
    world.refine(ended_result(drafts["poor"], State.ASIDE, "low_quality"))
    query = "SELECT status, failure_reason, last_error FROM feed_entry_jobs ORDER BY failure_reason"
    assert set(read_tuples(engine, query)) == {
        ("deduped", "http_error", "http_404"),
        ("deduped", "js_required", "script_only"),
        ("deduped", "None", "None"),
        ("failed", "no_text", "low_quality"),
    }


def test_g3_g12_stories_are_clusters_with_score_topic_and_an_id_that_lasts(world: World, engine: Engine):
    (draft,) = world.drafts("a")
    keep(world, draft)
    gather(world, [draft])
    (cluster,) = ask(engine, "SELECT * FROM news_clusters")
    assert (cluster["cluster_id"], cluster["article_count"], cluster["hotspot_score"]) == (1, 1, 0.61)
    assert (str(cluster["flashpoint_id"]), cluster["topic"]) == (STRAIT, "conflict, war and peace")
    assert cluster["summary"] == "It was seized."
    assert cluster["is_top_hotspot"]
    join = """SELECT c.story_id, round(CAST(m.similarity AS NUMERIC), 1) FROM news_clusters c
        JOIN cluster_members m ON m.cluster_uuid = c.cluster_uuid JOIN feed_entries e ON e.id = m.feed_entry_id
        JOIN feed_entry_topics t ON t.feed_entry_id = e.id WHERE t.iptc_path = '16000000'"""
    assert read_tuples(engine, join) == [("ab" * 12, "0.9")]


def test_g3_flashpoints_are_read_by_name(engine: Engine):
    MentionStore(engine).declare(
        RECIPE, [Subject(id=STRAIT, name="Strait", kind="flashpoint", attributes={"description": "Narrow"})]
    )
    assert read_tuples(engine, "SELECT id, title, description FROM flash_point") == [
        (STRAIT, "Strait", "Narrow")
    ]


def test_g1_g22_one_run_at_a_time_and_dead_runs_are_abandoned(world: World, engine: Engine):
    runs = PipelineRuns(engine)
    assert runs.begin("run_a", RECIPE, RUN_OPTIONS, START)
    assert not runs.begin("run_b", RECIPE, RUN_OPTIONS, START + HOUR)
    assert runs.begin("run_c", RECIPE, RUN_OPTIONS, START + 3 * HOUR)
    world.now = START + 3 * HOUR + timedelta(minutes=1)
    (draft,) = world.drafts("x")
    keep(world, draft)
    closed = runs.finish("run_c", START + 4 * HOUR)
    assert (closed["status"], closed["total_count"], closed["processed_count"]) == ("completed", 1, 1)
    rows = read_tuples(engine, "SELECT run_id, status, processed_entries FROM processing_runs ORDER BY id")
    assert rows == [("run_a", "failed", "0"), ("run_c", "completed", "1")]
    assert [run["id"] for run in runs.list_runs(RECIPE, RUN_OPTIONS)] == ["run_c", "run_a"]
    assert runs.list_runs(RECIPE, RUN_OPTIONS | {"tier": "C"}) == []


def test_g3_every_view_can_be_read_when_there_is_nothing(engine: Engine):
    assert [ask(engine, f"SELECT * FROM {name}") for name in NAMES] == [[]] * len(NAMES)
