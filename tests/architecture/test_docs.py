"""What the pages show is true: code runs, commands exist, links lead somewhere, finished files are the real ones."""

import json
import re
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.support.deadline import DEADLINE

from headwater.cli.reference import commands

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
FENCED = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#:]+)\)")


@cache
def _commands() -> dict[str, Any]:
    """By their names. All of them are imported, so only when a test asks."""
    return dict(commands())


def _blocks(language: str) -> list[tuple[str, str]]:
    """(page, block) of every fenced block in a language."""
    return [
        (page.relative_to(ROOT).as_posix(), body)
        for page in PAGES
        for kind, body in FENCED.findall(page.read_text(encoding="utf-8"))
        if kind == language
    ]


def _calls() -> list[tuple[str, str]]:
    return [
        (page, line.split(" #")[0].strip())
        for page, body in _blocks("bash")
        for line in body.splitlines()
        if line.startswith("headwater ")
    ]


def _is_finished_file(body: str) -> bool:
    return any(body == example.read_text(encoding="utf-8") for example in EXAMPLES)


# Each block in a folder and with names of its own. One process for all, because most of its time goes into imports.
RUN_BLOCKS = """
import json, os, pathlib, sys
for number, (page, body) in enumerate(json.load(sys.stdin)):
    folder = pathlib.Path.cwd().parent / f"block{number}"
    folder.mkdir()
    os.chdir(folder)
    exec(compile(body, page, "exec"), {"__name__": "__main__"})
"""


def _run(*words: str, at: Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
    search = f"{ROOT / 'src'}:{ROOT / 'examples'}"
    return subprocess.run(
        [sys.executable, *words],
        cwd=at,
        input=stdin,
        env={"PYTHONPATH": search, "PATH": "/usr/bin:/bin", "HOME": str(at)},
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )


def test_code_on_the_pages_runs(tmp_path: Path):
    blocks = [(page, body) for page, body in _blocks("python") if not _is_finished_file(body)]
    assert len(blocks) > 10
    (tmp_path / "start").mkdir()
    result = _run("-c", RUN_BLOCKS, at=tmp_path / "start", stdin=json.dumps(blocks))
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_a_finished_file_on_a_page_is_the_real_one(example: Path):
    shown = [page for page, body in _blocks("python") if body == example.read_text(encoding="utf-8")]
    assert len(shown) == 1, f"no page shows {example.name} as it is"


def test_the_example_recipe_runs_with_its_own_source_step_and_sink(tmp_path: Path):
    result = _run(str(ROOT / "examples" / "digest.py"), "data", at=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "'dropped': " in result.stdout
    kept_count = re.search(r"'kept': (\d+)", result.stdout)
    assert kept_count is not None
    assert f"\n{kept_count[1]} headlines delivered" in result.stdout


def test_commands_on_the_pages_exist_with_their_options():
    calls = _calls()
    assert len(calls) > 50
    for page, line in calls:
        _check_call(page, line)


def _check_call(page: str, line: str) -> None:
    words = shlex.split(line)
    path, options = "headwater", set()
    for word in words[1:]:
        if f"{path} {word}" in _commands():
            path = f"{path} {word}"
        elif word.startswith("-"):
            options.add((path, word))
    assert path != "headwater", f"{page}: {line}"
    for owner, option in options:
        command_options = {name for parameter in _commands()[owner].params for name in parameter.opts}
        assert option in command_options, f"{page}: {owner} has no {option}"


def test_links_lead_somewhere():
    missing = [
        f"{page.name}: {target}"
        for page in PAGES
        for target in LINK.findall(page.read_text(encoding="utf-8"))
        if not (page.parent / target).exists()
    ]
    assert missing == []


def test_the_readme_begins_with_the_two_commands():
    first = FENCED.search((ROOT / "README.md").read_text(encoding="utf-8"))
    assert first is not None
    assert [line.split()[:2] for line in first[2].splitlines()] == [["make", "run"], ["make", "test"]]


def test_the_architecture_fits_one_page():
    assert len((ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").splitlines()) <= 100


def test_every_folder_of_the_engine_is_in_the_architecture():
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    folders = [
        path.name for path in (ROOT / "src" / "headwater").iterdir() if (path / "__init__.py").exists()
    ]
    assert len(folders) > 10
    assert [name for name in folders if f"`{name}/`" not in text] == []
