"""ProcedureDoc's JSON Schema, and as much of a validator as it uses."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

SCHEMA = Path(__file__).with_name("ProcedureDoc.v1.schema.json")
_TYPES: Mapping[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
    "null": lambda value: value is None,
}


@cache
def schema() -> Mapping[str, Any]:
    told: Mapping[str, Any] = json.loads(SCHEMA.read_text(encoding="utf-8"))
    return told


def schema_problems(document: Any) -> list[str]:
    """What the schema objects to, each with its place; empty for a valid document."""
    return list(_problems(document, schema(), "$"))


def _problems(value: Any, rules: Mapping[str, Any], place: str) -> Iterator[str]:
    kinds = rules.get("type")
    if kinds is not None:
        wanted = [kinds] if isinstance(kinds, str) else kinds
        if not any(_TYPES[kind](value) for kind in wanted):
            yield f"{place}: {' or '.join(wanted)} is needed"
            return
    if "const" in rules and value != rules["const"]:
        yield f"{place}: must be {rules['const']!r}"
    if "enum" in rules and value not in rules["enum"]:
        yield f"{place}: {value!r} is none of {rules['enum']}"
    if "anyOf" in rules and all(any(True for _ in _problems(value, one, place)) for one in rules["anyOf"]):
        yield f"{place}: fits none of the forms that are allowed"
    if isinstance(value, str):
        yield from _of_text(value, rules, place)
    elif isinstance(value, dict):
        yield from _of_object(value, rules, place)
    elif isinstance(value, list):
        yield from _of_list(value, rules, place)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from _of_number(value, rules, place)


def _of_text(value: str, rules: Mapping[str, Any], place: str) -> Iterator[str]:
    if len(value) < rules.get("minLength", 0):
        yield f"{place}: at least {rules['minLength']} characters are needed"
    if "pattern" in rules and not re.search(rules["pattern"], value):
        yield f"{place}: {value[:60]!r} does not fit {rules['pattern']}"


def _of_number(value: float, rules: Mapping[str, Any], place: str) -> Iterator[str]:
    if value < rules.get("minimum", value) or value > rules.get("maximum", value):
        yield f"{place}: {value} is out of range"


def _of_list(value: list[Any], rules: Mapping[str, Any], place: str) -> Iterator[str]:
    if len(value) < rules.get("minItems", 0):
        yield f"{place}: at least {rules['minItems']} are needed"
    for number, one in enumerate(value):
        yield from _problems(one, rules.get("items", {}), f"{place}[{number}]")


def _of_object(value: dict[str, Any], rules: Mapping[str, Any], place: str) -> Iterator[str]:
    yield from (f"{place}.{name}: is missing" for name in rules.get("required", ()) if name not in value)
    known = rules.get("properties", {})
    others = rules.get("additionalProperties", True)
    for name, one in value.items():
        if name in known:
            yield from _problems(one, known[name], f"{place}.{name}")
        elif others is False:
            yield f"{place}.{name}: is not allowed"
        elif isinstance(others, Mapping):
            yield from _problems(one, others, f"{place}.{name}")
