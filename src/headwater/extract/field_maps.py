"""Field maps: which path of a JSON or XML payload becomes which field of the Reading."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

import msgspec

from headwater.extract.html.reader import read_html
from headwater.model.outcomes import ExtractHints, Reading, Unreadable
from headwater.text.dates import parse_digit_date, parse_iso_date
from headwater.text.json_payload import BadJson, decode_payload
from headwater.text.letters import normalise_text, to_one_line
from headwater.text.markup import has_html_tag

_LISTS = frozenset({"authors", "keywords", "images", "links"})
_DATES = frozenset({"published", "modified"})
_STRINGS = frozenset({"text", "title", "publisher", "canonical_url", "language", "description", "image"})
READING_FIELDS = _LISTS | _DATES | _STRINGS
assert {field.name for field in fields(Reading)} >= READING_FIELDS

_TAGS_WITHIN = 4000
PathLookup = Callable[[str], list[str]]
"""The values at a path, as strings."""


def map_fields(
    paths: Mapping[str, str], lookup: PathLookup, hints: ExtractHints, *, media_type: str, method: str
) -> Reading | Unreadable:
    """A Reading of the mapped fields; other names become attributes. Text that is markup is read like a page."""
    values_by_field = {name: values for name, path in paths.items() if (values := lookup(path))}
    body = "\n\n".join(value for value in values_by_field.pop("text", []) if value.strip())
    text, plain = _body(body, hints)
    if not text:
        return Unreadable("no_text", "the path of the text has no value")
    reading_fields = {
        name: value
        for name, values in values_by_field.items()
        if name in READING_FIELDS and (value := _field_value(name, values))
    }
    attributes = {
        name: values if len(values) > 1 else values[0]
        for name, values in values_by_field.items()
        if name not in READING_FIELDS
    }
    return Reading(
        text=text,
        plain=plain,
        media_type=media_type,
        method=method,
        confidence=1.0,
        attributes=attributes,
        origins={name: f"{method} {paths[name]}" for name in ("text", *reading_fields)},
        **reading_fields,
    )


def _field_value(name: str, values: list[str]) -> Any:
    if name in _DATES:
        return parse_iso_date(values[0]) or parse_digit_date(values[0])
    lines = [line for value in values if (line := to_one_line(value))]
    return tuple(lines) if name in _LISTS else " ".join(lines)


def _body(body: str, hints: ExtractHints) -> tuple[str, str]:
    if has_html_tag(body[:_TAGS_WITHIN]):
        page = read_html(
            f"<html><body><article>{body}</article></body></html>".encode(), ExtractHints(url=hints.url)
        )
        if isinstance(page, Reading):
            return page.text, page.plain
    text = normalise_text(body)
    return text, text


LARGEST_JSON = 32_000_000
_DEEPEST = 200
_STEP = re.compile(r"[^.\[\]]+|\[(?:\d+|\*)\]")


@dataclass(frozen=True, slots=True)
class JsonFields:
    """An extractor by a map from field name to path, such as `data.items[0].body` or `tags[*].name`.

    A path continues into the items of a list even where it does not say so: APIs answer with one object or with many.
    """

    paths: Mapping[str, str]

    def __call__(self, data: bytes, hints: ExtractHints) -> Reading | Unreadable:
        if len(data) > LARGEST_JSON:
            return Unreadable("too_large", f"{len(data)} bytes of JSON; at most {LARGEST_JSON} are read")
        try:
            payload = decode_payload(data)
        except BadJson as error:
            return Unreadable("malformed", str(error))
        return map_fields(
            self.paths,
            lambda path: [_string(value) for value in values_at(payload, path)],
            hints,
            media_type="application/json",
            method="json",
        )


def values_at(payload: Any, path: str) -> list[Any]:
    """The values at the path, in order; an empty list when there are none."""
    values = [payload]
    for step in _STEP.findall(path):
        values = [value for place in values for value in _step(place, step)]
    return [leaf for value in values for leaf in _leaves(value) if leaf is not None]


def _step(place: Any, step: str) -> Iterator[Any]:
    if step.startswith("["):
        if isinstance(place, list):
            yield from place if step == "[*]" else place[int(step[1:-1]) :][:1]
    elif isinstance(place, dict):
        if step in place:
            yield place[step]
    elif isinstance(place, list):
        for inside in place:
            if isinstance(inside, dict) and step in inside:
                yield inside[step]


def _leaves(value: Any, depth: int = 0) -> Iterator[Any]:
    if isinstance(value, list) and depth < _DEEPEST:
        for inside in value:
            yield from _leaves(inside, depth + 1)
    else:
        yield value


def _string(value: Any) -> str:
    if isinstance(value, str):
        return value
    return msgspec.json.encode(value).decode()
