"""The core knows no recipe: no identifier and no string of `headwater` has a word that only one recipe uses. Store classes are
built in one place."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

CORE = Path(__file__).resolve().parents[2] / "src" / "headwater"
WORDS = frozenset(
    [
        "accession",
        "bitcoin",
        "boe",
        "boletin",
        "cik",
        "coin",
        "coins",
        "crypto",
        "earnings",
        "edgar",
        "filing",
        "filings",
        "flashpoint",
        "flashpoints",
        "gazette",
        "geopolitics",
        "hotspot",
        "hotspots",
        "markets",
        "market",
        "procedures",
        "procedure",
        "ticker",
        "tickers",
        "tier",
        "tiers",
        "tramite",
        "watchlist",
    ]
)
PHRASES = ("sec.gov", "target_date", "watch_list")
WORD = re.compile(r"[a-z]+")
# What may name a recipe, and why.
ALLOWED = {
    "cli/demo.py": "the demo runs the recipes of this project over the demo internet",
    "settings/reference.py": "an example of a setting names an installed recipe",
}
BUILDERS = ("cli", "web", "ops", "runtime")


def texts(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Identifiers and strings, documentation included, with their lines."""
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield line, node.value
        for name in ("id", "attr", "name", "arg", "module"):
            if isinstance(value := getattr(node, name, None), str):
                yield line, value


def recipe_words(text: str) -> set[str]:
    lowered = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", text).lower()
    return {word for word in WORD.findall(lowered) if word in WORDS} | {
        phrase for phrase in PHRASES if phrase in lowered
    }


@pytest.mark.parametrize(
    "text", ["FlashpointRun", "pipeline_tier", "*.sec.gov", "run --tier B", "watch_list"]
)
def test_a_word_of_a_recipe_is_recognised(text: str):
    assert recipe_words(text)


@pytest.mark.parametrize("text", ["frontier", "seconds", "gazetteer", "section", "coincide"])
def test_a_longer_word_is_another_word(text: str):
    assert not recipe_words(text)


def test_no_module_of_the_core_has_words_of_a_recipe():
    problems = [
        f"{path.relative_to(CORE)}:{line}: {', '.join(sorted(words))} in {text[:60]!r}"
        for path in sorted(CORE.rglob("*.py"))
        if str(path.relative_to(CORE)) not in ALLOWED
        and recipe_words(path.read_text(encoding="utf-8"))  # perhaps only in a comment
        for line, text in texts(ast.parse(path.read_text(encoding="utf-8")))
        if (words := recipe_words(text))
    ]
    assert problems == []


def test_every_exception_is_needed():
    for name in ALLOWED:
        tree = ast.parse((CORE / name).read_text(encoding="utf-8"))
        assert any(recipe_words(text) for _, text in texts(tree)), name


def test_store_classes_are_built_by_the_app():
    """Commands, servers and tasks get them from `App`, which knows the database."""
    problems = []
    for path in sorted(path for package in BUILDERS for path in (CORE / package).rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text if "headwater.store." in text else "")
        classes = {
            alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("headwater.store.")
            for alias in node.names
        }
        problems += [
            f"{path.relative_to(CORE)}:{node.lineno}: {node.func.id}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in classes
            and node.func.id[0].isupper()
            and any(isinstance(part, ast.Attribute) and part.attr == "engine" for part in node.args)
        ]
    assert problems == []
