"""A replay under Celery yields to every other task of its worker."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import update
from tests.servers.loopback import free_port
from tests.support.recipe_run import RECIPE, RecipeRun, recipe_run

from headwater.model.jobs import Job, Task
from headwater.runtime.celery import tasks
from headwater.runtime.celery.hints import HintSender
from headwater.runtime.celery.queues import worker_roles
from headwater.runtime.celery.tasks import TaskRunner
from headwater.store.changes.replays import Replays
from headwater.store.claims import replay as replaying
from headwater.store.connect import write_transaction
from headwater.store.schema.flow import documents
from headwater_demo.internet import running

REPLAY = Job(RECIPE, Task.REPLAY)


@pytest.fixture
def crypto_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RecipeRun]:
    monkeypatch.setattr(replaying, "LISTED_AT_ONCE", 10)
    with running(size="small") as internet, recipe_run(tmp_path, internet) as opened:
        opened.run()
        yield opened


@pytest.fixture
def replay(crypto_run: RecipeRun) -> tuple[Replays, str]:
    rows = Replays(crypto_run.app.store.engine)
    return rows, rows.start(
        RECIPE, crypto_run.clock() - timedelta(days=1), crypto_run.clock(), crypto_run.clock()
    )


@pytest.fixture(autouse=True)
def _no_memory_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The memory that other tests left in this process does not end the task."""
    monkeypatch.setattr(tasks, "is_over_memory_limit", lambda: False)


def _runner(crypto_run: RecipeRun, queues: str) -> Iterator[TaskRunner]:
    """A task runner as in a child process of a worker; its broker is unreachable, and nothing depends on it."""
    (role,) = worker_roles(queues, [RECIPE], 1)
    runner = TaskRunner(crypto_run.settings, role, HintSender(f"redis://127.0.0.1:{free_port()}/0"))
    runner.__dict__["app"] = crypto_run.app
    yield runner


def test_a_replay_job_reads_until_nothing_is_left(crypto_run: RecipeRun, replay: tuple[Replays, str]):
    rows, name = replay
    (runner,) = _runner(crypto_run, "refine,gather,deliver,replay")
    runner.run_job(REPLAY)
    assert rows.get(name)["same"] == len(crypto_run.rows(documents))


@pytest.mark.parametrize(("queues", "runs_on"), [("refine,replay", False), ("replay", True)])
def test_a_replay_yields_to_other_work_of_its_worker(
    crypto_run: RecipeRun, replay: tuple[Replays, str], queues: str, runs_on: bool
):
    rows, name = replay
    (live, *_) = [row["id"] for row in crypto_run.rows(documents)]
    with write_transaction(crypto_run.app.store.engine) as connection:
        connection.execute(update(documents).where(documents.c.id == live).values(due_at=crypto_run.clock()))
    (runner,) = _runner(crypto_run, queues)
    runner.run_job(REPLAY)
    assert (rows.get(name)["compared"] > 10) is runs_on
    assert rows.get(name)["listed_count"] >= 9, "one batch in any case"
