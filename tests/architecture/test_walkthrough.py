"""The walk through the code in the architecture page leads along names that exist, in few enough steps."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
PLACE = re.compile(r"`((?:[a-z_]+/)+[a-z_]+\.py):([\w.]+)`")
PLACES = sorted(set(PLACE.findall(PAGE)))


def _steps(heading: str) -> list[str]:
    section = PAGE.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    return [line for line in section.splitlines() if re.match(r"\d+\. ", line)]


def _defined_names(path: Path) -> set[str]:
    names = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        if isinstance(node, ast.ClassDef):
            methods = (item.name for item in node.body if isinstance(item, ast.FunctionDef))
            names |= {f"{node.name}.{method}" for method in methods}
    return names


@pytest.mark.parametrize(("file", "name"), PLACES, ids=[f"{file}:{name}" for file, name in PLACES])
def test_a_named_place_exists(file: str, name: str):
    folder = ROOT / "src" if file.startswith("headwater_") else ROOT / "src" / "headwater"
    assert name in _defined_names(folder / file)


@pytest.mark.parametrize(
    ("heading", "most"),
    [("One RSS entry, from source to file", 15), ("One story, from documents to alert", 10)],
)
def test_a_walk_is_short_and_names_a_place_in_every_step(heading: str, most: int):
    steps = _steps(heading)
    assert 5 < len(steps) <= most
    assert all(PLACE.search(step) for step in steps)
