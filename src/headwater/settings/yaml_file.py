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
SOME_ENTRY = "..."
FAST = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
UNKNOWN = re.compile(r"unknown field `(?P<field>[^`]+)`")


def load_yaml(path: Path, into: type[T]) -> T:
    """The file's content as `into`; Refused with "file:line: field: what is wrong" if it is not that."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise Refused("missing_file", f"there is no file {path}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise Refused("unreadable_file", f"{path} cannot be read: {error}") from error
    try:
        data = _parsed(text)
    except yaml.YAMLError as error:
        raise Refused("bad_config", _syntax(path, error)) from error
    try:
        return msgspec.convert({} if data is None else data, into, strict=False)
    except msgspec.ValidationError as error:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        raise Refused("bad_config", _placed(path, node, data, into, str(error))) from error


def _parsed(text: str) -> Any:
    """The fast reader tells worse what is wrong; then the other one does."""
    try:
        return yaml.load(text, Loader=FAST)  # noqa: S506 - one of the two safe ones
    except yaml.YAMLError:
        return yaml.safe_load(text)


def line_of(path: Path, trail: list[str]) -> int:
    """The line of a field in a file that was read just now."""
    return _line(yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.SafeLoader), trail)


def _syntax(path: Path, error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    line = f":{mark.line + 1}" if mark else ""
    return f"{path}{line}: not valid YAML: {getattr(error, 'problem', None) or 'it cannot be read'}"


def _placed(path: Path, root: yaml.Node | None, data: Any, into: type[Any], message: str) -> str:
    found = PLACE.search(message)
    trail = [m["name"] or m["index"] for m in PART.finditer(found["path"])] if found else []
    if SOME_ENTRY in trail:
        at = trail.index(SOME_ENTRY)
        trail[at] = _culprit(data, into, trail[:at])
    said = message[: found.start()] if found else message
    if unknown := UNKNOWN.search(said):
        trail.append(unknown["field"])
    line = _line(root, trail)
    field = ".".join(trail) or "the whole file"
    return f"{path}:{line}: {field}: {said}"


def _culprit(data: Any, into: type[Any], above: list[str]) -> str:
    """Which entry of a mapping is wrong, where the message does not say: the one that is so without the others."""
    entries = data
    for part in above:
        entries = entries[part]
    for name in entries:
        try:
            msgspec.convert(_only(data, above, name), into, strict=False)
        except msgspec.ValidationError:
            return str(name)
    return SOME_ENTRY


def _only(data: Any, above: list[str], name: Any) -> Any:
    if not above:
        return {name: data[name]}
    return {**data, above[0]: _only(data[above[0]], above[1:], name)}


def _line(root: yaml.Node | None, trail: list[str]) -> int:
    """The line of the deepest part of the trail that is in the file."""
    node, line = root, 1
    for part in trail:
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
