"""Stored captures read again with changed code, over the demo internet: reported first, replaced when chosen."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update
from tests.support.recipe_run import RECIPE, RecipeRun, recipe_run

from headwater.documents.cleaning.normalise import normalise
from headwater.engine.context import JobContext, RetryPolicy
from headwater.engine.engine import Engine
from headwater.model.jobs import Job, State, Task
from headwater.model.outcomes import ExtractHints, Reading, Unreadable
from headwater.model.recipe import Extract, Recipe
from headwater.model.replay import ReplayState, ReplayVerdict
from headwater.runtime.worker_loop import run_round
from headwater.store.admin.replays import Replays
from headwater.store.claims import replay as replaying
from headwater.store.connect import write_transaction
from headwater.store.schema.flow import documents, leads, revisions
from headwater.store.schema.replays import replay_items
from headwater.store.tables import metadata
from headwater_demo.internet import Internet, running

TELLING = [ReplayVerdict.BETTER, ReplayVerdict.WORSE, ReplayVerdict.CHANGED, ReplayVerdict.FAILED]
LONG_AGO = timedelta(days=1)
CONTENT = ("state", "reason", "title", "text", "authors", "published_at", "language", "description", "image")
ADDED = "A closing line that the old code left out, with words enough to count for something."


@pytest.fixture(scope="module")
def internet() -> Iterator[Internet]:
    with running(size="small") as made:
        yield made


@pytest.fixture
def lab(internet: Internet, tmp_path: Path) -> Iterator[RecipeRun]:
    with recipe_run(tmp_path, internet) as made:
        yield made


def _plain(recipe: Recipe) -> Recipe:
    """Each document by itself, so that two runs say the same whatever the order."""
    return replace(recipe, steps=(normalise,))


def _reading_anew(change: Callable[[Reading], Reading | Unreadable]) -> Callable[[Recipe], Recipe]:
    """The recipe with another extraction."""

    def after(extract: Extract) -> Extract:
        def read(data: bytes, hints: ExtractHints) -> Reading | Unreadable:
            found = extract(data, hints)
            return change(found) if isinstance(found, Reading) else found

        return read

    return lambda recipe: replace(
        recipe, extract={kind: after(extract) for kind, extract in recipe.extract.items()}
    )


def _longer(reading: Reading) -> Reading | Unreadable:
    """Better for most; without a description where it was long; one kind of page is read no more."""
    if len(reading.text) % 7 == 0:
        return Unreadable("paywall")
    shorter = {"description": ""} if len(reading.description) > 60 else {}
    return replace(
        reading, text=f"{reading.text}\n\n{ADDED}", image="https://wire.example/new.png", **shorter
    )


def _with(lab: RecipeRun, adapt: Callable[[Recipe], Recipe], **told: Any) -> JobContext:
    return replace(lab.context, recipes={RECIPE: adapt(lab.recipe)}, **told)


def _start(lab: RecipeRun) -> tuple[Replays, str]:
    rows = Replays(lab.app.store.engine)
    return rows, rows.start(RECIPE, lab.clock() - LONG_AGO, lab.clock(), lab.clock())


def _read_again(lab: RecipeRun, context: JobContext) -> tuple[Replays, str]:
    rows, name = _start(lab)
    _finish(context)
    assert rows.get(name)["state"] == ReplayState.REPORTED
    return rows, name


def _finish(context: JobContext) -> None:
    while Engine(context).run(Job(RECIPE, Task.REPLAY)):
        pass


def _everything(lab: RecipeRun) -> dict[str, list[str]]:
    """Every row of every table but those of replays."""
    own = {"replays", "replay_items", "maintenance_tasks"}
    return {
        name: sorted(map(repr, lab.rows(table))) for name, table in metadata.tables.items() if name not in own
    }


def _report(rows: Replays, name: str, verdicts: Sequence[ReplayVerdict] = TELLING) -> list[tuple[Any, ...]]:
    return [
        (row["document_id"], row["verdict"], row["reason"], row["differences"])
        for row in rows.report(name, verdicts)
    ]


def _contents(lab: RecipeRun) -> dict[str, tuple[Any, ...]]:
    return {row["id"]: tuple(row[name] for name in CONTENT) for row in lab.rows(documents)}


def test_the_same_code_finds_everything_the_same_copies_and_all(lab: RecipeRun):
    lab.run()
    states = Counter(row["state"] for row in lab.rows(documents))
    assert states[State.KEPT] > 10
    assert states[State.DUPLICATE] > 0
    rows, name = _read_again(lab, replace(lab.context, retry_policy=RetryPolicy(batch=7)))
    assert _report(rows, name) == []
    told = rows.get(name)
    assert (told["same"], told["listed"]) == (len(lab.rows(documents)),) * 2


def test_before_it_is_applied_nothing_is_replaced_and_nothing_is_fetched(lab: RecipeRun, internet: Internet):
    lab.run()
    before, asked = _everything(lab), len(internet.log())
    rows, name = _read_again(lab, _with(lab, _reading_anew(_longer)))
    told = rows.get(name)
    assert told["better"] > 5
    assert told["worse"] > 0
    assert told["fields"]["image"]["better"] > 5
    assert _everything(lab) == before
    assert len(internet.log()) == asked


def test_the_report_names_fields_before_and_after(lab: RecipeRun):
    lab.run()
    rows, name = _read_again(lab, _with(lab, _reading_anew(_longer)))
    lost = [row for row in rows.report(name, [ReplayVerdict.WORSE]) if row["after"] == State.DROPPED]
    assert lost
    assert lost[0]["differences"][0] == {
        "field": "state", "before": "kept", "after": "dropped: paywall", "direction": -1,
    }  # fmt: skip
    better = next(row for row in rows.report(name, [ReplayVerdict.BETTER]) if row["before"] == State.KEPT)
    named = {difference["field"]: difference for difference in better["differences"]}
    assert {"text", "image"} <= named.keys()
    assert ADDED[:20] in named["text"]["after"]


def test_applied_it_gives_what_a_fresh_run_with_the_new_code_gives(internet: Internet, tmp_path: Path):
    (tmp_path / "old").mkdir()
    (tmp_path / "new").mkdir()
    improved = _reading_anew(lambda reading: replace(reading, text=f"{reading.text}\n\n{ADDED}", image="x"))
    with (
        recipe_run(tmp_path / "old", internet, adapt=_plain) as old,
        recipe_run(tmp_path / "new", internet, adapt=lambda recipe: improved(_plain(recipe))) as new,
    ):
        old.run()
        new.run()
        asked = len(internet.log())
        context = _with(old, improved)
        rows, name = _read_again(old, context)
        assert _contents(old) != _contents(new)
        rows.apply(name, [ReplayVerdict.BETTER, ReplayVerdict.CHANGED], old.clock())
        old.__dict__["context"] = context
        old.run()
        assert _contents(old) == _contents(new)
        told = rows.get(name)
        assert told["state"] == ReplayState.APPLIED
        assert told["replaced"] == told["better"] + told["changed"] > 30
        revised = [row for row in old.rows(documents) if row["revision"] == 2]
        assert len(revised) == told["replaced"] == len(old.rows(revisions))
        assert all(row["trail"][0]["step"] == "extract" for row in revised)
        assert old.delivered() == new.delivered()
        assert len(internet.log()) == asked, "nothing is fetched again"
        assert {row["render"] for row in old.rows(leads)} == {False}


def test_a_pause_holds_everything_and_the_report_is_the_same_after_it(
    lab: RecipeRun, monkeypatch: pytest.MonkeyPatch
):
    lab.run()
    monkeypatch.setattr(replaying, "LISTED_AT_ONCE", 10)
    context = _with(lab, _reading_anew(_longer), retry_policy=RetryPolicy(batch=3))
    rows, whole = _read_again(lab, context)
    rows, name = _start(lab)
    for _ in range(4):
        Engine(context).run(Job(RECIPE, Task.REPLAY))
    rows.pause(name, lab.clock())
    seen = rows.get(name)
    assert 0 < seen["compared"] < rows.get(whole)["compared"]
    assert Engine(context).run(Job(RECIPE, Task.REPLAY)) == 0
    lab.run()  # a run that ends when idle is not held up
    assert rows.get(name)["compared"] == seen["compared"]
    rows.resume(name, lab.clock())
    _finish(context)
    assert sorted(map(repr, _report(rows, name))) == sorted(map(repr, _report(rows, whole)))


def test_a_record_that_fails_or_kills_is_reported_as_failed_and_stops_no_other(lab: RecipeRun):
    lab.run()

    def trip(reading: Reading) -> Reading:
        if len(reading.text) % 5 == 0:
            raise ValueError("no such page")
        return reading

    rows, name = _start(lab)
    lab.app.store.advance_replay(RECIPE, lab.clock())
    deadly = lab.rows(replay_items)[0]["id"]
    with write_transaction(lab.app.store.engine) as connection:
        connection.execute(update(replay_items).where(replay_items.c.id == deadly).values(attempts=9))
    _finish(_with(lab, _reading_anew(trip), retry_policy=RetryPolicy(batch=16)))
    told = rows.get(name)
    assert told["state"] == ReplayState.REPORTED
    assert told["compared"] == told["listed"] == len(lab.rows(documents))
    failed = Counter(row["reason"] for row in rows.report(name, [ReplayVerdict.FAILED]))
    # What ended in quarantine for it would be judged worse; what fails outright is told as such.
    assert failed["worker_died"] == 1
    assert failed["error:ValueError"] > 0
    assert told["failed"] == sum(failed.values())


def test_what_failed_before_and_fails_in_the_same_way_is_the_same(lab: RecipeRun):
    def trip(reading: Reading) -> Reading:
        raise ValueError("no such page")

    lab.__dict__["context"] = _with(lab, _reading_anew(trip))
    lab.run()
    assert {row["state"] for row in lab.rows(documents)} == {State.QUARANTINED}
    rows, name = _read_again(lab, lab.context)
    assert rows.get(name)["same"] == len(lab.rows(documents))


def test_bytes_that_are_gone_are_told_as_such(lab: RecipeRun, monkeypatch: pytest.MonkeyPatch):
    lab.run()
    context = lab.context
    monkeypatch.setattr(type(context.archive), "get", lambda *_: {})
    rows, name = _read_again(lab, context)
    fetched = [row for row in lab.rows(leads) if row["body"] is None and row["capture_id"]]
    failed = Counter(row["reason"] for row in rows.report(name, [ReplayVerdict.FAILED]))
    assert failed["capture_damaged"] > 0
    assert failed["capture_damaged"] <= len(fetched)


def test_beside_live_ingestion_everything_new_comes_in_and_what_moved_on_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(replaying, "LISTED_AT_ONCE", 10)
    with running(size="small") as internet, recipe_run(tmp_path, internet, adapt=_plain) as lab:
        lab.run()
        known = len(lab.rows(documents))
        rows, name = _start(lab)
        Engine(lab.context).run(Job(RECIPE, Task.REPLAY))
        made = internet.publish("hashfield.example", title="Something happened just now")
        lab.poll_again()
        assert made["title"] in {row["title"] for row in lab.rows(documents)}
        assert len(lab.rows(documents)) > known
        assert rows.get(name)["state"] == ReplayState.REPORTED, "an idle desk does it by the way"
        assert rows.get(name)["same"] == known
        moved = next(row for row in lab.rows(documents) if row["title"] != made["title"])
        with write_transaction(lab.app.store.engine) as connection:
            connection.execute(update(replay_items).values(verdict=ReplayVerdict.CHANGED))
            connection.execute(update(documents).where(documents.c.id == moved["id"]).values(revision=5))
        rows.apply(name, [ReplayVerdict.CHANGED], lab.clock())
        lab.run()
        told = rows.get(name)
        assert (told["replaced"], told["moved_on"]) == (known - 1, 1)


@pytest.mark.parametrize(
    ("busy", "done"),
    [
        (Task.REFINE, ["refine", "gather", "deliver"]),
        (Task.DELIVER, ["refine", "gather", "deliver"]),
        (None, ["refine", "gather", "deliver", "replay"]),
    ],
)
def test_a_desk_replays_only_when_nothing_else_was_to_be_done(
    lab: RecipeRun, busy: Task | None, done: list[str]
):
    seen: list[str] = []

    def work(context: JobContext, job: Job) -> int:
        seen.append(job.task.value)
        return int(job.task is busy)

    engine = Engine(lab.context, {task: work for task in Task if task not in {Task.POLL, Task.FETCH}})
    assert run_round(engine, [RECIPE]) == int(busy is not None)
    assert seen == done
