"""`headwater extract`: files, folders, patterns, lists and addresses in; one line for each out."""

import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from tests.flow.command_line import CommandResult, call_in
from tests.pure.test_extract_samples import BOE, samples

from headwater.cli.standalone.extract import profile_reader
from headwater.model.errors import Refused
from headwater.model.outcomes import ExtractHints


def run(*arguments: str, stdin: str = "", cwd: Path | None = None) -> CommandResult:
    """With one child that reads, unless a test asks for more: each imports the readers of all formats."""
    workers = () if "--workers" in arguments else ("--workers", "1")
    return call_in(cwd or Path.cwd(), *arguments, *workers, stdin=stdin)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, data in samples().items():
        (tmp_path / f"{name}.bin").write_bytes(data)
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "notes.txt").write_text("Some notes of the harbour office.")
    (tmp_path / "deep" / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    return tmp_path


def test_a_folder_results_in_one_line_per_file(folder: Path) -> None:
    out = folder.parent / f"{folder.name}.jsonl"
    completed = run("extract", str(folder), "--out", str(out), "--workers", "2")
    lines = {Path(line["input"]).name: line for line in map(json.loads, out.read_text().splitlines())}
    assert completed.code == 0
    assert set(lines) == {f"{name}.bin" for name in samples()} | {"notes.txt", "broken.pdf"}
    assert lines["broken.pdf"]["ok"] is False
    assert lines["broken.pdf"]["reason"] == "malformed"
    assert lines["docx.bin"]["title"] == "Harbour dues"
    assert "8 done, 7 read, 1 failed" in completed.err


def test_lists_and_patterns_keep_their_order(folder: Path) -> None:
    names = ["rtf.bin", "missing.bin", "eml.bin", "deep/notes.txt"]
    completed = run("extract", "-", "*.nothing", "--in-order", "-q", stdin="\n".join(names), cwd=folder)
    lines = [json.loads(line) for line in completed.out.splitlines()]
    assert [line["input"] for line in lines] == names
    assert lines[1]["reason"] == "cannot_open"
    assert completed.err == ""
    assert completed.code == 0


def test_only_the_text_is_printed_on_request(folder: Path) -> None:
    markdown = run("extract", "docx.bin", "--format", "markdown", cwd=folder)
    assert markdown.out.startswith("# Scope\n")
    plain = run("extract", "docx.bin", "deep/broken.pdf", "--format", "text", cwd=folder)
    assert "==> docx.bin <==\nScope\n" in plain.out
    assert "deep/broken.pdf: malformed" in plain.err


def test_nothing_read_is_a_failure(folder: Path) -> None:
    assert run("extract", "deep/broken.pdf", cwd=folder).code == 1
    empty = run("extract", "*.nothing", cwd=folder)
    assert (empty.code, empty.out) == (1, "")
    assert "no file matches" in empty.err
    os.mkfifo(folder / "pipe")
    (folder / "link").symlink_to("missing")
    lines = [
        json.loads(line) for line in run("extract", "link", "pipe", "--in-order", cwd=folder).out.splitlines()
    ]
    assert [line["reason"] for line in lines] == ["cannot_open", "not_a_file"]


class Site(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = samples()["pdf"] if self.path == "/dues.pdf" else b"no"
        self.send_response(200 if self.path == "/dues.pdf" else 404)
        self.send_header("Content-Type", "application/pdf")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def test_addresses_are_fetched_under_the_rules_of_the_settings(folder: Path) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    host = f"127.0.0.1:{server.server_port}"
    config = folder / "settings.yaml"
    config.write_text(f"allow: ['{host}']\nrequests_per_second: 0\ndata: {folder / 'data'}\n")
    try:
        completed = run(
            "--config",
            str(config),
            "extract",
            f"http://{host}/dues.pdf",
            f"http://{host}/no",
            "rtf.bin",
            cwd=folder,
        )
        refused = run("extract", f"http://{host}/dues.pdf", cwd=folder)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    lines = {line["input"]: line for line in map(json.loads, completed.out.splitlines())}
    assert lines[f"http://{host}/dues.pdf"]["title"] == "Harbour dues"
    assert lines[f"http://{host}/no"]["reason"] == "http_404"
    assert lines["rtf.bin"]["ok"] is True
    assert json.loads(refused.out)["reason"] == "forbidden_address"
    assert not (folder / "data").exists()


def test_a_profile_chooses_how_pages_are_read(tmp_path: Path) -> None:
    words = (
        "The keeper of the lamp wrote down the wind, the tide and the names of those who came to visit. " * 4
    )
    page = tmp_path / "page.html"
    page.write_text(f"<html><body><article><p>{words}</p></article></body></html>")
    methods = {
        profile: json.loads(run("extract", str(page), "--profile", profile, "--quiet").out)["method"]
        for profile in ("blocks", "selectors")
    }
    assert methods == {"blocks": "html blocks", "selectors": "selectors"}


def test_a_recipe_offers_a_profile_of_its_own() -> None:
    law = ExtractHints(media_type="application/xml")
    methods = [profile_reader(name)(BOE, law).method for name in ("blocks", "procedures")]
    assert methods == ["xml", "boe"]
    with pytest.raises(Refused, match="and of recipes: procedures"):
        profile_reader("none")
