"""YAML read into typed records; a mistake is told with its file, line and field."""

import re
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import yaml

from headwater.model.errors import Refused

T = TypeVar("T")
PLACE = re.compile(r" - at `(?P<path>\$[^`]*)`$")
PART = re.compile(r"\.(?P<name>[^.\[\]]+)|\[(?P<index>\d+|\.\.\.)\]")
UNKNOWN = re.compile(r"unknown field `(?P<field>[^`]+)`")


def load(path: Path, into: type[T]) -> T:
    """The file's content as `into`; Refused with "file:line: field: what is wrong" if it is not that."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise Refused("missing_file", f"there is no file {path}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise Refused("unreadable_file", f"{path} cannot be read: {error}") from error
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        data = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise Refused("bad_config", _syntax(path, error)) from error
    try:
        return msgspec.convert({} if data is None else data, into, strict=False)
    except msgspec.ValidationError as error:
        raise Refused("bad_config", _placed(path, node, str(error))) from error


def _syntax(path: Path, error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    line = f":{mark.line + 1}" if mark else ""
    return f"{path}{line}: not valid YAML: {getattr(error, 'problem', None) or 'it cannot be read'}"


def _placed(path: Path, root: yaml.Node | None, message: str) -> str:
    found = PLACE.search(message)
    trail = [m["name"] or m["index"] for m in PART.finditer(found["path"])] if found else []
    said = message[: found.start()] if found else message
    if unknown := UNKNOWN.search(said):
        trail.append(unknown["field"])
    names, line = _resolve(root, trail)
    field = ".".join(names) or "the whole file"
    return f"{path}:{line}: {field}: {said}"


def _resolve(root: yaml.Node | None, trail: list[str]) -> tuple[list[str], int]:
    """The trail with its real names, and the line of the deepest part of it that is in the file."""
    node, line, names = root, 1, []
    for i, part in enumerate(trail):
        name = _any_key(node, trail[i + 1 : i + 2]) if part == "..." else part
        names.append(name)
        child, at = _child(node, name)
        if child is None:
            return [*names, *trail[i + 1 :]], line
        node, line = child, at
    return names, line


def _any_key(node: Any, inside: list[str]) -> str:
    """ "..." means some key of a mapping: the first one that holds what comes next."""
    keys = [(name.value, value) for name, value in node.value] if isinstance(node, yaml.MappingNode) else []
    fitting = (name for name, value in keys if not inside or _child(value, inside[0])[0] is not None)
    return next(fitting, "...")


def _child(node: Any, part: str) -> tuple[Any, int]:
    if isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            if name.value == part:
                return value, name.start_mark.line + 1
    if isinstance(node, yaml.SequenceNode) and part.isdigit() and int(part) < len(node.value):
        child = node.value[int(part)]
        return child, child.start_mark.line + 1
    return None, 0
