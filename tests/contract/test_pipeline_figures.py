"""What the health rules of a pipeline are held against, on both databases."""

import tests.support.scene as scenes
from sqlalchemy import Engine
from tests.support.scene import HOUR, RECIPE, START, Scene, ended_result, make_source

from headwater.model.alarm import PipelineFigures
from headwater.model.jobs import FetchResult, GatherResult, Postponement, Quarantine, State, Task
from headwater.model.page import PageState
from headwater.model.story import Member, Story
from headwater.ops.alarms.pipeline_rules import pipeline_problems
from headwater.store.changes.pipeline_runs import PipelineRuns
from headwater.store.reads.pipeline_figures import last_seen, pipeline_figures
from headwater.store.reads.run_counts import waiting_reasons


def test_g25_figures_are_those_of_the_newest_run(scene: Scene, engine: Engine):
    assert pipeline_figures(engine, RECIPE, START) == PipelineFigures()
    PipelineRuns(engine).begin("run", RECIPE, {}, START - HOUR)
    (kept_draft,) = scene.keep("good", group="g")
    (walled,) = scene.drafts("walled")
    scene.refine(ended_result(walled, State.DROPPED, "paywall"))
    (group_batch,) = scene.claim(Task.GATHER)
    story = Story(id="s", recipe=RECIPE, group=group_batch.id, title="S", members=(Member(kept_draft.id),))
    scene.store.finish_gather(
        [GatherResult(group=group_batch.id, version=group_batch.version, stories=(story,))],
        scenes.ME,
        scene.now,
    )
    held_up = scene.lead("held-up")
    scene.poll(held_up)
    scene.claim(Task.FETCH, keys=(held_up.id,))
    later = Postponement(at=START + HOUR, reason="breaker_open", counts=False)
    scene.store.finish_fetch([FetchResult(lead=held_up.id, version="v1", result=later)], scenes.ME, scene.now)
    figures = pipeline_figures(engine, RECIPE, START)
    assert (figures.duration, figures.read, figures.unreadable) == (HOUR, 2, 1)
    assert (figures.stories, figures.single, len(figures.open_breakers)) == (1, 1, 1)
    closed = PipelineRuns(engine).finish("run", START)
    assert (closed["status"], closed["failed_count"]) == ("partial", 1)
    after = pipeline_figures(engine, RECIPE, START + 5 * HOUR)
    assert (after.duration / HOUR, after.entries, after.failed) == (0, 3, 1)


def test_g25_a_run_of_workers_that_never_end_is_never_slow(engine: Engine):
    runs, later = PipelineRuns(engine), START + 5 * HOUR
    runs.begin("run", RECIPE, {}, START, is_continuous=True)
    assert pipeline_problems(pipeline_figures(engine, RECIPE, later)) == []
    runs.finish("run", START)
    runs.begin("run with an end", RECIPE, {}, START)
    kinds = [problem.kind for problem in pipeline_problems(pipeline_figures(engine, RECIPE, later))]
    assert kinds == ["slow_run_critical"]


def test_g25_hosts_that_are_not_fetched_raise_an_alarm_and_the_run_says_what_waits(
    scene: Scene, engine: Engine
):
    runs = PipelineRuns(engine)
    runs.begin("run", RECIPE, {}, START)
    for number in range(7):
        page = scene.lead(f"page-{number}", url=f"https://host-{number}.example/a")
        scene.poll(page)
        scene.claim(Task.FETCH, keys=(page.id,))
        later = Postponement(at=START + HOUR, reason="breaker_open", counts=False)
        scene.store.finish_fetch(
            [FetchResult(lead=page.id, version="v1", result=later)], scenes.ME, scene.now
        )
    closed = runs.finish("run", START + HOUR)
    assert (closed["status"], closed["total_count"], closed["metrics"]["waiting"]) == (
        "partial",
        7,
        {"breaker_open": 7},
    )
    (problem,) = pipeline_problems(pipeline_figures(engine, RECIPE, START + HOUR))
    assert problem.kind == "breakers"
    assert problem.detail.startswith("host-0.example, host-1.example, ")
    assert waiting_reasons(engine, RECIPE) == [{"reason": "breaker_open", "count": 7, "next": START + HOUR}]


def test_g1_a_run_is_partial_as_long_as_entries_wait_whenever_they_came_in(scene: Scene, engine: Engine):
    runs = PipelineRuns(engine)
    runs.begin("poll", RECIPE, {}, START)
    tried, untried = scene.lead("tried"), scene.lead("untried")
    scene.poll(tried, untried)
    polled = runs.finish("poll", START)
    assert (polled["status"], polled["total_count"], polled["metrics"]["waiting"]) == (
        "partial",
        2,
        {"queued": 2},
    )
    scene.claim(Task.FETCH, keys=(tried.id,))
    later = Postponement(at=START + HOUR, reason="refused")
    scene.store.finish_fetch([FetchResult(lead=tried.id, version="v1", result=later)], scenes.ME, scene.now)
    runs.begin("later", RECIPE, {}, START + HOUR)
    closed = runs.finish("later", START + HOUR)
    assert closed["metrics"]["waiting"] == {"queued": 1, "refused": 1}
    assert (closed["status"], closed["total_count"]) == ("partial", 2)


def test_g25_a_page_that_could_not_be_read_counts_whatever_its_source_provided(scene: Scene, engine: Engine):
    PipelineRuns(engine).begin("run", RECIPE, {}, START - HOUR)
    scene.keep("read", page=PageState.READ)
    scene.keep("missing", page=PageState.MISSING)
    scene.keep("unwanted", page=PageState.NOT_FETCHED)
    gone = scene.lead("gone")
    scene.poll(gone)
    scene.claim(Task.FETCH, keys=(gone.id,))
    scene.store.finish_fetch(
        [FetchResult(lead=gone.id, version="v1", result=Quarantine(reason="refused"))], scenes.ME, scene.now
    )
    figures = pipeline_figures(engine, RECIPE, START)
    assert (figures.read, figures.unreadable) == (4, 2)
    runs = PipelineRuns(engine)
    runs.finish("run", START)
    runs.begin("nothing new", RECIPE, {}, START + HOUR)
    runs.finish("nothing new", START + HOUR)
    after = pipeline_figures(engine, RECIPE, START + 2 * HOUR)
    assert (after.read, after.unreadable) == (4, 2)


def test_g17_the_last_entry_of_each_subject_is_known(scene: Scene, engine: Engine):
    scene.poll(
        scene.lead("a", source=make_source("Own", subject="one")), source=make_source("Own", subject="one")
    )
    scene.now = START + HOUR
    scene.poll(scene.lead("b", subject="two"))
    assert last_seen(engine, RECIPE) == {"one": START, "two": START + HOUR}
