"""`headwater serve` as a process, and the endpoints that recipes add to it."""

import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from tests.flow.command_line import SOURCE, call_in
from tests.support.api_installation import WITH_KEY, api_client, fill, installation
from tests.support.deadline import DEADLINE

import headwater


def test_the_server_says_what_it_leaves_out_and_where_it_serves_and_stops_when_it_is_told_to(tmp_path: Path):
    (tmp_path / "headwater.yaml").write_text("recipes: {news: {evry: 5m}}\n", encoding="utf-8")
    command = [sys.executable, "-m", "headwater.cli", "--data", str(tmp_path), "serve", "--port", "0"]
    process = subprocess.Popen(
        command,
        cwd=tmp_path,
        env={"PYTHONPATH": str(SOURCE), "COLUMNS": "200"},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr.readline().startswith("headwater: left out: ")
        line = process.stderr.readline()
        assert line.startswith("Serving on http://127.0.0.1:"), line
        address = line.split()[2]
        with urllib.request.urlopen(f"{address}/healthz", timeout=DEADLINE) as answer:
            assert answer.status == 200
        process.send_signal(signal.SIGTERM)
        process.wait(DEADLINE)
        assert "Traceback" not in process.stderr.read()
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


@pytest.mark.parametrize("command", ["serve", "mcp"])
def test_without_the_extra_the_command_says_which_one_to_install(tmp_path: Path, monkeypatch, command: str):
    assert call_in(tmp_path, "init").code == 0
    # The import below sets the attribute of the package, too: without this, later tests would find an empty `headwater.web`.
    monkeypatch.setattr(headwater, "web", None, raising=False)
    for name in [name for name in sys.modules if name.startswith("headwater.web")]:
        monkeypatch.delitem(sys.modules, name)
    for name in ("fastapi", "mcp", "starlette", "uvicorn"):
        monkeypatch.setitem(sys.modules, name, None)
    answer = call_in(tmp_path, command)
    assert (answer.code, "headwater[web]" in answer.err) == (1, True), answer.err


def test_a_recipe_adds_endpoints_that_are_described_and_guarded(tmp_path: Path):
    with installation(tmp_path) as app, api_client(app) as client:
        fill(app)
        base = "/api/v1/recipes/procedures"
        assert client.get(f"{base}/reviews").json() == {"items": [], "next": None}
        assert client.get(f"{base}/find?question=renovar el DNI").json()["procedure"] is None
        assert client.get(f"{base}/procedures?kind=ayuda").json()["items"] == []
        assert client.get(f"{base}/metrics").json()["stored"] == 0
        assert client.get(f"{base}/find").status_code == 400
        assert client.get(f"{base}/find?question=x&colour=red").json()["type"].endswith("bad_parameter")
        assert client.post(f"{base}/reviews/accept", json={"id": "x"}).status_code == 401
        assert client.post(f"{base}/reviews/accept", json={"id": "x"}, headers=WITH_KEY).status_code in {
            400,
            404,
        }
        assert client.post(f"{base}/reviews/accept", content=b"[", headers=WITH_KEY).status_code == 400
        paths = client.get("/api/v1/openapi.json").json()["paths"]
        assert paths[f"{base}/find"]["get"]["parameters"][0]["name"] == "question"


def test_no_answer_can_be_framed_run_or_guessed(tmp_path: Path):
    with installation(tmp_path) as app, api_client(app) as client:
        fill(app)
        capture = client.get("/api/v1/captures").json()["items"][0]["id"]
        for path in (
            "/api/v1/documents",
            "/nothing",
            "/healthz",
            "/metrics",
            f"/api/v1/captures/{capture}/body",
        ):
            headers = client.get(path).headers
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["x-frame-options"] == "DENY"
            assert "default-src 'none'" in headers["content-security-policy"]
        assert (
            client.get(f"/api/v1/captures/{capture}/body")
            .headers["content-security-policy"]
            .startswith("sandbox")
        )
