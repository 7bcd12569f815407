"""Reads YAML into typed records; an error names the file, the line and the field."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import msgspec.inspect
import yaml

from headwater.model.errors import Refused
from headwater.model.suggestion import suggest

T = TypeVar("T")
PLACE = re.compile(r" - at `(?P<path>\$[^`]*)`$")
PART = re.compile(r"\.(?P<name>[^.\[\]]+)|\[(?P<index>\d+|\.\.\.)\]")
SOME_ENTRY = "..."
FAST = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
UNKNOWN = re.compile(r"unknown field `(?P<field>[^`]+)`")
MISSING = re.compile(r"missing required field `(?P<field>[^`]+)`")
EXPECTED = re.compile(r"Expected `(?P<expected>[^`]+)`, got `(?P<given>[^`]+)`")
KINDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "fields (`name: value`)",
    "null": "nothing",
}
RECORDS = (msgspec.inspect.StructType, msgspec.inspect.DataclassType)
MOST_NAMES = 15


def load_yaml(path: Path, into: type[T]) -> T:
    """Returns the content of the file as `into`; refuses it with "file:line: field: what is wrong"."""
    return convert_yaml(read_yaml(path), into)


@dataclass(frozen=True, slots=True)
class YamlContent:
    """What a file contains, with its text, by which errors find their line."""

    path: Path
    text: str
    data: Any


def read_yaml(path: Path) -> YamlContent:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise Refused("missing_file", missing_file(path)) from error
    except UnicodeDecodeError as error:
        raise Refused(
            "unreadable_file", f"{path} cannot be read: it is not in UTF-8; save it as UTF-8"
        ) from error
    except OSError as error:
        raise Refused(
            "unreadable_file", f"{path} cannot be read: {error.strerror}{_remedy(error)}"
        ) from error
    try:
        return YamlContent(path, text, _parse(text))
    except yaml.YAMLError as error:
        raise Refused("bad_config", _syntax_error(path, error)) from error


def convert_yaml(content: YamlContent, into: type[T]) -> T:
    data = content.data
    try:
        return msgspec.convert({} if data is None else data, into, strict=False)
    except msgspec.ValidationError as error:
        node = yaml.compose(content.text, Loader=yaml.SafeLoader)
        raise Refused("bad_config", _located(content.path, node, data, into, str(error))) from error


def missing_file(path: Path) -> str:
    """Where a relative path was looked for is what the reader may not know."""
    where = "" if path.is_absolute() else f"; the path is relative to the current folder, {Path.cwd()}"
    return f"there is no file {path}{where}"


def _remedy(error: OSError) -> str:
    if isinstance(error, PermissionError):
        return "; let your user read it (chmod u+r)"
    return "; name a file, not a folder" if isinstance(error, IsADirectoryError) else ""


def _parse(text: str) -> Any:
    """The fast parser has worse error messages; on an error the other one parses again."""
    try:
        return yaml.load(text, Loader=FAST)  # noqa: S506 - one of the two safe ones
    except yaml.YAMLError:
        return yaml.safe_load(text)


def line_of(path: Path, keys: list[str]) -> int:
    """Returns the line of a field in a file that was read just now."""
    return _line(yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.SafeLoader), keys)


def _syntax_error(path: Path, error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    line = f":{mark.line + 1}" if mark else ""
    problem = getattr(error, "problem", None) or "it cannot be read"
    return f"{path}{line}: not valid YAML: {problem}{_syntax_remedy(problem)}"


def _syntax_remedy(problem: str) -> str:
    if "\\t" in problem:
        return "; indent with spaces, not with tabs"
    if "mapping values" in problem or "block end" in problem or "expected" in problem:
        return (
            "; check the indentation of this line and of those above, and put values with a colon into quotes"
        )
    return ""


def _located(path: Path, root: yaml.Node | None, data: Any, into: type[Any], message: str) -> str:
    place = PLACE.search(message)
    keys = [m["name"] or m["index"] for m in PART.finditer(place["path"])] if place else []
    if SOME_ENTRY in keys:
        at = keys.index(SOME_ENTRY)
        keys[at] = _wrong_entry(data, into, keys[:at])
    problem = message[: place.start()] if place else message
    if unknown := UNKNOWN.search(problem):
        problem = _unknown_field(unknown["field"], field_names(into, keys))
        keys.append(unknown["field"])
    else:
        problem = in_plain_words(problem)
    line = _line(root, keys)
    field = ".".join(keys) or "the whole file"
    return f"{path}:{line}: {field}: {problem}"


def _unknown_field(field: str, names: Sequence[str]) -> str:
    suggestion = suggest(field, names)
    if suggestion or not names:
        return f"there is no such field{suggestion}"
    shown = ", ".join(names[:MOST_NAMES]) + (", …" if len(names) > MOST_NAMES else "")
    return f"there is no such field; there are: {shown}"


def field_names(into: Any, keys: Sequence[str]) -> list[str]:
    """The names of the fields that the record at this place may have."""
    kinds = [msgspec.inspect.type_info(into)]
    for key in keys:
        kinds = [child for kind in kinds for child in _children(kind, key)]
    records = [kind for kind in _alternatives(kinds) if isinstance(kind, RECORDS)]
    return [field.encode_name for kind in records for field in kind.fields]


def _alternatives(kinds: Sequence[Any]) -> list[Any]:
    parts = [kind.types if isinstance(kind, msgspec.inspect.UnionType) else (kind,) for kind in kinds]
    return [_unwrapped(kind) for group in parts for kind in group]


def _unwrapped(kind: Any) -> Any:
    return kind.type if isinstance(kind, msgspec.inspect.Metadata) else kind


def _children(kind: Any, key: str) -> list[Any]:
    children: list[Any] = []
    for one in _alternatives([_unwrapped(kind)]):
        if isinstance(one, RECORDS):
            children += [field.type for field in one.fields if field.encode_name == key]
        elif isinstance(one, msgspec.inspect.DictType):
            children.append(one.value_type)
        elif hasattr(one, "item_type"):
            children.append(one.item_type)
    return children


def in_plain_words(problem: str) -> str:
    """ "Expected `int | null`, got `str`" as people say it."""
    if match := EXPECTED.search(problem):
        expected = " or ".join(
            KINDS.get(kind, f"`{kind}`") for kind in match["expected"].split(" | ") if kind != "null"
        )
        return f"expected {expected}, not {KINDS.get(match['given'], match['given'])}"
    if match := MISSING.search(problem):
        return f"the field `{match['field']}` is missing"
    return problem


def _wrong_entry(data: Any, into: type[Any], parents: list[str]) -> str:
    """Returns the wrong entry of a mapping, where the message does not name it: the one that is wrong on its own."""
    entries = data
    for part in parents:
        entries = entries[part]
    for name in entries:
        try:
            msgspec.convert(_with_one_entry(data, parents, name), into, strict=False)
        except msgspec.ValidationError:
            return str(name)
    return SOME_ENTRY


def _with_one_entry(data: Any, parents: list[str], name: Any) -> Any:
    if not parents:
        return {name: data[name]}
    return {**data, parents[0]: _with_one_entry(data[parents[0]], parents[1:], name)}


def _line(root: yaml.Node | None, keys: list[str]) -> int:
    """Returns the line of the deepest part of the field's path that is in the file."""
    node, line = root, 1
    for part in keys:
        child, at = _child(node, part)
        if child is None:
            break
        node, line = child, at
    return line


def _child(node: Any, part: str) -> tuple[Any, int]:
    if isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            if name.value == part:
                return value, name.start_mark.line + 1
    if isinstance(node, yaml.SequenceNode) and part.isdigit() and int(part) < len(node.value):
        child = node.value[int(part)]
        return child, child.start_mark.line + 1
    return None, 0
