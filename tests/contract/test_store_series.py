"""Bars and observations in rows, on both databases."""

from dataclasses import replace
from datetime import timedelta

from sqlalchemy import select
from tests.support.scene import ME, RECIPE, START, Scene

from headwater.model.jobs import PollResult, Task
from headwater.model.source import Bar, Observation
from headwater.store.connect import read_transaction
from headwater.store.schema.flow import polls
from headwater.store.schema.knowledge import bars, observations

BAR = Bar(
    symbol="NGSC", span="1day", at=START, open=1.0, high=2.0, low=0.5, close=1.5, volume=10.25, trades=3
)
SEEN = Observation(kind="position", name="NGSC", at=START, value={"qty": "12"})


def rows(scene: Scene, table):
    with read_transaction(scene.store.engine) as connection:
        return [dict(row) for row in connection.execute(select(table)).mappings()]


def tell(scene: Scene, *told, seen=()):
    scene.store.register([scene.source], scene.now)
    with scene._awake(scene.source):
        (source_lease,) = scene.claim(Task.POLL)
    result = PollResult(
        source=scene.source.id, run=source_lease.run, bars=told, observations=seen, due_at=None
    )
    return scene.store.finish_poll([result], ME, scene.now)


def test_r16_prices_have_a_table_of_their_own_and_no_document(scene: Scene):
    assert tell(scene, BAR, replace(BAR, symbol="ABCM")) == 2
    stored = {row["symbol"]: row for row in rows(scene, bars)}
    assert stored["NGSC"]["close"] == 1.5
    assert stored["NGSC"]["at"] == START
    assert stored["ABCM"]["recipe"] == RECIPE
    assert scene.store.next_due(RECIPE) == {}


def test_r61_the_run_counts_reported_and_new_figures(scene: Scene):
    tell(scene, BAR)
    scene.now += timedelta(minutes=5)
    tell(scene, BAR, replace(BAR, symbol="ABCM"), seen=(SEEN,))
    counted = sorted((run["found_count"], run["new_count"], run["status"]) for run in rows(scene, polls))
    assert counted == [(1, 1, "completed"), (3, 2, "completed")]


def test_prices_that_are_reported_again_take_the_new_figures(scene: Scene):
    tell(scene, BAR)
    scene.now += timedelta(minutes=5)
    assert tell(scene, replace(BAR, close=1.75, trades=4)) == 0
    (row,) = rows(scene, bars)
    assert (row["close"], row["trades"], row["open"]) == (1.75, 4, 1.0)


def test_5_10_observations_keep_their_moment_and_stay_unchanged_when_reported_again(scene: Scene):
    assert tell(scene, seen=(SEEN,)) == 1
    scene.now += timedelta(minutes=5)
    later = replace(SEEN, at=scene.now, value={"qty": "13"})
    assert tell(scene, seen=(replace(SEEN, value={"qty": "0"}), later)) == 1
    assert [row["value"]["qty"] for row in sorted(rows(scene, observations), key=lambda row: row["at"])] == [
        "12",
        "13",
    ]


def test_results_of_a_lost_lease_are_ignored(scene: Scene):
    scene.store.register([scene.source], scene.now)
    (source_lease,) = scene.claim(Task.POLL)
    stranger = PollResult(source=scene.source.id, run=source_lease.run, bars=(BAR,), due_at=None)
    assert scene.store.finish_poll([stranger], "another", scene.now) == 0
    assert rows(scene, bars) == []
