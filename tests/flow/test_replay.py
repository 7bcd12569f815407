"""Stored captures are refined again with changed code: first reported, then replaced on request."""

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
from headwater.engine.context import JobContext
from headwater.engine.engine import Engine
from headwater.engine.retry_policy import RetryPolicy
from headwater.model.jobs import Job, State, Task
from headwater.model.outcomes import Extract, ExtractHints, Reading, Unreadable
from headwater.model.recipe import Recipe
from headwater.model.replay import ReplayState, ReplayVerdict
from headwater.runtime.worker_loop import run_round
from headwater.store.changes.replays import Replays
from headwater.store.claims import replay as replaying
from headwater.store.connect import write_transaction
from headwater.store.schema.flow import documents, leads, revisions
from headwater.store.schema.replays import replay_items
from headwater.store.tables import metadata
from headwater_demo.internet import Internet, running

REPORTED_VERDICTS = [ReplayVerdict.BETTER, ReplayVerdict.WORSE, ReplayVerdict.CHANGED, ReplayVerdict.FAILED]
LONG_AGO = timedelta(days=1)
CONTENT = ("state", "reason", "title", "text", "authors", "published_at", "language", "description", "image")
ADDED = "A closing line that the old code left out, with words enough to count for something."


@pytest.fixture(scope="module")
def internet() -> Iterator[Internet]:
    with running(size="small") as demo_internet:
        yield demo_internet


@pytest.fixture
def crypto_run(internet: Internet, tmp_path: Path) -> Iterator[RecipeRun]:
    with recipe_run(tmp_path, internet) as crypto_run:
        yield crypto_run


def _plain(recipe: Recipe) -> Recipe:
    """Refines each document by itself, so that two runs agree in any order."""
    return replace(recipe, steps=(normalise,))


def _with_extraction(change: Callable[[Reading], Reading | Unreadable]) -> Callable[[Recipe], Recipe]:
    """The recipe with another extraction."""

    def after(extract: Extract) -> Extract:
        def read(data: bytes, hints: ExtractHints) -> Reading | Unreadable:
            outcome = extract(data, hints)
            return change(outcome) if isinstance(outcome, Reading) else outcome

        return read

    return lambda recipe: replace(
        recipe, extract={kind: after(extract) for kind, extract in recipe.extract.items()}, pages={}
    )


def _longer(reading: Reading) -> Reading | Unreadable:
    """Better for most pages; a long description is lost; some pages become unreadable."""
    if len(reading.text) % 7 == 0:
        return Unreadable("paywall")
    shorter = {"description": ""} if len(reading.description) > 60 else {}
    return replace(
        reading, text=f"{reading.text}\n\n{ADDED}", image="https://wire.example/new.png", **shorter
    )


def _with(crypto_run: RecipeRun, adapt: Callable[[Recipe], Recipe], **changes: Any) -> JobContext:
    return replace(crypto_run.context, recipes={RECIPE: adapt(crypto_run.recipe)}, **changes)


def _start(crypto_run: RecipeRun) -> tuple[Replays, str]:
    rows = Replays(crypto_run.app.store.engine)
    return rows, rows.start(RECIPE, crypto_run.clock() - LONG_AGO, crypto_run.clock(), crypto_run.clock())


def _read_again(crypto_run: RecipeRun, context: JobContext) -> tuple[Replays, str]:
    rows, name = _start(crypto_run)
    _finish(context)
    assert rows.get(name)["state"] == ReplayState.REPORTED
    return rows, name


def _finish(context: JobContext) -> None:
    while Engine(context).run(Job(RECIPE, Task.REPLAY)):
        pass


def _all_rows(crypto_run: RecipeRun) -> dict[str, list[str]]:
    """Every row of every table but those of replays."""
    excluded = {"replays", "replay_items", "maintenance_tasks"}
    return {
        name: sorted(map(repr, crypto_run.rows(table)))
        for name, table in metadata.tables.items()
        if name not in excluded
    }


def _report(
    rows: Replays, name: str, verdicts: Sequence[ReplayVerdict] = REPORTED_VERDICTS
) -> list[tuple[Any, ...]]:
    return [
        (row["document_id"], row["verdict"], row["reason"], row["differences"])
        for row in rows.report(name, verdicts)
    ]


def _contents(crypto_run: RecipeRun) -> dict[str, tuple[Any, ...]]:
    return {row["id"]: tuple(row[name] for name in CONTENT) for row in crypto_run.rows(documents)}


