"""Prices and observations in rows, on both databases."""

from dataclasses import replace
from datetime import timedelta

from sqlalchemy import select
from tests.support.scene import ME, RECIPE, START, Scene

from headwater.model.jobs import PollResult, Task
from headwater.model.source import Bar, Observation
from headwater.store.connect import read_transaction
from headwater.store.schema.flow import polls
from headwater.store.schema.knowledge import bars, observations

PRICE = Bar(
    symbol="NGSC", span="1day", at=START, open=1.0, high=2.0, low=0.5, close=1.5, volume=10.25, trades=3
)
POSITION = Observation(kind="position", name="NGSC", at=START, value={"qty": "12"})


def rows(scene: Scene, table):
    with read_transaction(scene.store.engine) as connection:
        return [dict(row) for row in connection.execute(select(table)).mappings()]


def poll(scene: Scene, *bars_reported, observed=()):
    scene.store.register([scene.source], scene.now)
    with scene._awake(scene.source):
        (source_lease,) = scene.claim(Task.POLL)
    result = PollResult(
        source=scene.source.id,
        poll_id=source_lease.poll_id,
        bars=bars_reported,
        observations=observed,
        due_at=None,
    )
    return scene.store.finish_poll([result], ME, scene.now)


def test_r16_prices_have_a_table_of_their_own_and_no_document(scene: Scene):
    assert poll(scene, PRICE, replace(PRICE, symbol="ABCM")) == 2
    stored = {row["symbol"]: row for row in rows(scene, bars)}
    assert stored["NGSC"]["close"] == 1.5
    assert stored["NGSC"]["at"] == START
    assert stored["ABCM"]["recipe"] == RECIPE
    assert scene.store.next_due(RECIPE) == {}


def test_r61_the_run_counts_reported_and_new_figures(scene: Scene):
    poll(scene, PRICE)
    scene.now += timedelta(minutes=5)
    poll(scene, PRICE, replace(PRICE, symbol="ABCM"), observed=(POSITION,))
    counts = sorted((run["item_count"], run["new_count"], run["status"]) for run in rows(scene, polls))
    assert counts == [(1, 1, "completed"), (3, 2, "completed")]


def test_prices_that_are_reported_again_take_the_new_figures(scene: Scene):
    poll(scene, PRICE)
    scene.now += timedelta(minutes=5)
    assert poll(scene, replace(PRICE, close=1.75, trades=4)) == 0
    (row,) = rows(scene, bars)
    assert (row["close"], row["trades"], row["open"]) == (1.75, 4, 1.0)


def test_5_10_observations_keep_their_moment_and_stay_unchanged_when_reported_again(scene: Scene):
    assert poll(scene, observed=(POSITION,)) == 1
    scene.now += timedelta(minutes=5)
    later = replace(POSITION, at=scene.now, value={"qty": "13"})
    assert poll(scene, observed=(replace(POSITION, value={"qty": "0"}), later)) == 1
    assert [row["value"]["qty"] for row in sorted(rows(scene, observations), key=lambda row: row["at"])] == [
        "12",
        "13",
    ]


def test_results_of_a_lost_lease_are_ignored(scene: Scene):
    scene.store.register([scene.source], scene.now)
    (source_lease,) = scene.claim(Task.POLL)
    late_result = PollResult(source=scene.source.id, poll_id=source_lease.poll_id, bars=(PRICE,), due_at=None)
    assert scene.store.finish_poll([late_result], "another", scene.now) == 0
    assert rows(scene, bars) == []
