"""No text can keep a regular expression busy: the time grows with its length, not with the square of it.

Every compiled pattern of the program is collected and gets inputs that are derived from the pattern itself. Only ratios of
processor time are compared.
"""

import importlib
import pkgutil
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.architecture.regex_attacks import Attack, attacks

SOURCE = Path(__file__).resolve().parents[2] / "src"
PACKAGES = ("headwater", "headwater_recipes")
# Patterns and modules whose input is short, or not from outside; and why.
SHORT_INPUT: Mapping[str, str] = {
    "headwater_recipes.procedures.labels": "labels have at most LONGEST_LABEL characters",
}
SIZES = (500, 2_000, 8_000, 32_000)
MEASURABLE = 0.003  # seconds of processor time; less than this at 32 KB cannot be the square of anything
MEGABYTE, PART = 1_000_000, 62_500
FACTOR = 3


class NamedPattern(NamedTuple):
    name: str
    pattern: "re.Pattern[Any]"
    method: str


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


def _modules() -> Iterator[Any]:
    for package in map(importlib.import_module, PACKAGES):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if ".migrations." not in module.name and not module.name.endswith("__main__"):
                yield importlib.import_module(module.name)


@cache
def _uses() -> dict[str, set[str]]:
    """For each name of a pattern, the methods that are called on it anywhere."""
    calls = re.compile(r"\b([A-Za-z_]\w*)\.(search|match|fullmatch|sub|subn|findall|finditer|split)\b")
    uses: dict[str, set[str]] = {}
    for path in SOURCE.rglob("*.py"):
        for name, method in calls.findall(path.read_text(encoding="utf-8")):
            uses.setdefault(name, set()).add(method)
    return uses


def _method(name: str) -> str:
    """How the pattern is used; a search from every position is the worst way."""
    uses = _uses().get(name, {"search"})
    if uses <= {"fullmatch"}:
        return "fullmatch"
    return "match" if uses <= {"match", "fullmatch"} else "finditer"


def _patterns() -> list[NamedPattern]:
    seen: dict[tuple[Any, int], NamedPattern] = {}
    for module in _modules():
        for name, value in list(vars(module).items()):
            members = (
                list(vars(value).values())
                if isinstance(value, type) and value.__module__ == module.__name__
                else [value]
            )
            for pattern in (pattern for member in members for pattern in _walk(member)):
                where = f"{module.__name__}.{name}"
                seen.setdefault((pattern.pattern, pattern.flags), NamedPattern(where, pattern, _method(name)))
    return list(seen.values())


def _is_short(name: str) -> bool:
    return any(name == each or name.startswith(f"{each}.") for each in SHORT_INPUT)


PATTERNS = [each for each in _patterns() if not _is_short(each.name)]


def _seconds(each: NamedPattern, attack: Attack, size: int) -> float:
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


def _is_quadratic(each: NamedPattern, attack: Attack) -> bool:
    before = None
    for size in SIZES:
        now = _seconds(each, attack, size)
        # Four times the text: four times the work, or sixteen times.
        if before is not None and now > MEASURABLE and now > 8 * max(before, MEASURABLE / 40):
            return True
        before = now
    return False


@pytest.mark.parametrize(
    "each", PATTERNS, ids=[f"{each.name}-{number}" for number, each in enumerate(PATTERNS)]
)
def test_a_pattern_takes_time_in_proportion_to_its_text(each: NamedPattern) -> None:
    assert next((attack for attack in attacks(each.pattern) if _is_quadratic(each, attack)), None) is None
