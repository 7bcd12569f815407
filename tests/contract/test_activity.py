"""What the operator's overview counts from rows: work per stage, lag, model cost; and that nothing was lost or stored twice."""

from datetime import timedelta

from sqlalchemy import delete, insert, update
from tests.support.scene import RECIPE, START, Scene, ended_result

from headwater.model.jobs import State
from headwater.store.reads.activity import INTERVALS, percentiles, recipe_activity
from headwater.store.reads.integrity import check_integrity
from headwater.store.schema.flow import documents, leads, sources
from headwater.store.schema.summaries import summary_requests
from headwater.store.summaries.sql_summaries import SqlSummaryStore

NOW = START + timedelta(minutes=10)


def test_every_stage_reports_what_it_finished_and_what_waits(scene: Scene):
    scene.keep("strike", "talks", published=START - timedelta(hours=2))
    added = update(sources).values(created_at=START - timedelta(hours=3))
    with scene.store.engine.begin() as connection:
        connection.execute(added)
    scene.now = START + timedelta(minutes=6)
    scene.poll(scene.lead("rain"))
    activity = recipe_activity(scene.store.engine, RECIPE, NOW)
    stages = {stage.task: stage for stage in activity.stages}
    assert list(stages) == ["poll", "fetch", "refine", "gather", "deliver"]
    assert [stages[task].finished for task in stages] == [2, 2, 2, 0, 0]
    assert len(stages["poll"].per_interval) == INTERVALS
    assert stages["poll"].per_interval[-3:] == (0, 1, 1)
    assert (stages["fetch"].due, stages["fetch"].oldest_seconds) == (1, 240.0)
    assert activity.lag_seconds == (7200.0, 7200.0)
    assert (activity.poll_errors, activity.quarantined, activity.open_alarms) == (0, 0, 0)
    with scene.store.engine.begin() as connection:
        connection.execute(added.values(created_at=START))
    # What was published before its source was added says nothing about us.
    assert recipe_activity(scene.store.engine, RECIPE, NOW).lag_seconds is None


def test_percentiles_of_few_samples():
    assert percentiles([]) is None
    assert percentiles([3.0]) == (3.0, 3.0)
    assert percentiles([float(n) for n in range(100)]) == (50.0, 95.0)


def test_a_healthy_flow_has_lost_and_duplicated_nothing(scene: Scene):
    scene.keep("strike", routes=("files",))
    (draft,) = scene.drafts("talks")
    scene.refine(ended_result(draft, State.DROPPED, "too_short"))
    scene.poll(scene.lead("rain"))
    integrity = check_integrity(scene.store.engine, RECIPE)
    assert (integrity.lost_count, integrity.duplicated_count) == (0, 0)


def test_lost_items_are_counted(scene: Scene):
    scene.keep("strike")
    (draft,) = scene.drafts("talks")
    with scene.store.engine.begin() as connection:
        connection.execute(update(documents).where(documents.c.id == draft.id).values(due_at=None))
        connection.execute(delete(documents).where(documents.c.id != draft.id))
        connection.execute(update(leads).where(leads.c.id == draft.lead.id).values(identity="strike"))
    integrity = check_integrity(scene.store.engine, RECIPE)
    assert integrity.lost["documents_never_due"] == 1
    assert integrity.lost["leads_without_document"] == 1
    assert integrity.lost_count == 2
    assert integrity.duplicated == {"leads": 1, "documents": 0, "deliveries": 0}


def test_the_cost_of_models_is_summed_by_day_and_model(scene: Scene):
    def request(number: int, model: str, state: str, cost: float) -> dict[str, object]:
        return {
            "id": str(number), "recipe": RECIPE, "story_id": "5" * 40, "content": "c", "level": "plain", "model": model,
            "state": state, "cost": cost, "created_at": START, "asked_at": START + timedelta(days=number // 2),
        }  # fmt: skip

    rows = [
        request(0, "small", "done", 0.25),
        request(1, "small", "failed", 0.5),
        request(2, "large", "done", 1),
    ]
    with scene.store.engine.begin() as connection:
        connection.execute(insert(summary_requests), rows)
    days = SqlSummaryStore(scene.store.engine).cost_by_day(START - timedelta(days=1))
    assert [(row["day"], row["model"], row["requests"], row["answers"], row["cost"]) for row in days] == [
        ("2026-11-14", "large", 1, 1, 1.0),
        ("2026-11-13", "small", 2, 1, 0.75),
    ]