def test_the_same_code_reports_every_document_and_duplicate_as_the_same(crypto_run: RecipeRun):
    crypto_run.run()
    states = Counter(row["state"] for row in crypto_run.rows(documents))
    assert states[State.KEPT] > 10
    assert states[State.DUPLICATE] > 0
    rows, name = _read_again(crypto_run, replace(crypto_run.context, retry_policy=RetryPolicy(batch=7)))
    assert _report(rows, name) == []
    replay_row = rows.get(name)
    assert (replay_row["same"], replay_row["listed_count"]) == (len(crypto_run.rows(documents)),) * 2


def test_a_replay_that_is_not_applied_replaces_and_fetches_nothing(crypto_run: RecipeRun, internet: Internet):
    crypto_run.run()
    before, request_count = _all_rows(crypto_run), len(internet.log())
    rows, name = _read_again(crypto_run, _with(crypto_run, _with_extraction(_longer)))
    replay_row = rows.get(name)
    assert replay_row["better"] > 5
    assert replay_row["worse"] > 0
    assert replay_row["fields"]["image"]["better"] > 5
    assert _all_rows(crypto_run) == before
    assert len(internet.log()) == request_count


def test_the_report_names_fields_before_and_after(crypto_run: RecipeRun):
    crypto_run.run()
    rows, name = _read_again(crypto_run, _with(crypto_run, _with_extraction(_longer)))
    lost = [row for row in rows.report(name, [ReplayVerdict.WORSE]) if row["after"] == State.DROPPED]
    assert lost
    assert lost[0]["differences"][0] == {
        "field": "state", "before": "kept", "after": "dropped: paywall", "direction": -1,
    }  # fmt: skip
    better = next(row for row in rows.report(name, [ReplayVerdict.BETTER]) if row["before"] == State.KEPT)
    by_field = {difference["field"]: difference for difference in better["differences"]}
    assert {"text", "image"} <= by_field.keys()
    assert ADDED[:20] in by_field["text"]["after"]


def test_an_applied_replay_equals_a_fresh_run_with_the_new_code(internet: Internet, tmp_path: Path):
    (tmp_path / "old").mkdir()
    (tmp_path / "new").mkdir()
    improved = _with_extraction(
        lambda reading: replace(reading, text=f"{reading.text}\n\n{ADDED}", image="x")
    )
    with (
        recipe_run(tmp_path / "old", internet, adapt=_plain) as old,
        recipe_run(tmp_path / "new", internet, adapt=lambda recipe: improved(_plain(recipe))) as new,
    ):
        old.run()
        new.run()
        request_count = len(internet.log())
        context = _with(old, improved)
        rows, name = _read_again(old, context)
        assert _contents(old) != _contents(new)
        rows.apply(name, [ReplayVerdict.BETTER, ReplayVerdict.CHANGED], old.clock())
        old.__dict__["context"] = context
        old.run()
        assert _contents(old) == _contents(new)
        replay_row = rows.get(name)
        assert replay_row["state"] == ReplayState.APPLIED
        assert replay_row["replaced"] == replay_row["better"] + replay_row["changed"] > 30
        revised = [row for row in old.rows(documents) if row["revision"] == 2]
        assert len(revised) == replay_row["replaced"] == len(old.rows(revisions))
        assert all(row["trail"][0]["step"] == "extract" for row in revised)
        assert old.delivered() == new.delivered()
        assert len(internet.log()) == request_count, "nothing is fetched again"
        assert {row["render"] for row in old.rows(leads)} == {False}


def test_a_paused_replay_stops_and_its_report_is_the_same_after_it_resumes(
    crypto_run: RecipeRun, monkeypatch: pytest.MonkeyPatch
):
    crypto_run.run()
    monkeypatch.setattr(replaying, "LISTED_AT_ONCE", 10)
    context = _with(crypto_run, _with_extraction(_longer), retry_policy=RetryPolicy(batch=3))
    rows, uninterrupted = _read_again(crypto_run, context)
    rows, name = _start(crypto_run)
    for _ in range(4):
        Engine(context).run(Job(RECIPE, Task.REPLAY))
    rows.pause(name, crypto_run.clock())
    paused = rows.get(name)
    assert 0 < paused["compared"] < rows.get(uninterrupted)["compared"]
    assert Engine(context).run(Job(RECIPE, Task.REPLAY)) == 0
    crypto_run.run()  # a run that ends when idle is not held up
    assert rows.get(name)["compared"] == paused["compared"]
    rows.resume(name, crypto_run.clock())
    _finish(context)
    assert sorted(map(repr, _report(rows, name))) == sorted(map(repr, _report(rows, uninterrupted)))


