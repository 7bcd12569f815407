"""The cascade of readers: when one brings too little, the next one is tried, and the document says which one it was."""

import json
import re
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
import yaml
from tests.flow.command_line import call, call_in
from tests.support.deadline import LONGEST_RUN
from tests.support.poll_sessions import context_for
from tests.support.recipe_run import QuickClock

from headwater.runtime.inline import run_inline
from headwater_recipes.geopolitics import configure

GUIDE = Path(__file__).parents[2] / "docs" / "how-to" / "geopolitics.md"
ADDRESS = "http://quay.example/barges"


@pytest.fixture(scope="module")
def printed_page() -> str:
    """The page of the guide as it stands there, without the tags that a page may leave out."""
    (body,) = re.findall(r"```html\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    return str(body)


@pytest.fixture(scope="module")
def page(printed_page: str) -> str:
    return f'<html lang="en"><head><title>Barges</title></head><body>{printed_page}</body></html>'


@pytest.fixture
def base_url(page: str) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path == "/barges" else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(page.encode())

        def log_message(self, *_: object) -> None:
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_g6_the_page_of_the_guide_is_read_by_the_fourth_reader(printed_page: str, tmp_path: Path):
    (tmp_path / "page.html").write_text(printed_page, encoding="utf-8")
    completed = call_in(tmp_path, "extract", "page.html", "--profile", "cascade", "--workers", "1")
    line = json.loads(completed.out)
    assert line["method"] == "boilerpy3"
    lengths = {"trafilatura": 112, "readability": 105, "justext": 0, "boilerpy3": 645}
    assert line["candidates"] == lengths
    assert "({trafilatura}, {readability}, {justext} and {boilerpy3} here)".format(
        **lengths
    ) in GUIDE.read_text(encoding="utf-8")


def test_g6_when_the_first_readers_bring_too_little_the_next_delivers_and_the_document_says_so(
    base_url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    list_file = tmp_path / "flashpoints.yaml"
    flashpoint = {"title": "Selby", "entries": [{"url": ADDRESS, "title": "Barges"}]}
    list_file.write_text(yaml.safe_dump({"flashpoints": [flashpoint]}), encoding="utf-8")
    recipe = configure(list_file, {"settle": "1s", "tier": "A", "extract": "cascade"})
    with context_for(tmp_path, base_url, recipe, QuickClock()) as (app, context):
        app.register(recipe)
        assert run_inline(context, ["geopolitics"], horizon=timedelta(0), longest=LONGEST_RUN)
    explained = call(capsys, monkeypatch, "--data", str(tmp_path / "data"), "explain", ADDRESS)
    assert explained.code == 0, explained.err
    shown = " ".join(explained.out.split())
    assert "extract (version boilerpy3)" in shown
    assert "readers={" in shown
    assert "'justext': 0, 'boilerpy3': " in shown
