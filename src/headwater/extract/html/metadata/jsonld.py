"""JSON-LD, read as pages really write it."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

_WRAPPING = re.compile(
    r"^\s*+(?:<!--|//\s*<!\[CDATA\[|/\*\s*<!\[CDATA\[\s*\*/|<!\[CDATA\[)|(?:-->|(?://|/\*)?(?:(?<!\s)\s++)?\]\]>\s*+(?:\*/)?)\s*$"
)
_TRAILING_COMMA = re.compile(r",\s*([}\]])")
_DEEPEST = 12
_MOST = 300
_LARGEST = 2_000_000


def parse_linked_data(text: str) -> list[Mapping[str, Any]]:
    """Every object with a type or an id in it, outermost first; none when the text is not JSON."""
    if len(text) > _LARGEST:
        return []
    if "<!" in text or "-->" in text or "]]>" in text:  # the pattern takes longer than the JSON
        text = _WRAPPING.sub("", text)
    text = text.strip().rstrip(";")
    for parse in (msgspec.json.decode, _parse_leniently, _parse_without_trailing_commas):
        try:
            parsed = parse(text)
        except (ValueError, RecursionError):
            continue
        return list(_objects(parsed))[:_MOST]
    return []


def _parse_leniently(text: str) -> Any:
    """With line breaks in strings, and whatever else is no JSON but widely written."""
    return json.loads(text, strict=False)


def _parse_without_trailing_commas(text: str) -> Any:
    return json.loads(_TRAILING_COMMA.sub(r"\1", text), strict=False)


def _objects(value: Any) -> Iterator[Mapping[str, Any]]:
    """Breadth first: what describes the page stands above what it mentions."""
    level = [value]
    for _ in range(_DEEPEST):
        following: list[Any] = []
        for entry in level:
            if isinstance(entry, dict):
                if "@type" in entry or "@id" in entry:
                    yield entry
                following.extend(inner for inner in entry.values() if isinstance(inner, dict | list))
            elif isinstance(entry, list):
                following.extend(entry)
        level = following
        if not level:
            return


def types_of(entry: Mapping[str, Any]) -> tuple[str, ...]:
    kinds = entry.get("@type")
    return tuple(
        str(kind).rsplit("/", 1)[-1] for kind in (kinds if isinstance(kinds, list) else [kinds]) if kind
    )


def names_of(value: Any, entries_by_id: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The names in a person, organisation, list or string; references by @id are followed once."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [name for entry in value[:20] for name in names_of(entry, entries_by_id)]
    if isinstance(value, dict):
        name = value.get("name") or entries_by_id.get(str(value.get("@id")), {}).get("name")
        return names_of(name, {}) if name else []
    return []


def strings_of(value: Any) -> list[str]:
    """The strings in a string or list; the URLs of image objects."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [text for entry in value[:50] for text in strings_of(entry)]
    if isinstance(value, dict):
        return strings_of(value.get("url") or value.get("contentUrl") or value.get("@id") or [])
    return []


def by_id(entries: Iterable[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Objects by their id; one with a name replaces one without."""
    entries_by_id: dict[str, Mapping[str, Any]] = {}
    for entry in entries:
        key = entry.get("@id")
        if isinstance(key, str) and ("name" in entry or key not in entries_by_id):
            entries_by_id[key] = entry
    return entries_by_id
