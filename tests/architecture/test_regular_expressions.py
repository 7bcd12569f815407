"""No text can keep a regular expression busy: its time grows with the length of the text, not with the square.

Every pattern of the program is collected, so that a new one cannot escape, and gets inputs that are derived from the pattern
itself. Only ratios of processor time are compared.
"""

import ast
import importlib
import re
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.architecture.regex_attacks import Attack, attacks

SOURCE = Path(__file__).resolve().parents[2] / "src"
PACKAGES = ("headwater", "headwater_recipes")
# Patterns and modules whose input is short, or of a known form; and why.
HARMLESS_INPUT: Mapping[str, str] = {
    "headwater.documents.dedupe.page._DATELINE": "the first 400 characters of a text",
    "headwater.extract.html.flatten._TOKEN": "markup that the parser has written: every tag in it is closed",
    "headwater.installed_packages": "metadata of the packages that are installed",
    "headwater_recipes.procedures.fields.deadlines.UNANSWERED": "sentences of at most LONGEST_SENTENCE characters",
    "headwater_recipes.procedures.fields.organism.BASQUE": "at most SEARCHED_LETTERS characters",
    "headwater_recipes.procedures.fields.organism.ENGLISH": "at most SEARCHED_LETTERS characters",
    "headwater_recipes.procedures.labels": "labels have at most LONGEST_LETTERS characters",
    "headwater_recipes.procedures.url_rules": "fullmatch of the name of a parameter",
}
# Functions that make a pattern while they run, and of what.
MADE_LATER: Mapping[str, str] = {
    "headwater.documents.cleaning.boilerplate.compile_patterns": "lists of this program; collected as its results",
    "headwater.extract.html.metadata.page_dates._broken_data_claims": "names of this program before a bounded value",
    "headwater.extract.html.parser.limit_depth": "escaped names of tags, up to the next angle bracket",
    "headwater.search.text_terms._pair_pattern": "escaped first letters of two words, from a space on",
    "headwater.sources.feeds.namespaces.with_known_namespaces": "an escaped address, inside the first tag",
    "headwater.sources.feeds.xml_repair._with_prefixes": "a prefix, which is made of letters",
    "headwater.text.folding._marks": "one class of characters",
    "headwater_recipes.markets.sources.edgar.filing_identity": "an escaped address of the operator, for addresses",
    "headwater_recipes.procedures.detection._patterns": "lists of this program; collected as its results",
    "headwater_recipes.procedures.identity.kind_tags": "lists of this program, for titles",
    "headwater_recipes.procedures.labels.vocabulary.label_rules": "lists of this program; collected as its results",
    "headwater_recipes.procedures.registry.territory.community_in": "names of regions",
}
METHODS = ("fullmatch", "match", "finditer")  # the worst is the last: it begins at every position
SIZES = (500, 2_000, 8_000)
MEASURABLE = 0.003  # seconds of processor time; the square of 8,000 takes longer
MEGABYTE, PARTS, FACTOR, ATTEMPTS = 1_000_000, 16, 3, 8


class UsedPattern(NamedTuple):
    name: str
    pattern: "re.Pattern[Any]"
    method: str


def _source_files() -> dict[str, str]:
    return {
        ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__"): path.read_text(
            "utf-8"
        )
        for package in PACKAGES
        for path in (SOURCE / package).rglob("*.py")
        if "migrations" not in path.parts
    }


FILES = _source_files()


@cache
def _tree(module: str) -> ast.Module:
    """Parsed when a test asks: each of the test processes imports this module."""
    return ast.parse(FILES[module])


@cache
def _importers() -> Mapping[tuple[str | None, str], set[str]]:
    """By module and name: the modules that import that name."""
    importers: dict[tuple[str | None, str], set[str]] = defaultdict(set)
    for module, text in FILES.items():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    importers[node.module, alias.name].add(module)
    return importers


def _walk(value: object, depth: int = 0) -> Iterator["re.Pattern[Any]"]:
    if isinstance(value, re.Pattern):
        yield value
    elif depth < 4:
        inner: list[object] = []
        if isinstance(value, dict):
            inner = [*value.keys(), *value.values()]
        elif isinstance(value, tuple | list | set | frozenset):
            inner = list(value)
        elif is_dataclass(value) and not isinstance(value, type):
            inner = [getattr(value, each.name, None) for each in fields(value)]
        for item in inner:
            yield from _walk(item, depth + 1)


def _defined_names(tree: ast.Module) -> set[str]:
    targets: list[ast.expr] = []
    for node in tree.body:
        if isinstance(node, ast.Assign):
            targets += node.targets
        elif isinstance(node, ast.AnnAssign):
            targets.append(node.target)
    names = {each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)}
    return names | {node.name for node in tree.body if isinstance(node, ast.ClassDef)}


def _method(module: str, name: str) -> str:
    """How the pattern is used, where it stands and where it is imported."""
    calls = re.compile(rf"\b{name}\.(search|match|fullmatch|sub|subn|findall|finditer|split)\b")
    users = {module} | _importers().get((module, name), set())
    uses = {method for key in users for method in calls.findall(FILES[key])}
    if not uses or uses - {"match", "fullmatch"}:
        return "finditer"
    return "match" if "match" in uses else "fullmatch"


