"""Changes entries of a list, or a field, in a YAML file. Everything else in the file, comments included, stays as it is."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from headwater.model.errors import Refused


def append_entry(text: str, key: str, entry: Mapping[str, Any]) -> str:
    """The text with an entry at the end of the list `key`."""
    entries = _entries(text, key)
    if not entries.value:
        raise Refused("bad_list", f"{key}: write the first entry by hand")
    last = entries.value[-1]
    indent = " " * _dash_column(text, last)
    end = _end(last)
    return f"{text[:end]}\n{indent}- {_one_line(entry)}{text[end:]}"


def replace_entry(text: str, key: str, position: int, entry: Mapping[str, Any]) -> str:
    """The text with another entry at this position of the list."""
    node = _entries(text, key).value[position]
    return f"{text[: node.start_mark.index]}{_one_line(entry)}{text[_end(node) :]}"


def remove_entry(text: str, key: str, position: int) -> str:
    """The text without the lines of this entry."""
    node = _entries(text, key).value[position]
    start = text.rfind("\n", 0, node.start_mark.index) + 1
    after = text.find("\n", _end(node))
    return text[:start] + ("" if after < 0 else text[after + 1 :])


def set_field(text: str, keys: Sequence[str], value: str) -> str:
    """The text with a value for the field that the keys lead to; parents that do not exist are added."""
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    if node is None:
        return f"{_with_line_end(text)}{_nested(keys, value, 0)}"
    for place, key in enumerate(keys):
        if not isinstance(node, yaml.MappingNode):
            raise Refused("bad_list", f"{'.'.join(keys[:place])}: it has no fields; write the field by hand")
        child = next((child for name, child in node.value if name.value == key), None)
        if child is None:
            return _with_new_field(text, node, keys[place:], value)
        node = child
    return f"{text[: node.start_mark.index]}{value}{text[_end(node) :]}"


def _with_new_field(text: str, node: yaml.MappingNode, keys: Sequence[str], value: str) -> str:
    if node.flow_style:
        closing = node.end_mark.index - 1
        separator = ", " if node.value else ""
        return f"{text[:closing].rstrip()}{separator}{_flow(keys, value)}{text[closing:]}"
    end = text.find("\n", _end(node))
    end = len(text) if end < 0 else end + 1
    return f"{_with_line_end(text[:end])}{_nested(keys, value, node.start_mark.column)}{text[end:]}"


def _nested(keys: Sequence[str], value: str, indent: int) -> str:
    """One key per line, each further in."""
    lines = [f"{' ' * (indent + 2 * depth)}{key}:" for depth, key in enumerate(keys)]
    return "\n".join(lines) + f" {value}\n"


def _flow(keys: Sequence[str], value: str) -> str:
    first, *rest = keys
    return f"{first}: {{{_flow(rest, value)}}}" if rest else f"{first}: {value}"


def _with_line_end(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"


def write_checked(path: Path, text: str, check: Callable[[Path], object]) -> None:
    """Writes the text unless `check` refuses it. A reader finds the old file or the new one, and never a part."""
    draft = path.with_name(f".{path.name}.new")
    try:
        draft.write_text(text, encoding="utf-8")
        check(draft)
        if path.exists():
            draft.chmod(path.stat().st_mode)
        draft.replace(path)
    except OSError as error:
        raise Refused("file_unwritable", f"{path} cannot be written: {error.strerror}") from error
    except Refused as error:
        raise Refused(error.reason, error.detail.replace(str(draft), str(path))) from error
    finally:
        draft.unlink(missing_ok=True)


def _entries(text: str, key: str) -> yaml.SequenceNode:
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    for name, value in root.value if isinstance(root, yaml.MappingNode) else ():
        if name.value == key and isinstance(value, yaml.SequenceNode):
            if value.flow_style:
                raise Refused(
                    "bad_list", f"{key}: write one entry per line, each with a dash, to change it by command"
                )
            return value
    raise Refused("bad_list", f"{key}: the file has no such list")


def _end(node: yaml.Node) -> int:
    """Where the last value of a node ends. A block mapping itself ends only at the next token, behind comments."""
    if isinstance(node, yaml.MappingNode) and not node.flow_style and node.value:
        return _end(node.value[-1][1])
    if isinstance(node, yaml.SequenceNode) and not node.flow_style and node.value:
        return _end(node.value[-1])
    return int(node.end_mark.index)


def _dash_column(text: str, node: yaml.Node) -> int:
    line_start = text.rfind("\n", 0, node.start_mark.index) + 1
    return text.index("-", line_start) - line_start


def _one_line(entry: Mapping[str, Any]) -> str:
    line = yaml.safe_dump(
        dict(entry), default_flow_style=True, width=float("inf"), sort_keys=False, allow_unicode=True
    )
    return line.strip()
