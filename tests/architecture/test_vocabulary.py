"""One word per concept: the glossary and the code agree, and words that were replaced do not come back."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from headwater.cli.commands import COMMANDS
from headwater.settings.settings import Settings
from headwater.store.tables import metadata

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"
FILES = sorted(path for name in ("headwater", "headwater_recipes") for path in (SOURCE / name).rglob("*.py"))
REPLACED = {
    "bell": "stop signal",
    "chore": "maintenance task",
    "chores": "maintenance tasks",
    "conversation": "poll session",
    "crew": "worker pool",
    "desk": "job context",
    "errand": "delivery",
    "furniture": "boilerplate",
    "governor": "rate limiter",
    "hire": "start",
    "home": "environment",
    "homes": "environments",
    "housed": "with data dir",
    "journey": "in-flight request",
    "mourn": "reap",
    "parcel": "envelope",
    "patience": "retry policy, timeout",
    "pulse": "lease renewer",
    "retelling": "LLM summary",
    "rung": "rule",
    "rungs": "rules",
    "told": "what it is",
    "turnstile": "admission",
}
# A web page may be a home page; an environment is not called home.
STORED_ONLY = {"home", "homes"}
CODE = re.compile(r"`([A-Za-z_.]+)`")


def _words(name: str) -> list[str]:
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)]


def _replaced(name: str) -> list[str]:
    return [word for word in _words(name) if word in REPLACED]


def _public_names(tree: ast.Module) -> Iterator[str]:
    """Functions, classes, methods, constants and fields, without locals and parameters."""
    for node in tree.body:
        yield from _names(node)
        if isinstance(node, ast.ClassDef):
            for member in node.body:
                yield from _names(member)


def _names(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        yield node.target.id
    elif isinstance(node, ast.Assign):
        yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def test_a_class_name_stands_for_one_concept():
    places = defaultdict(list)
    for path in FILES:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(path.relative_to(SOURCE).as_posix())
    assert {name: paths for name, paths in places.items() if len(paths) > 1} == {}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_no_public_name_uses_a_replaced_word(path: Path):
    names = _public_names(ast.parse(path.read_text(encoding="utf-8")))
    assert [name for name in names if set(_replaced(name)) - STORED_ONLY and name[0] != "_"] == []
    assert _replaced(path.stem) == []


def test_no_table_or_column_uses_a_replaced_word():
    names = [(table.name, column.name) for table in metadata.sorted_tables for column in table.columns]
    assert len(names) > 100
    assert [pair for pair in names if _replaced(pair[0]) or _replaced(pair[1])] == []


def test_no_setting_or_command_uses_a_replaced_word():
    settings = [field.name for field in msgspec.structs.fields(Settings)]
    assert [name for name in (*settings, *COMMANDS) if _replaced(name)] == []


def test_classes_in_the_glossary_exist():
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    classes = {name for name in CODE.findall(text) if name[0].isupper() and not name.isupper()}
    defined = {
        node.name
        for path in FILES
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef)
    }
    assert classes - defined == set()


PARTICIPLES = frozenset(
    {
        "asked",
        "begun",
        "found",
        "given",
        "heard",
        "held",
        "known",
        "made",
        "meant",
        "said",
        "seen",
        "told",
        "wanted",
    }
)
CODE_FOLDERS = ("src", "tests", "benchmarks", "training", "examples")


def _bare_participles(path: Path) -> Iterator[str]:
    """Functions, parameters and local variables that are called by a participle alone."""
    for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        names = {function.name} | {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)}
        names |= {
            node.id
            for node in ast.walk(function)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        yield from (f"{path.relative_to(ROOT)}: {function.name}: {name}" for name in names & PARTICIPLES)


@pytest.mark.parametrize("folder", CODE_FOLDERS)
def test_a_name_says_what_a_thing_is_and_not_what_happened_to_it(folder: str):
    names = [name for path in sorted((ROOT / folder).rglob("*.py")) for name in _bare_participles(path)]
    assert names == []
