"""One word per concept: the glossary and the code agree, and words that were replaced do not come back."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
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
GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
PLAIN_WORDS = re.compile(r"these plain words: ([^.]+)\.")
CODE = re.compile(r"`([A-Za-z_.]+)`")
CLASS = re.compile(r"^class (\w+)", re.MULTILINE)


def _words(name: str) -> list[str]:
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)]


def _replaced(name: str) -> list[str]:
    return [word for word in _words(name) if word in REPLACED]


@cache
def _classes() -> dict[Path, list[str]]:
    return {path: CLASS.findall(path.read_text(encoding="utf-8")) for path in FILES}


def _parsed_where(words: re.Pattern[str], path: Path) -> ast.Module:
    """The file, or an empty one where no such word is written: that is most files, and parsing is what takes time."""
    text = path.read_text(encoding="utf-8")
    return ast.parse(text if words.search(text) else "")


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
    for path, names in _classes().items():
        for name in names:
            if not name.startswith("_"):
                places[name].append(path.relative_to(SOURCE).as_posix())
    assert len(places) > 500
    assert {name: paths for name, paths in places.items() if len(paths) > 1} == {}


def test_no_public_name_uses_a_replaced_word():
    names = [
        f"{path.relative_to(SOURCE)}: {name}"
        for path in FILES
        for name in _public_names(_parsed_where(re.compile("|".join(REPLACED), re.IGNORECASE), path))
        if set(_replaced(name)) - STORED_ONLY and name[0] != "_"
    ]
    assert names == []
    assert [path for path in FILES if _replaced(path.stem)] == []


def test_no_table_or_column_uses_a_replaced_word():
    names = [(table.name, column.name) for table in metadata.sorted_tables for column in table.columns]
    assert len(names) > 100
    assert [pair for pair in names if _replaced(pair[0]) or _replaced(pair[1])] == []


def test_no_setting_or_command_uses_a_replaced_word():
    settings = [field.name for field in msgspec.structs.fields(Settings)]
    assert [name for name in (*settings, *COMMANDS) if _replaced(name)] == []


def _singular(word: str) -> str:
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    if word.endswith(("ases", "ches")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and len(word) > 2 and word[-2] not in "aus" else word


def _parts(name: str) -> list[str]:
    return [_singular(word.lower()) for word in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", name)]


def _terms() -> set[tuple[str, ...]]:
    """The first cells of the glossary's tables; a cell may hold several terms."""
    rows = [line for line in GLOSSARY.splitlines() if line.startswith("| ")]
    return {tuple(_parts(term)) for row in rows for term in row.split("|")[1].split(",")}


def _plain_words() -> list[str]:
    (sentence,) = PLAIN_WORDS.findall(GLOSSARY)
    return sentence.replace("\n", " ").split(", ")


def _undefined(name: str) -> list[str]:
    defined = {word for term in _terms() for word in term} | set(_plain_words())
    return [word for word in _parts(name) if word not in defined]


def test_every_table_is_called_by_a_term_of_the_glossary():
    assert [table.name for table in metadata.sorted_tables if tuple(_parts(table.name)) not in _terms()] == []


def test_every_column_is_composed_of_words_of_the_glossary():
    columns = [f"{table.name}.{column.name}" for table in metadata.sorted_tables for column in table.columns]
    assert {name: words for name in columns if (words := _undefined(name.partition(".")[2]))} == {}
    assert _undefined("frobnicated_at") == ["frobnicated"]


def test_the_glossary_lists_no_plain_word_that_no_column_uses():
    used = {
        word for table in metadata.sorted_tables for column in table.columns for word in _parts(column.name)
    }
    assert sorted(set(_plain_words()) - used) == []


def test_no_column_is_a_participle_alone():
    """A time ends in `_at`, a number in `_count`, a yes or no begins with `is_`."""
    columns = [f"{table.name}.{column.name}" for table in metadata.sorted_tables for column in table.columns]
    assert [name for name in columns if re.fullmatch(r"\w+\.[a-z]+(ed|ing)", name)] == []


def test_classes_in_the_glossary_exist():
    classes = {name for name in CODE.findall(GLOSSARY) if name[0].isupper() and not name.isupper()}
    assert classes - {name for names in _classes().values() for name in names} == set()


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
PARTICIPLE = re.compile(rf"\b(?:{'|'.join(sorted(PARTICIPLES))})\b")
CODE_FOLDERS = ("src", "tests", "benchmarks", "training", "examples")


def _bare_participles(path: Path) -> Iterator[str]:
    """Functions, parameters and local variables that are called by a participle alone."""
    for function in ast.walk(_parsed_where(PARTICIPLE, path)):
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