def test_a_record_that_fails_or_kills_is_reported_as_failed_and_stops_no_other(crypto_run: RecipeRun):
    crypto_run.run()

    def trip(reading: Reading) -> Reading:
        if len(reading.text) % 5 == 0:
            raise ValueError("no such page")
        return reading

    rows, name = _start(crypto_run)
    crypto_run.app.store.advance_replay(RECIPE, crypto_run.clock())
    deadly = crypto_run.rows(replay_items)[0]["id"]
    with write_transaction(crypto_run.app.store.engine) as connection:
        connection.execute(update(replay_items).where(replay_items.c.id == deadly).values(attempts=9))
    _finish(_with(crypto_run, _with_extraction(trip), retry_policy=RetryPolicy(batch=16)))
    replay_row = rows.get(name)
    assert replay_row["state"] == ReplayState.REPORTED
    assert replay_row["compared"] == replay_row["listed_count"] == len(crypto_run.rows(documents))
    failed = Counter(row["reason"] for row in rows.report(name, [ReplayVerdict.FAILED]))
    # A record that ended in quarantine would count as worse; one that fails outright counts as failed.
    assert failed["worker_died"] == 1
    assert failed["error:ValueError"] > 0
    assert replay_row["failed"] == sum(failed.values())


def test_a_document_that_fails_as_before_counts_as_the_same(crypto_run: RecipeRun):
    def trip(reading: Reading) -> Reading:
        raise ValueError("no such page")

    crypto_run.__dict__["context"] = _with(crypto_run, _with_extraction(trip))
    crypto_run.run()
    assert {row["state"] for row in crypto_run.rows(documents)} == {State.QUARANTINED}
    rows, name = _read_again(crypto_run, crypto_run.context)
    assert rows.get(name)["same"] == len(crypto_run.rows(documents))


def test_missing_bytes_are_reported_as_damaged_captures(
    crypto_run: RecipeRun, monkeypatch: pytest.MonkeyPatch
):
    crypto_run.run()
    context = crypto_run.context
    monkeypatch.setattr(type(context.archive), "get", lambda *_: {})
    rows, name = _read_again(crypto_run, context)
    fetched = [row for row in crypto_run.rows(leads) if row["body"] is None and row["capture_id"]]
    failed = Counter(row["reason"] for row in rows.report(name, [ReplayVerdict.FAILED]))
    assert failed["capture_damaged"] > 0
    assert failed["capture_damaged"] <= len(fetched)


def test_a_replay_beside_live_ingestion_passes_over_changed_documents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(replaying, "LISTED_AT_ONCE", 10)
    with running(size="small") as internet, recipe_run(tmp_path, internet, adapt=_plain) as crypto_run:
        crypto_run.run()
        document_count = len(crypto_run.rows(documents))
        rows, name = _start(crypto_run)
        Engine(crypto_run.context).run(Job(RECIPE, Task.REPLAY))
        article = internet.publish("hashfield.example", title="Something happened just now")
        crypto_run.poll_again()
        assert article["title"] in {row["title"] for row in crypto_run.rows(documents)}
        assert len(crypto_run.rows(documents)) > document_count
        assert rows.get(name)["state"] == ReplayState.REPORTED, "an idle worker replays"
        assert rows.get(name)["same"] == document_count
        moved = next(row for row in crypto_run.rows(documents) if row["title"] != article["title"])
        with write_transaction(crypto_run.app.store.engine) as connection:
            connection.execute(update(replay_items).values(verdict=ReplayVerdict.CHANGED))
            connection.execute(update(documents).where(documents.c.id == moved["id"]).values(revision=5))
        rows.apply(name, [ReplayVerdict.CHANGED], crypto_run.clock())
        crypto_run.run()
        replay_row = rows.get(name)
        assert (replay_row["replaced"], replay_row["moved_on"]) == (document_count - 1, 1)


@pytest.mark.parametrize(
    ("busy", "expected"),
    [
        (Task.REFINE, ["refine", "gather", "deliver"]),
        (Task.DELIVER, ["refine", "gather", "deliver"]),
        (None, ["refine", "gather", "deliver", "replay"]),
    ],
)
def test_a_worker_replays_only_when_nothing_else_is_due(
    crypto_run: RecipeRun, busy: Task | None, expected: list[str]
):
    tasks: list[str] = []

    def work(context: JobContext, job: Job) -> int:
        tasks.append(job.task.value)
        return int(job.task is busy)

    engine = Engine(crypto_run.context, {task: work for task in Task if task not in {Task.POLL, Task.FETCH}})
    assert run_round(engine, [RECIPE]) == int(busy is not None)
    assert tasks == expected
