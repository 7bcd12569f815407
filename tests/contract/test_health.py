"""`headwater health` and /readyz notice outages themselves, whether or not workers run."""

import asyncio
import shutil
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from tests.contract.test_worker_heartbeats import BEFORE, claim_documents, fall_silent
from tests.flow.command_line import CommandResult, call
from tests.servers.receivers import http_receiver
from tests.support.scene import Scene, make_source
from tests.support.web_client import web_client

from headwater.app import App, now
from headwater.ops.dead_mans_switch import PING_EVERY, DeadMansSwitch
from headwater.ops.system_checks import check_parts
from headwater.ops.system_rules import network_check
from headwater.runtime.heartbeat import this_process
from headwater.settings.settings import Settings
from headwater.store.reads.waiting import OFFLINE_FOR, sources_without_network

Command = Callable[..., CommandResult]
DEAD_SERVER = "redis://127.0.0.1:1/0"


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[App]:
    monkeypatch.chdir(tmp_path)
    opened = App(Settings(data="data"))
    assert opened.store
    yield opened
    opened.store.engine.dispose()


@pytest.fixture
def scene(app: App) -> Scene:
    return Scene(app.store, now=now())


@pytest.fixture
def command(app: App, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    return lambda *words: call(capsys, monkeypatch, "--data", "data", *words)


def problems(answer: CommandResult) -> set[str]:
    """Captures are left out: the rows of these tests have no bytes."""
    assert answer.code == (0 if answer.record["healthy"] else 1)
    return {name for name, part in answer.record["parts"].items() if not part["ok"]} - {"captures"}


def test_an_installation_without_problems_is_healthy(command: Command):
    answer = command("health", "--json")
    assert (problems(answer), answer.record["healthy"]) == (set(), True)
    assert "PROBLEM" not in command("health").out


def test_a_redis_server_that_is_down_is_a_problem(command: Command):
    Path("headwater.yaml").write_text(yaml.safe_dump({"redis": DEAD_SERVER}), encoding="utf-8")
    assert problems(command("health", "--json")) == {"redis"}
    assert "PROBLEM" in command("status").out


def test_a_recipe_that_is_left_out_and_a_table_that_cannot_be_used_are_problems(command: Command):
    table = {"to": "table", "table": "articles", "database": "env:NOT_SET_ANYWHERE"}
    recipes = {"news": {"evry": "5m"}, "wind": {"like": "crypto", "routes": [table]}}
    Path("headwater.yaml").write_text(yaml.safe_dump({"recipes": recipes}), encoding="utf-8")
    answer = command("health", "--json")
    assert problems(answer) == {"recipes", "channels"}
    assert "recipes.news.evry" in answer.record["parts"]["recipes"]["detail"]
    assert "NOT_SET_ANYWHERE" in answer.record["parts"]["channels"]["detail"]
    assert "recipes.news.evry" in command("status").out.replace("\n", "")


def test_a_full_disk_is_a_problem(command: Command, monkeypatch: pytest.MonkeyPatch):
    full = SimpleNamespace(total=100 << 30, used=100 << 30, free=0)
    monkeypatch.setattr("headwater.ops.system_checks.shutil.disk_usage", lambda _: full)
    assert problems(command("health", "--json")) == {"disk"}


def test_sources_that_wait_for_our_own_network_are_a_problem(scene: Scene, command: Command):
    scene.poll(error="offline", due_at=scene.now)
    answer = command("health", "--json")
    assert problems(answer) == {"network"}
    assert answer.record["parts"]["network"]["detail"] == "no host could be reached; 1 source waits"


def test_a_poll_without_a_network_counts_until_another_one_succeeds_and_not_for_ever(scene: Scene, app: App):
    def is_ok_at(at: datetime) -> bool:
        return network_check(sources_without_network(app.engine, at)).ok

    other = make_source("Other")
    scene.poll(source=other)
    scene.now += timedelta(seconds=1)
    scene.poll(error="offline", due_at=scene.now)
    assert not is_ok_at(scene.now)
    assert is_ok_at(scene.now + OFFLINE_FOR)
    scene.now += timedelta(seconds=1)
    scene.poll(source=other)
    assert is_ok_at(scene.now)


def test_an_archive_that_cannot_be_written_is_a_problem(app: App):
    assert check_parts(app)["archive"].ok
    shutil.rmtree(app.archive_folder)
    app.archive_folder.write_text("not a folder", encoding="utf-8")
    assert not check_parts(app)["archive"].ok


def test_documents_on_the_lease_of_a_dead_worker_are_a_problem_until_a_sweep(
    app: App, scene: Scene, command: Command
):
    app.workers.record(BEFORE, scene.now)
    claim_documents(scene, f"{BEFORE.id}:local", *map(str, range(20)))
    assert problems(command("health", "--json")) == set()
    fall_silent(app.store.engine, BEFORE)
    answer = command("health", "--json")
    assert problems(answer) == {"leases", "workers"}
    assert "20 rows" in answer.record["parts"]["leases"]["detail"]
    assert command("sweep", "--dry-run", "--json").record["dead_workers"] == 1
    assert command("sweep", "--json").record["freed_dead"] == 20
    assert problems(command("health", "--json")) == set()


def test_a_database_that_is_down_is_named_and_the_rest_is_still_checked(command: Command):
    Path("headwater.yaml").write_text(
        yaml.safe_dump({"database": "postgresql://x@127.0.0.1:1/x"}), encoding="utf-8"
    )
    answer = command("health", "--json")
    assert {"database", "workers"} <= problems(answer)
    assert answer.record["parts"]["archive"]["ok"] is True


def test_health_does_not_wait_for_a_worker_that_is_checking(app: App, command: Command):
    app.maintenance_tasks.register({"health_check": now()}, now())
    assert app.maintenance_tasks.claim("health_check", "elsewhere:1:1:x", now(), app.retry_policy.lease)
    assert problems(command("health", "--json")) == set()


def test_the_status_shows_the_system(app: App, scene: Scene, command: Command):
    app.workers.record(this_process("local"), scene.now)
    scene.poll(scene.lead("a"))
    system = command("status", "--json").record["system"]
    assert {
        "database",
        "redis",
        "disk",
        "workers",
        "leader",
        "leases",
        "due_work",
        "last_poll",
        "network",
    } == set(system)
    assert system["workers"]["detail"] == "1 live (local x1)"
    assert system["due_work"]["detail"].startswith("fetch of trial")
    assert "oldest waiting" in command("status").out


def test_a_probe_knows_the_processes_of_this_machine(app: App, command: Command):
    app.workers.record(BEFORE, now())  # another machine
    assert command("probe").code == 1
    app.workers.record(this_process("beat"), now())
    assert [command("probe", *words).code for words in ((), ("--role", "beat"), ("--role", "local"))] == [
        0,
        0,
        1,
    ]
    Path("headwater.yaml").write_text(
        yaml.safe_dump({"database": "postgresql://x@127.0.0.1:1/x"}), encoding="utf-8"
    )
    assert command("probe").code == 0  # a restart would not bring the database back


def test_readiness_is_served_without_details(app: App):
    async def ask() -> list[tuple[int, dict[str, object]]]:
        answers = []
        for is_broken in (False, True):
            if is_broken:
                app.workers.record(BEFORE, now())
                fall_silent(app.store.engine, BEFORE)
            async with web_client(app) as client:
                answer = await client.get("/readyz")
                answers.append((answer.status_code, answer.json()))
        return answers

    (ready_status, ready), (broken_status, broken) = asyncio.run(ask())
    assert (ready_status, ready["status"], set(ready["parts"].values())) == (200, "ready", {"ok"})
    assert (broken_status, broken["status"], broken["parts"]["workers"]) == (503, "not ready", "problem")


def test_the_dead_mans_switch_is_pinged_only_while_work_can_be_done(app: App):
    process = this_process("network")
    with http_receiver() as receiver:
        settings = Settings(data="data", heartbeat_url=f"{receiver.url}/ping/SECRET")
        switch = DeadMansSwitch.from_settings(settings)
        assert switch.ping_if_due(app, process.id, 0.0) is False  # no worker lives
        app.workers.record(process, now())
        assert switch.ping_if_due(app, process.id, 0.0) is True
        assert switch.ping_if_due(app, process.id, PING_EVERY - 1) is False
        receiver.answers = [(503, {})]
        assert switch.ping_if_due(app, process.id, PING_EVERY) is False
        assert (
            switch.ping_if_due(app, process.id, PING_EVERY + 1) is True
        )  # tried again with the next heartbeat
        without_redis = App(Settings(data="data", redis=DEAD_SERVER))
        assert switch.ping_if_due(without_redis, process.id, 10 * PING_EVERY) is False
        without_redis.store.engine.dispose()
        assert [posted.path for posted in receiver.posted] == ["/ping/SECRET"] * 3


def test_every_command_prints_json_lines(app: App, scene: Scene, command: Command):
    """A command about one thing prints one line, a list one line for each."""
    scene.poll(scene.lead("a"))
    for words in (("status",), ("health",), ("replay", "list"), ("docs", "list"), ("sources", "list")):
        assert all(isinstance(record, dict) for record in command(*words, "--json").records), words
    assert len(command("status", "--json").records) == 1
