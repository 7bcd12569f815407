"""Renders the Helm chart under deploy/ without Helm. It knows the few actions that the templates use and fails on any other."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

TOKEN = re.compile(r"(\s*\{\{-|\{\{)\s*(.*?)\s*(-\}\}\s*|\}\})", re.DOTALL)
RANGE = re.compile(r"range \$(\w+), \$(\w+) := (\S+)")
IF_EQUAL = re.compile(r'if eq (\S+) "(.*)"')
Scope = Mapping[str, Any]


def rendered_manifests(chart: Path, release: str = "headwater") -> list[dict[str, Any]]:
    values = yaml.safe_load((chart / "values.yaml").read_text(encoding="utf-8"))
    scope = {"$": {"Values": values, "Release": {"Name": release}}}
    manifests: list[dict[str, Any]] = []
    for template in sorted((chart / "templates").glob("*.yaml")):
        text = "".join(_render(_parse(template.read_text(encoding="utf-8")), scope))
        manifests += [manifest for manifest in yaml.safe_load_all(text) if manifest is not None]
    return manifests


def _parse(text: str) -> list[Any]:
    """Text and actions; a block is (action, body, else body)."""
    tokens, position = [], 0
    for match in TOKEN.finditer(text):
        tokens += [text[position : match.start()], (match[2],)]
        position = match.end()
    nodes, rest = _parse_until([*tokens, text[position:]], ())
    assert rest == []
    return nodes


def _parse_until(tokens: list[Any], ends: tuple[str, ...]) -> tuple[list[Any], list[Any]]:
    nodes: list[Any] = []
    while tokens:
        token, tokens = tokens[0], tokens[1:]
        if isinstance(token, str):
            nodes.append(token)
        elif token[0] in ends:
            return nodes, [token, *tokens]
        elif token[0].startswith(("range ", "if ")):
            body, tokens = _parse_until(tokens, ("else", "end"))
            otherwise: list[Any] = []
            if tokens[0] == ("else",):
                otherwise, tokens = _parse_until(tokens[1:], ("end",))
            nodes.append((token[0], body, otherwise))
            tokens = tokens[1:]
        else:
            nodes.append(token)
    return nodes, []


def _render(nodes: list[Any], scope: Scope) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, str):
            yield node
        elif len(node) == 1:
            yield _expression(node[0], scope)
        elif loop := RANGE.fullmatch(node[0]):
            for name, value in sorted(_lookup(loop[3], scope).items()):
                yield from _render(node[1], {**scope, loop[1]: name, loop[2]: value})
        elif condition := IF_EQUAL.fullmatch(node[0]):
            yield from _render(node[1] if _lookup(condition[1], scope) == condition[2] else node[2], scope)
        else:
            raise AssertionError(f"unknown action: {node[0]}")


def _expression(words: str, scope: Scope) -> str:
    if words.startswith("toJson "):
        return json.dumps(_lookup(words.removeprefix("toJson "), scope))
    return str(_lookup(words, scope))


def _lookup(path: str, scope: Scope) -> Any:
    """`.Values.x` and `$.Values.x` begin at the root, `$name.x` at a variable."""
    assert re.fullmatch(r"(\$\w*)?(\.\w+)*", path), path
    first, *names = path.split(".")
    value = scope["$"] if first in ("", "$") else scope[first.removeprefix("$")]
    for name in names:
        value = value[name]
    return value
