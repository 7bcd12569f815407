"""Every extra that a message or a page names exists, a message quotes it for the shell, and an extra brings what it needs."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from tests.support.deadline import DEADLINE
from tests.support.extra_imports import ENTRY_MODULES

ROOT = Path(__file__).resolve().parents[2]
EXTRA = re.compile(r"headwater\[(?P<names>[a-z,-]+)\]")
UNQUOTED = re.compile(r"pip install (?:-\S+ )*headwater\[")
FILES = [
    path
    for pattern in ("src/**/*.py", "docs/**/*.md", "*.md", "deploy/**/*")
    for path in sorted(ROOT.glob(pattern))
    if path.is_file() and path.suffix in {".py", ".md", ".yaml", ".toml", ".sh", ""}
]


def extras() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return set(project["optional-dependencies"])


def test_every_extra_that_is_named_exists():
    named = {
        (name, str(path.relative_to(ROOT)))
        for path in FILES
        for match in EXTRA.finditer(path.read_text(encoding="utf-8"))
        for name in match["names"].split(",")
    }
    assert len({name for name, _ in named}) > 3
    assert sorted(place for place in named if place[0] not in extras()) == []


@pytest.mark.parametrize("folder", ["src", "docs"])
def test_an_extra_is_quoted_for_the_shell(folder: str):
    """Without quotes, zsh takes the brackets for a pattern."""
    unquoted = [
        str(path.relative_to(ROOT))
        for path in FILES
        if path.is_relative_to(ROOT / folder) and UNQUOTED.search(path.read_text(encoding="utf-8"))
    ]
    assert unquoted == []


def test_each_extra_brings_every_package_that_its_modules_import():
    """Other extras and the tools of developers are installed here, too, so a plain import would miss nothing."""
    assert set(ENTRY_MODULES) == extras()
    command = [sys.executable, "-m", "tests.support.extra_imports"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=DEADLINE, check=True)
    assert ended.stdout == ""
