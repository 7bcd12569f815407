"""Which recipes workers serve, from the first start on, and what happens when a list of sources changes while they run."""

from collections.abc import Callable, Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest
import structlog
from tests.support.scene import make_source

from headwater.app import App
from headwater.cli.pipeline.work import wait_for_recipes
from headwater.runtime import worker_pool
from headwater.runtime.celery.queues import worker_roles
from headwater.runtime.celery.tasks import TaskRunner
from headwater.runtime.registration import ListWatch, register_changes, register_served
from headwater.settings.settings import RecipeSettings, Settings

LOG = structlog.get_logger()
Write = Callable[..., None]


@pytest.fixture
def write_feeds(tmp_path: Path) -> Write:
    def write(*names: str) -> None:
        lines = "".join(f"  - {{name: {name}, url: 'https://{name}.example/feed'}}\n" for name in names)
        (tmp_path / "feeds.yaml").write_text(f"sources:\n{lines}")

    return write


@pytest.fixture
def app(tmp_path: Path, write_feeds: Write) -> Iterator[App]:
    """A fresh installation whose settings name one recipe and its list."""
    write_feeds("one", "two")
    recipes = {"crypto": RecipeSettings(sources=str(tmp_path / "feeds.yaml"))}
    opened = App(Settings(data=str(tmp_path / "data"), recipes=recipes))
    yield opened
    opened.store.engine.dispose()


def status_by_name(app: App) -> dict[str, bool]:
    return {row["name"]: row["active"] for row in app.catalogue.sources("crypto")}


def never(seconds: float) -> None:
    raise AssertionError(f"waited for {seconds} s")


def test_workers_start_on_a_fresh_installation_with_the_recipes_of_the_settings(app: App):
    assert wait_for_recipes(app, None, sleep=never) == ["crypto"]
    assert status_by_name(app) == {"one": True, "two": True}


def test_without_any_source_workers_wait_for_the_first_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    app = App(Settings(data=str(tmp_path)))
    source = make_source("Late", recipe="crypto")
    waits: list[float] = []

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 2:
            app.store.register([source], app.clock())

    assert wait_for_recipes(app, None, sleep) == ["crypto"]
    assert capsys.readouterr().err.count("waiting: no recipe has sources here") == 1
    app.store.engine.dispose()


def test_a_changed_file_is_noticed_once_and_a_missing_one_is_not_an_error(app: App, write_feeds, tmp_path):
    now = [0.0]
    watch = ListWatch(app.settings, clock=lambda: now[0], every=5.0)
    write_feeds("one", "two", "three")
    assert not watch.has_changed()
    now[0] = 5.0
    assert watch.has_changed()
    now[0] = 10.0
    assert not watch.has_changed()
    (tmp_path / "feeds.yaml").unlink()
    now[0] = 15.0
    assert watch.has_changed()


def test_a_changed_list_is_used_without_a_restart_and_a_wrong_one_is_not(app: App, write_feeds, tmp_path):
    register_served(app)
    watch = ListWatch(app.settings, every=0.0)
    assert not register_changes(app, ["crypto"], watch, LOG)
    write_feeds("two", "three")
    assert register_changes(app, ["crypto"], watch, LOG)
    assert status_by_name(app) == {"one": False, "two": True, "three": True}
    (tmp_path / "feeds.yaml").write_text("sources: [")
    log = Mock()
    assert not register_changes(app, ["crypto"], watch, log)
    ((event,), fields) = log.warning.call_args
    assert (event, fields["recipe"], fields["reason"]) == ("changed list not used", "crypto", "bad_config")
    assert status_by_name(app) == {"one": False, "two": True, "three": True}


def test_the_processes_of_a_machine_are_replaced_when_a_list_changes(app: App, monkeypatch):
    restarted: list[bool] = []
    monkeypatch.setattr(worker_pool.ListWatch, "has_changed", lambda _: True)
    monkeypatch.setattr(worker_pool.WorkerPool, "restart", lambda _: restarted.append(True))
    monkeypatch.setattr(worker_pool, "run_pool", lambda _pool, _stop, _done, on_tick: on_tick())
    monkeypatch.setattr(worker_pool, "StopSignal", lambda **_: type("Never", (), {"is_set": bool})())
    worker_pool.run_workers(app, ["crypto"], until_idle=False)
    assert restarted == [True]
    assert status_by_name(app) == {"one": True, "two": True}


def test_the_workers_of_a_cluster_read_a_changed_list_before_their_next_job(app: App, write_feeds):
    (role, *_) = worker_roles("refine", ["crypto"], 1)
    runner = TaskRunner(app.settings, role, hints=None)  # type: ignore[arg-type] - no message is sent
    runner.list_watch.every = runner.list_watch.next_check = 0.0
    assert [source.name for source in runner.app.recipe("crypto").sources] == ["one", "two"]
    write_feeds("one", "three")
    runner.reload_changed_lists()
    assert [source.name for source in runner.app.recipe("crypto").sources] == ["one", "three"]
