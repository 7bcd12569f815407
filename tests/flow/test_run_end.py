"""When a run ends, and what it says: it waits for rate limits, and an interrupted one reports what it leaves."""

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import update
from tests.flow.command_line import CommandResult, call, call_in
from tests.support.scene import HOUR, RECIPE, START, Scene, kept_result, make_source

import headwater.cli.pipeline.run as run_command
import headwater.cli.pipeline.work as work_command
from headwater.app import App
from headwater.cli.render.run_summary import read_counts, summarise_run
from headwater.model.errors import Refused
from headwater.model.jobs import RUN_TASKS, Claim, Job, Task
from headwater.runtime.worker_pool import is_installation_idle
from headwater.settings.settings import Settings
from headwater.store.connect import write_transaction
from headwater.store.schema.flow import sources

MINUTE = timedelta(minutes=1)


def app_of(scene: Scene, database: str, folder: Path) -> App:
    return App(Settings(data=str(folder), database=database), clock=lambda: scene.now)


def test_a_run_without_polls_is_not_judged_by_earlier_ones(scene: Scene, database: str, tmp_path: Path):
    scene.poll(error="dns")
    app = app_of(scene, database, tmp_path)
    summary = summarise_run(app, RECIPE, read_counts(app, RECIPE))
    app.store.engine.dispose()
    tasks = ([Task.GATHER], [Task.POLL, Task.GATHER])
    assert [run_command.judged_by_tasks(summary, only).unread_sources for only in tasks] == [0, 1]


def test_a_run_counts_the_documents_that_it_revised(scene: Scene, database: str, tmp_path: Path):
    app = app_of(scene, database, tmp_path)
    changed, _ = scene.keep("a", "b")
    scene.now += HOUR
    before, began = read_counts(app, RECIPE), scene.now
    scene.refine(kept_result(scene.change(changed, "other")))
    scene.keep("c")
    summary = summarise_run(app, RECIPE, before, began)
    app.store.engine.dispose()
    assert (summary.revised, summary.this_run.came_in) == (1, 1)


@pytest.mark.parametrize(("delay", "awaited"), [(MINUTE, True), (HOUR, False)])
def test_a_run_of_everything_waits_for_a_rate_limit_that_ends_soon(
    scene: Scene, database: str, tmp_path: Path, delay: timedelta, awaited: bool
):
    """An empty Redis server admits nothing for a minute: it may have lost what it admitted."""
    scene.poll(error="rate_limited", due_at=scene.now + delay)
    scene.poll(source=make_source("Polled"), due_at=scene.now + MINUTE)
    app = app_of(scene, database, tmp_path)
    assert is_installation_idle(app, [RECIPE])
    assert is_installation_idle(app, [RECIPE], pass_began=scene.now) is not awaited
    app.store.engine.dispose()


def test_one_pass_polls_each_source_once_however_often_it_is_due(scene: Scene, database: str, tmp_path: Path):
    """A source that is due every few seconds would keep a run from its end. A poll that was cut short has a second part."""
    app, soon = app_of(scene, database, tmp_path), timedelta(seconds=10)
    frequent = make_source("Frequent")
    scene.poll(source=frequent, due_at=scene.now + soon)
    assert not is_installation_idle(app, [RECIPE])
    assert is_installation_idle(app, [RECIPE], pass_began=scene.now)
    assert not is_installation_idle(app, [RECIPE], pass_began=scene.now + soon)
    claim = Claim(Job(RECIPE, Task.POLL), "me", scene.now + MINUTE, pass_began=scene.now)
    assert app.store.claim_sources(claim) == []
    scene.poll(source=frequent, due_at=scene.now + soon, continues=True)
    assert not is_installation_idle(app, [RECIPE], pass_began=scene.now)
    assert [lease.source.id for lease in app.store.claim_sources(claim)] == [frequent.id]
    app.store.engine.dispose()


