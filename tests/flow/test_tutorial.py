"""The tutorial, followed to the letter in an empty folder: every file is saved, every command is run."""

import json
import re
import shlex
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.flow.command_line import CommandResult, call_in, shell

from headwater_demo.internet import running

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "tutorial" / "first-collection.md"
BLOCK = re.compile(
    r"(?:Save this as `(?P<name>[\w.]+)`:\n\n)?^```(?P<kind>\w+)\n(?P<body>.*?)^```", re.MULTILINE | re.DOTALL
)
PRACTICE = "http://127.0.0.1:8090"
# These commands install, serve or run until they are stopped; the test replaces them.
LEFT_OUT = ("python3 ", ". venv", "pip ", "headwater demo serve")


def _blocks() -> list[tuple[str | None, str, str]]:
    return [(m["name"], m["kind"], m["body"]) for m in BLOCK.finditer(PAGE.read_text(encoding="utf-8"))]


def _commands() -> list[str]:
    lines = [line for _, kind, body in _blocks() if kind == "bash" for line in body.splitlines()]
    return [line for line in lines if not line.startswith(LEFT_OUT) and line != "headwater run news"]


def _call(line: str, folder: Path, *, alone: bool) -> CommandResult:
    """Calls it as a program of its own, or else in this process, which has the same result sooner."""
    program, *words = shlex.split(line)
    assert program == "headwater"
    return shell(*words, at=folder) if alone else call_in(folder, *words)


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What every command of the page printed, in order."""
    folder = tmp_path_factory.mktemp("tutorial")
    printed: dict[str, list[str]] = {}
    with running(size="small", process=True) as internet:
        for name, kind, body in _blocks():
            if kind == "yaml":
                assert name is not None, "the page says under which name a file is saved"
                # One page a second is polite, and takes longer than a test may.
                text = f"{body.replace(PRACTICE, internet.base_url)}requests_per_second: 0\n"
                (folder / name).write_text(text, encoding="utf-8")
        for line in _commands():
            command = _with_real_id(line, printed)
            completed = _call(command, folder, alone=line not in printed and " run " in line)
            assert completed.code == 0, f"{command}: {completed.out}{completed.err}"
            printed.setdefault(line, []).append(completed.out)
    return printed


def _with_real_id(line: str, printed: dict[str, list[str]]) -> str:
    if not line.startswith("headwater explain "):
        return line
    listed = re.search(r'"id": ?"([0-9a-f]{12,})', printed["headwater docs list --json"][0])
    assert listed is not None
    return f"headwater explain {listed[1]}"


def test_the_tutorial_saves_one_file_and_follows_five_kinds_of_source(outputs: dict[str, list[str]]):
    assert [name for name, kind, _ in _blocks() if kind == "yaml"] == ["headwater.yaml"]
    added = [text for line, (text, *_) in outputs.items() if line.startswith("headwater sources add")]
    kinds = {kind for text in added for kind in re.findall(r"\((feed|sitemap|crawl|page|json), ", text)}
    assert kinds == {"feed", "sitemap", "crawl", "page", "json"}


def test_every_kind_of_source_brings_documents(outputs: dict[str, list[str]]):
    rows = [json.loads(line) for line in outputs["headwater docs list --json"][0].splitlines()]
    hosts = {urlsplit(row["url"]).hostname for row in rows}
    assert len(hosts) == 5, hosts
    assert " 2 sources" in outputs["headwater top --since 2026-11-01"][0], "stories join sites"


def test_the_second_run_stores_nothing_new(outputs: dict[str, list[str]]):
    first, second = outputs["headwater run news --once"]
    assert re.search(r"\b0 new\b|nothing new", second), second
    assert first != second


def test_a_search_and_an_explanation_answer(outputs: dict[str, list[str]]):
    assert "network" in outputs["headwater search network"][0].lower()
    (explained,) = [text for line, (text, *_) in outputs.items() if line.startswith("headwater explain")]
    assert "ledgerlane.example" in explained or ".example/" in explained
