"""JSON payloads by field map."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from headwater.extract.fields import mapped
from headwater.model.reading import Hints, Reading, Unreadable

LARGEST = 32_000_000
_DEEPEST = 200
_STEP = re.compile(r"[^.\[\]]+|\[(?:\d+|\*)\]")


@dataclass(frozen=True, slots=True)
class JsonFields:
    """An extractor: field name to path, such as `data.items[0].body` or `tags[*].name`.

    A list on the way is gone through even where the path does not say so: APIs answer with one object or with many.
    """

    places: Mapping[str, str]

    def __call__(self, data: bytes, hints: Hints) -> Reading | Unreadable:
        if len(data) > LARGEST:
            return Unreadable("too_large", f"{len(data)} bytes of JSON; at most {LARGEST} are read")
        try:
            payload = msgspec.json.decode(data.removeprefix(b"\xef\xbb\xbf"))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            return Unreadable("malformed", str(error)[:200])
        return mapped(
            self.places,
            lambda path: [_string(value) for value in look(payload, path)],
            hints,
            media_type="application/json",
            method="json",
        )


def look(payload: Any, path: str) -> list[Any]:
    """What stands at the path, in order; nothing where there is nothing."""
    found = [payload]
    for step in _STEP.findall(path):
        found = [value for place in found for value in _step(place, step)]
    return [leaf for value in found for leaf in _leaves(value) if leaf is not None]


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
