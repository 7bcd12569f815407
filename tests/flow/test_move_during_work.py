"""The installation moves while programs still work in the old environment: they stop and say why."""

import asyncio
import signal
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.support.deadline import DEADLINE
from tests.support.web_client import web_client

from headwater.app import App
from headwater.cli.pipeline import agent as agent_command
from headwater.cli.pipeline.agent import make_agent, run_agent
from headwater.model.errors import MovedAway
from headwater.ops import installation_lock as occupancy
from headwater.runtime import worker_pool as processes
from headwater.runtime.celery.beat import Beat, run_beat
from headwater.runtime.worker_loop import StopSignal
from headwater.runtime.worker_pool import WorkerPool, run_pool
from headwater.settings.llm import AgentSettings
from headwater.settings.settings import Settings
from headwater.store.connect import unchecked_transaction
from headwater.store.relocation import Departure, record_departure
from headwater.web.server import listen_on
from headwater.web.serving import make_context, run_server

DEPARTURE = Departure(
    to="cluster", id="x", address="postgresql://db.example/news", at=datetime(2026, 11, 13, tzinfo=UTC)
)


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[App]:
    for module, name in (
        (occupancy, "CHECK_SECONDS"),
        (processes, "MOVE_CHECK_SECONDS"),
        (agent_command, "IDLE_SECONDS"),
    ):
        monkeypatch.setattr(module, name, 0.01)
    model = AgentSettings(endpoint="http://127.0.0.1:9/v1", model="some")
    opened = App(Settings(data=str(tmp_path / "data"), agent=model))
    assert opened.store
    yield opened
    opened.store.engine.dispose()


def record_move(app: App) -> None:
    with unchecked_transaction(app.store.engine) as connection:
        record_departure(connection, DEPARTURE)


async def run_nothing(recipe: str, run: str, options: Mapping[str, str]) -> int:
    del recipe, run, options
    return 0


def run_web_server(app: App, started: "asyncio.Future[int]") -> Awaitable[None]:
    return run_server(
        make_context(app, run_nothing, settings_key="some key"),
        listen_on("127.0.0.1", 0),
        on_started=lambda _, port: started.set_result(port),
    )


def run_agent_loop(app: App, started: "asyncio.Future[int]") -> Awaitable[None]:
    started.set_result(0)
    return run_agent(app, make_agent(app), once=False, as_json=True)


@pytest.mark.parametrize("serve_others", [run_web_server, run_agent_loop])
def test_servers_and_agents_stop(
    app: App, serve_others: Callable[[App, "asyncio.Future[int]"], Awaitable[None]]
):
    async def scene() -> None:
        started: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        task = asyncio.ensure_future(serve_others(app, started))
        await asyncio.wait_for(started, DEADLINE)
        await asyncio.to_thread(record_move, app)
        with pytest.raises(MovedAway, match="moved to the environment 'cluster'"):
            await asyncio.wait_for(task, DEADLINE)

    asyncio.run(scene())


def write_again_and_again(settings: Settings, recipes: Sequence[str]) -> None:
    app, stop = App(settings), StopSignal()
    while not stop.is_set():
        app.operations.wake(recipes[0], app.clock())


def test_a_pool_stops_and_its_processes_end_quietly(
    app: App, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    pool = WorkerPool(app, ["crypto"], targets={"writer": write_again_and_again})
    usual = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    monkeypatch.setattr(processes, "MOVE_CHECK_SECONDS", DEADLINE)
    record_move(app)
    with pytest.raises(MovedAway, match="moved to the environment 'cluster'"):
        run_pool(pool, StopSignal(child=False), lambda: False, lambda: None)
    for number, handler in usual.items():
        signal.signal(number, handler)
    assert pool.processes["writer"].exitcode == 0
    assert "Traceback" not in capfd.readouterr().err


def test_the_beat_stops(app: App):
    class SilentSender:
        def send(self, *_: object) -> bool:
            return False

        send_maintenance = send

    beat = Beat(app, ["crypto"], SilentSender())
    rounds: list[None] = []

    def stop() -> bool:
        if len(rounds) == 1:
            record_move(app)
            beat.leading_until.clear()
        rounds.append(None)
        return len(rounds) > 9

    with pytest.raises(MovedAway, match="moved to the environment 'cluster'"):
        run_beat(beat, stop)


def test_a_server_answers_that_the_installation_has_moved(app: App, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(occupancy, "check_not_moved", lambda _: None)  # it has not noticed yet
    key_header = {"X-Api-Key": "some key"}

    async def scene() -> None:
        async with web_client(app, start=run_nothing, recipe="crypto", settings_key="some key") as client:
            await asyncio.to_thread(record_move, app)
            for path, fields in (("/pipeline/run", {}), ("/queues/items/some/fail", {"reason": "none"})):
                answer = await client.post(path, json=fields, headers=key_header)
                moved = "moved to the environment 'cluster'" in answer.json()["error"]
                assert (answer.status_code, moved) == (410, True), path

    asyncio.run(scene())