def _named_patterns(module: str) -> Iterator[UsedPattern]:
    if "re.compile" not in FILES[module]:
        return
    names = _defined_names(_tree(module))
    values = vars(importlib.import_module(module))
    for name in sorted(names & values.keys()):
        value = values[name]
        members = list(vars(value).values()) if isinstance(value, type) else value
        for pattern in _walk(members):
            yield UsedPattern(f"{module}.{name}", pattern, _method(module, name))


def _calls_of_re(module: str) -> Iterator[tuple[str, ast.Call]]:
    """Calls inside functions, with the name of the function."""
    for function in ast.walk(_tree(module)):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in ast.walk(function):
                if (
                    isinstance(node, ast.Call)
                    and isinstance(node.func, ast.Attribute)
                    and isinstance(node.func.value, ast.Name)
                    and node.func.value.id == "re"
                    and node.func.attr != "escape"
                ):
                    yield f"{module}.{function.name}", node


def _inline_patterns(module: str) -> Iterator[UsedPattern]:
    for name, call in _calls_of_re(module):
        if isinstance(call.args[0], ast.Constant):
            method = call.func.attr  # type: ignore[attr-defined]
            yield UsedPattern(
                name, re.compile(call.args[0].value), method if method in METHODS[:2] else "finditer"
            )


def _is_harmless(name: str) -> bool:
    return any(name == each or name.startswith(f"{each}.") for each in HARMLESS_INPUT)


MODULES = sorted(module for module, text in FILES.items() if re.search(r"^import re$", text, re.MULTILINE))


def _patterns(module: str) -> list[UsedPattern]:
    return [
        each for each in (*_named_patterns(module), *_inline_patterns(module)) if not _is_harmless(each.name)
    ]


def _seconds(each: UsedPattern, attack: Attack, size: int) -> float:
    text: Any = attack.text(size)
    if isinstance(each.pattern.pattern, bytes):
        text = text.encode("utf-8", "replace")
    best = float("inf")
    for _ in range(2):
        started = time.process_time()
        if each.method == "finditer":
            for _ in each.pattern.finditer(text):
                pass
        else:
            getattr(each.pattern, each.method)(text)
        best = min(best, time.process_time() - started)
        if best < MEASURABLE:
            break
    return best


def _slowest(each: UsedPattern) -> tuple[float, Attack | None, bool]:
    """The attack that took longest, and whether one took time like the square of its length."""
    slowest: tuple[float, Attack | None, bool] = (0.0, None, False)
    for attack in attacks(each.pattern):
        before = None
        for size in SIZES:
            now = _seconds(each, attack, size)
            # Four times the text: four times the work, or sixteen times.
            suspicious = before is not None and now > MEASURABLE and now > 8 * max(before, MEASURABLE / 40)
            if suspicious and all(_is_sixteenfold(each, attack, size) for _ in range(ATTEMPTS)):
                return now, attack, True
            before = now
        slowest = max(slowest, (before or 0.0, attack, False), key=lambda result: result[0])
    return slowest


def _is_sixteenfold(each: UsedPattern, attack: Attack, size: int) -> bool:
    return _seconds(each, attack, size) > 8 * _seconds(each, attack, size // 4)


def _is_linear(each: UsedPattern, attack: Attack) -> bool:
    """Whether a megabyte takes at most three times as long as sixteen sixteenths of it. A busy machine gets more attempts."""
    parts = wholes = float("inf")
    for _ in range(ATTEMPTS):
        parts = min(parts, _seconds(each, attack, MEGABYTE // PARTS))
        wholes = min(wholes, _seconds(each, attack, MEGABYTE))
        if wholes < FACTOR * PARTS * max(parts, MEASURABLE / 10):
            return True
    return False


@pytest.mark.parametrize("module", MODULES)
def test_a_pattern_takes_time_in_proportion_to_its_text(module: str) -> None:
    for each in _patterns(module):
        _, attack, is_quadratic = _slowest(each)
        assert not is_quadratic, (each, attack)


@pytest.mark.long
@pytest.mark.parametrize("module", MODULES)
def test_a_megabyte_of_the_worst_input_takes_no_longer_than_its_parts(module: str) -> None:
    for each in _patterns(module):
        _, attack, _ = _slowest(each)
        assert attack is None or _is_linear(each, attack), (each, attack)


def test_a_pattern_that_is_made_later_is_made_of_what_the_program_knows() -> None:
    later = {
        name
        for module in MODULES
        for name, call in _calls_of_re(module)
        if not isinstance(call.args[0], ast.Constant)
    }
    assert later == set(MADE_LATER)


def test_the_exceptions_name_what_exists() -> None:
    names = {each.name for module in MODULES for each in _named_patterns(module)}
    for name in HARMLESS_INPUT:
        assert any(each == name or each.startswith(f"{name}.") for each in names), name


def test_the_attacks_find_what_is_quadratic() -> None:
    for text in (r"\s*,", r"<[^>]*>", r"<!--.*?-->", r"\s+$", r"(?:a|b)*c", r"a\s*:?\s*b", r"\w+@"):
        assert _slowest(UsedPattern("", re.compile(text), "finditer"))[2], text
    for text in (
        r",\s*",
        r"<[^<>]*>",
        r"<!--.*?(?:-->|\Z)",
        r"(?:(?<!\s)\s++)?,",
        r"a\s*+:?\s*+b",
        r"\w{1,9}@",
    ):
        assert not _slowest(UsedPattern("", re.compile(text), "finditer"))[2], text
