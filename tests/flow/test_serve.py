"""The HTTP API: who may start a run, when, and what it reports about runs."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.flow.command_line import call, call_in
from tests.support.web_client import client_of

from headwater.app import App
from headwater.cli.ops import serve
from headwater.model.errors import Refused
from headwater.runtime.runs import record_run
from headwater.settings.settings import Settings
from headwater.store.changes.pipeline_runs import PipelineRuns
from headwater.web.context import WebContext
from headwater.web.server import listen_on
from headwater.web.serving import make_context

KEY = "a key that is hard to guess"
NOW = datetime(2026, 11, 13, 4, 0, tzinfo=UTC)
SHOWN = {"X-Api-Key": KEY}


@dataclass
class Runner:
    """Ends every run on request, with the given exit code."""

    code: int = 0
    runs: list[tuple[str, str, Mapping[str, str]]] = field(default_factory=list)
    go: asyncio.Event = field(default_factory=asyncio.Event)

    async def __call__(self, recipe: str, run: str, options: Mapping[str, str]) -> int:
        self.runs.append((recipe, run, options))
        await self.go.wait()
        if self.code < 0:
            raise FileNotFoundError(2, "No such file")
        return self.code


@dataclass
class ApiClient:
    session: httpx2.AsyncClient
    context: WebContext

    async def __call__(
        self, method: str, path: str, data: bytes | None = None, **options: Any
    ) -> tuple[int, dict[str, Any]]:
        answer = await self.session.request(method, path, content=data, **options)
        return answer.status_code, answer.json()

    async def settle(self) -> None:
        await asyncio.gather(*self.context.runs.tasks)


@asynccontextmanager
async def serve_runs(
    tmp_path: Path, runner: Runner, key: str = KEY, recipe: str | None = "geopolitics"
) -> AsyncIterator[ApiClient]:
    app = App(Settings(data=str(tmp_path / "data")), lambda: NOW)
    context = make_context(app, runner, recipe=recipe, settings_key=key)
    try:
        async with client_of(context) as session:
            yield ApiClient(session, context)
    finally:
        app.store.engine.dispose()


def test_g23_a_run_is_accepted_once_followed_and_closed(tmp_path: Path):
    async def scene() -> None:
        runner = Runner()
        async with serve_runs(tmp_path, runner) as client:
            assert (await client("GET", "/health"))[0] == 200
            assert (await client("GET", "/pipeline/runs", headers=SHOWN))[0] == 404
            body = {"target_date": "2026-11-13", "tier": "B"}
            status, accepted = await client("POST", "/pipeline/run", json=body, headers=SHOWN)
            assert (status, accepted["status"], accepted["target_date"]) == (202, "accepted", "2026-11-13")
            assert (await client("POST", "/pipeline/run", headers=SHOWN))[0] == 409
            status, run = await client("GET", f"/pipeline/runs/{accepted['run_id']}", headers=SHOWN)
            assert (status, run["status"], run["pipeline_tier"]) == (200, "running", "B")
            runner.go.set()
            await client.settle()
            assert runner.runs == [
                ("geopolitics", accepted["run_id"], {"tier": "B", "target_date": "2026-11-13"})
            ]
            status, listed = await client("GET", "/pipeline/runs?date=2026-11-13", headers=SHOWN)
            assert [run["status"] for run in listed["runs"]] == ["completed"]
            assert (await client("GET", "/pipeline/runs?date=2026-11-14", headers=SHOWN))[0] == 404
            assert (await client("GET", "/pipeline/runs/run_x", headers=SHOWN))[0] == 404

    asyncio.run(scene())


@pytest.mark.parametrize(
    ("method", "path"), [("POST", "/pipeline/run"), ("GET", "/pipeline/runs"), ("GET", "/pipeline/runs/x")]
)
def test_g23_without_the_right_key_nothing_is_shown_or_started(tmp_path: Path, method: str, path: str):
    async def scene() -> None:
        runner = Runner()
        async with serve_runs(tmp_path, runner) as client:
            for bad_headers in ({}, {"X-Api-Key": ""}, {"X-Api-Key": KEY[:-1]}, {"X-Api-Key": "é".encode()}):
                assert (await client(method, path, headers=bad_headers))[0] == 401
        async with serve_runs(tmp_path, runner, key="") as client:
            for no_key in ({}, {"X-Api-Key": ""}):
                assert (await client(method, path, headers=no_key))[0] == 401
        assert runner.runs == []

    asyncio.run(scene())


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"[]",
        b'{"tier": "Z"}',
        b'{"target_date": "soon"}',
        b'{"tier": 1}',
        b'{"recipe": "x"}',
        b'{"teir": "B"}',
    ],
)
def test_g23_an_invalid_request_is_refused(tmp_path: Path, body: bytes):
    async def scene() -> None:
        async with serve_runs(tmp_path, Runner()) as client:
            assert (await client("POST", "/pipeline/run", data=body, headers=SHOWN))[0] == 400

    asyncio.run(scene())


def test_a_request_names_its_recipe_and_the_options_that_this_recipe_has(tmp_path: Path):
    async def scene() -> None:
        runner = Runner()
        async with serve_runs(tmp_path, runner, recipe=None) as client:
            status, answer = await client("POST", "/pipeline/run", headers=SHOWN)
            assert (status, answer["error"]) == (400, "name a recipe")
            body = {"recipe": "crypto", "tier": "B"}
            status, answer = await client("POST", "/pipeline/run", json=body, headers=SHOWN)
            assert (status, "no run option 'tier'" in answer["error"]) == (400, True)
            for name in ("crypto", "geopolitics"):
                answers = await client("POST", "/pipeline/run", json={"recipe": name}, headers=SHOWN)
                assert answers[0] == 202
            runner.go.set()
            await client.settle()
            _, listed = await client("GET", "/pipeline/runs", headers=SHOWN)
            assert {run["recipe"]: run.get("pipeline_tier") for run in listed["runs"]} == {
                "crypto": None,
                "geopolitics": "A",
            }
            _, listed = await client("GET", "/pipeline/runs?recipe=crypto", headers=SHOWN)
            assert [run["recipe"] for run in listed["runs"]] == ["crypto"]
            assert (await client("GET", "/pipeline/runs?recipe=geopolitics&date=soon", headers=SHOWN))[
                0
            ] == 400

    asyncio.run(scene())


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("crypto tier=B", "has no run option 'tier'; there are: none"),
        ("geopolitics tier=Z", "$.tier"),
        ("geopolitics day=today", "there are: tier, target_date"),
        ("geopolitics target_date=soon", "YYYY-MM-DD"),
        ("geopolitics tier", "NAME=VALUE"),
    ],
)
def test_a_run_option_that_the_recipe_does_not_offer_is_refused(tmp_path, capsys, monkeypatch, option, words):
    answer = call(
        capsys, monkeypatch, "--data", str(tmp_path), "run", "--once", "--option", *reversed(option.split())
    )
    assert answer.code != 0
    assert words in " ".join(answer.err.split())


@pytest.mark.parametrize(("code", "words"), [(3, "exit code 3"), (-1, "No such file")])
def test_g23_a_run_whose_runner_fails_is_closed_as_failed(tmp_path: Path, code: int, words: str):
    async def scene() -> None:
        runner = Runner(code)
        runner.go.set()
        async with serve_runs(tmp_path, runner) as client:
            _, accepted = await client("POST", "/pipeline/run", headers=SHOWN)
            await client.settle()
            _, run = await client("GET", f"/pipeline/runs/{accepted['run_id']}", headers=SHOWN)
            assert run["status"] == "failed"
            assert words in run["error_message"]
            assert (await client("POST", "/pipeline/run", headers=SHOWN))[0] == 202
            await client.settle()

    asyncio.run(scene())


def test_g1_g22_work_is_recorded_as_a_run_however_it_ends(tmp_path: Path):
    app = App(Settings(data=str(tmp_path / "data")), lambda: NOW)
    rows = PipelineRuns(app.store.engine)
    with record_run(app, "geopolitics") as first, record_run(app, "geopolitics") as inner:
        assert inner is None
    with pytest.raises(Refused), record_run(app, "geopolitics") as second:
        raise Refused("bad_config", "a mistake")
    assert first
    assert second
    assert first.startswith("run_20261113_040000_")
    assert rows.get(first)["status"] == "completed"
    assert rows.get(second)["error"] == "bad_config: a mistake"
    assert rows.get(second)["ended_at"] - NOW == timedelta(0)
    app.store.engine.dispose()


def test_g23_a_short_key_is_refused(tmp_path, capsys, monkeypatch):
    settings = tmp_path / "headwater.yaml"
    settings.write_text(f"data: {tmp_path / 'data'}\napi_key: short\n")
    answer = call(capsys, monkeypatch, "--config", str(settings), "serve", "--recipe", "crypto")
    assert answer.code != 0
    assert "16 characters" in answer.err


def test_a_port_that_is_taken_is_reported_before_the_demo_runs(tmp_path, monkeypatch):
    monkeypatch.setattr(serve, "_open_demo", lambda _: pytest.fail("the demo may run for minutes"))
    with closing(listen_on("127.0.0.1", 0)) as taken:
        taken.listen()
        answer = call_in(tmp_path, "serve", "--demo", "--port", str(taken.getsockname()[1]))
    assert (answer.code, "is not available" in answer.err) == (1, True)
