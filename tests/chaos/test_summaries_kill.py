"""`headwater summaries run` killed at the worst moments: nothing is lost or duplicated, no batch paid for twice."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text
from tests.servers.batch_api import ApiFaults, BatchServer, batch_server
from tests.support.scene import Scene
from tests.support.summary_rounds import SummaryScene

from headwater.app import App, now
from headwater.runtime.maintenance import MAINTENANCE_TASKS, SUMMARIES, Maintenance
from headwater.settings.settings import Settings, read_settings
from headwater.store.connect import write_transaction
from headwater.store.schema.flow import deliveries, stories
from headwater.store.schema.summaries import summary_batches, summary_requests
from headwater.stories.llm.batches import LISTING_DELAY

LONGEST = 60
QUICK = ("in_progress", "completed")
MOMENTS = {
    "between upload and note": ApiFaults("POST /files", silent="after"),
    "between upload and create": ApiFaults("POST /batches", silent="before"),
    "between create and note": ApiFaults("POST /batches", silent="after"),
    "while it polls the batch": ApiFaults("GET /batches/.*", silent="after"),
    "between download and commit": ApiFaults("GET /files/.*/content", silent="after"),
}


@pytest.fixture
def story_scene(tmp_path: Path) -> Iterator[Scene]:
    """Two stories of a recipe in tier C."""
    app = App(Settings(data=str(tmp_path / "data")))
    summaries = SummaryScene(Scene(app.store, now=now()), BatchServer())
    summaries.publish("a1", "a2", "b1")
    with write_transaction(app.store.engine) as connection:
        connection.execute(deliveries.delete())
        for table in ("stories", "documents"):
            connection.execute(text(f"UPDATE {table} SET recipe = 'geopolitics'"))
    yield summaries.scene
    app.store.engine.dispose()


def settings_file(tmp_path: Path, server: BatchServer) -> Path:
    path = tmp_path / "headwater.yaml"
    lines = [
        f"data: {tmp_path / 'data'}",
        f"summaries: {{endpoint: '{server.address}', model: gpt-4o-mini, key: 'env:MODEL_KEY', mode: batch}}",
        "recipes: {geopolitics: {options: {tier: C}}}",
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def run_and_kill(path: Path, server: BatchServer) -> None:
    """Start a round and kill it while the server is silent."""
    words = [sys.executable, "-m", "headwater.cli", "--config", str(path), "summaries", "run"]
    with subprocess.Popen(words, env=os.environ | {"MODEL_KEY": "sk-1"}) as victim:
        assert server.silent.wait(LONGEST)
        victim.send_signal(signal.SIGKILL)
    server.silent.clear()


def run_rounds(path: Path, rounds: int) -> None:
    for number in range(1, rounds + 1):
        app = App(read_settings(path, {}), clock=lambda n=number: now() + LISTING_DELAY * n)
        Maintenance(app, tasks={SUMMARIES: MAINTENANCE_TASKS[SUMMARIES]}).run_now(SUMMARIES)
        app.store.engine.dispose()


@pytest.mark.long
@pytest.mark.parametrize("moment", MOMENTS)
def test_g14_a_round_killed_at_its_worst_moment_loses_and_duplicates_nothing(
    story_scene: Scene, tmp_path: Path, moment: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("MODEL_KEY", "sk-1")
    with batch_server(statuses=QUICK) as server:
        path = settings_file(tmp_path, server)
        fault = MOMENTS[moment]
        if fault.fits.startswith("GET"):
            run_rounds(path, 1)
        server.faults.append(fault)
        run_and_kill(path, server)
        assert {row["state"] for row in story_scene.rows(summary_requests)} == {"asked"}
        run_rounds(path, 4)
        assert len(server.batches) == 1
        assert sorted(line["custom_id"][0] for line in server.lines) == ["a", "b"]
    stories_by_id = {row["id"]: row for row in story_scene.rows(stories)}
    assert {row["attributes"]["summary_by"] for row in stories_by_id.values()} == {"gpt-4o-mini"}
    assert {row["revision"] for row in stories_by_id.values()} == {2}
    assert {row["state"] for row in story_scene.rows(summary_requests)} == {"done"}
    assert [row["state"] for row in story_scene.rows(summary_batches)] == ["ended"]
    assert {(row["state"], row["sent_revision"]) for row in story_scene.rows(deliveries)} == {("done", 2)}


def test_g14_a_direct_round_that_is_killed_during_a_call_asks_once_more(
    story_scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("MODEL_KEY", "sk-1")
    with batch_server() as server:
        path = settings_file(tmp_path, server)
        path.write_text(
            path.read_text(encoding="utf-8").replace("mode: batch", "concurrency: 1"), encoding="utf-8"
        )
        server.faults.append(ApiFaults("POST /chat/completions", silent="after"))
        run_and_kill(path, server)
        run_rounds(path, 1)
        assert len(server.chats) == 3
    attempts = sorted(row["attempts"] for row in story_scene.rows(summary_requests))
    assert attempts == [1, 2]
    assert {row["state"] for row in story_scene.rows(summary_requests)} == {"done"}