@pytest.fixture
def feeds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    lines = "".join(f"  - {{name: N{n}, url: 'https://n{n}.example/feed'}}\n" for n in range(3))
    (tmp_path / "feeds.yaml").write_text(f"sources:\n{lines}")
    settings = f"data: {tmp_path}/data\nrecipes:\n  crypto:\n    sources: {tmp_path}/feeds.yaml\n"
    (tmp_path / "headwater.yaml").write_text(settings)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def interrupted(
    feeds: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> CommandResult:
    """Workers are told to stop before they polled anything."""
    monkeypatch.setattr(run_command, "run_workers", lambda *_, **__: False)
    return call(capsys, monkeypatch, "run", "crypto", "--once")


def test_an_interrupted_run_says_what_is_waiting_and_its_exit_code_is_130(
    interrupted: CommandResult, feeds: Path
):
    assert interrupted.code == 130
    assert (
        "interrupted: 0 items waiting, 3 sources to poll; `headwater run crypto` continues" in interrupted.err
    )
    app = App(Settings(data=str(feeds / "data")))
    (run,) = app.pipeline_runs.list_runs("crypto", {})
    assert (run["status"], run["error"]) == ("failed", "stopped")
    app.store.engine.dispose()


def test_g2_a_part_of_the_work_has_a_run_so_that_its_entries_belong_to_one(
    feeds: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(run_command, "run_in_process", lambda *_, **__: True)
    assert call(capsys, monkeypatch, "run", "crypto", "--once", "--task", "poll").code == 0
    app = App(Settings(data=str(feeds / "data")))
    assert [run["status"] for run in app.pipeline_runs.list_runs("crypto", {})] == ["completed"]
    app.store.engine.dispose()


def test_work_without_an_end_has_no_run_that_must_end_and_closes_the_one_that_maintenance_keeps(
    feeds: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    def begin_and_fail(app: App, recipes: Sequence[str], **_: object) -> bool:
        assert app.pipeline_runs.open_run("crypto") is None
        app.pipeline_runs.begin(f"run {app.clock()}", "crypto", {}, app.clock(), is_continuous=True)
        raise Refused("out_of_order", "a worker could not start")

    monkeypatch.setattr(run_command, "run_in_process", begin_and_fail)
    monkeypatch.setattr(work_command, "run_workers", begin_and_fail)
    monkeypatch.setattr(work_command, "fork_early", lambda: None)
    app = App(Settings(data=str(feeds / "data")))
    for count, words in enumerate([("run", "crypto", "--task", "poll"), ("work", "--recipe", "crypto")], 1):
        assert call(capsys, monkeypatch, *words).code == 1
        runs = app.pipeline_runs.list_runs("crypto", {})
        assert [(run["status"], run["error"]) for run in runs] == [("completed", None)] * count
    app.store.engine.dispose()


def test_a_run_of_another_process_is_closed_even_if_the_work_has_no_end(
    feeds: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(run_command, "run_in_process", lambda *_, **__: False)
    words = ("run", "crypto", "--task", "poll", "--run-id", "run_x")
    refused = call(capsys, monkeypatch, *words)
    assert (refused.code, "there is no run 'run_x'" in refused.err) == (1, True)
    app = App(Settings(data=str(feeds / "data")))
    app.pipeline_runs.begin("run_x", "crypto", {}, app.clock())
    assert call(capsys, monkeypatch, *words).code == 0
    assert [run["status"] for run in app.pipeline_runs.list_runs("crypto", {})] == ["completed"]
    app.store.engine.dispose()


def run_with_polls_that_end(folder: Path, monkeypatch: pytest.MonkeyPatch, **values: object) -> CommandResult:
    """Run the bundled sources once; instead of a poll, every row of a source gets these values."""

    def poll(app: App, recipes: Sequence[str], **_: object) -> bool:
        with write_transaction(app.engine) as connection:
            connection.execute(update(sources).where(sources.c.recipe.in_(recipes)).values(values))
        return True

    monkeypatch.setattr("tests.flow.command_line.run_in_process", poll)
    assert call_in(folder, "sources", "add", "crypto", "--bundled").code == 0
    return call_in(folder, "run", "crypto", "--once")


def test_g25_a_run_that_ends_raises_its_alarms_and_names_the_hosts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    answer = run_with_polls_that_end(tmp_path, monkeypatch, reason="breaker_open", last_polled_at=START)
    assert answer.code == 1
    assert "No source could be read (44 tried): the table says why." in answer.out
    (line,) = [line for line in answer.err.splitlines() if "alarm" in line]
    assert line.startswith("headwater: alarm: 4")
    assert "hosts are not fetched because they failed (" in line
    assert ".com, " in line
    assert "44 hosts are not fetched" in call_in(tmp_path, "alarms", "list").out


def test_a_run_without_a_network_says_so_in_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    answer = run_with_polls_that_end(tmp_path, monkeypatch, reason="offline")
    assert answer.code == 1
    (line,) = [line for line in answer.out.splitlines() if "network" in line]
    assert line.startswith("44 sources not polled: no host can be reached")
    assert "headwater run crypto --once" in line


@pytest.mark.parametrize(("tasks", "sent"), [(RUN_TASKS, 1), ((Task.GATHER,), 0)])
def test_only_a_run_that_delivers_sends_its_alarms(
    monkeypatch: pytest.MonkeyPatch, tasks: Sequence[Task], sent: int
):
    runs = list[object]()
    monkeypatch.setattr(run_command, "settle_recipe_alarms", lambda *_: (["raised"], []))
    monkeypatch.setattr(run_command, "run_in_process", lambda *_, **options: runs.append(options["tasks"]))
    app: Any = SimpleNamespace(channels={"mail": None})
    assert run_command.settle_after_run(app, "crypto", tasks) == ["raised"]
    assert runs == [(Task.DELIVER,)] * sent
