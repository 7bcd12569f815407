"""Reads YAML into typed records; an error names the file, the line and the field."""

import re
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import yaml

from headwater.model.errors import Refused

T = TypeVar("T")
PLACE = re.compile(r" - at `(?P<path>\$[^`]*)`$")
PART = re.compile(r"\.(?P<name>[^.\[\]]+)|\[(?P<index>\d+|\.\.\.)\]")
SOME_ENTRY = "..."
FAST = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
UNKNOWN = re.compile(r"unknown field `(?P<field>[^`]+)`")


def load_yaml(path: Path, into: type[T]) -> T:
    """Returns the content of the file as `into`; refuses it with "file:line: field: what is wrong"."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise Refused("missing_file", f"there is no file {path}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise Refused("unreadable_file", f"{path} cannot be read: {error}") from error
    try:
        data = _parse(text)
    except yaml.YAMLError as error:
        raise Refused("bad_config", _syntax_error(path, error)) from error
    try:
        return msgspec.convert({} if data is None else data, into, strict=False)
    except msgspec.ValidationError as error:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        raise Refused("bad_config", _located(path, node, data, into, str(error))) from error


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
    return f"{path}{line}: not valid YAML: {getattr(error, 'problem', None) or 'it cannot be read'}"


def _located(path: Path, root: yaml.Node | None, data: Any, into: type[Any], message: str) -> str:
    place = PLACE.search(message)
    keys = [m["name"] or m["index"] for m in PART.finditer(place["path"])] if place else []
    if SOME_ENTRY in keys:
        at = keys.index(SOME_ENTRY)
        keys[at] = _wrong_entry(data, into, keys[:at])
    problem = message[: place.start()] if place else message
    if unknown := UNKNOWN.search(problem):
        keys.append(unknown["field"])
    line = _line(root, keys)
    field = ".".join(keys) or "the whole file"
    return f"{path}:{line}: {field}: {problem}"


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
