"""Field maps: which place of a structured payload becomes which field of the Reading."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import datetime
from typing import Any

from headwater.extract.html import read_html
from headwater.extract.letters import one_line, tidy
from headwater.extract.moments import from_digits, from_iso
from headwater.model.reading import Hints, Reading, Unreadable

_MANY = frozenset({"authors", "keywords", "images", "links"})
_MOMENTS = frozenset({"published", "modified"})
_TEXTS = frozenset({"text", "title", "publisher", "canonical_url", "language", "description", "image"})
MAPPED = _MANY | _MOMENTS | _TEXTS
assert {field.name for field in fields(Reading)} >= MAPPED

Look = Callable[[str], list[str]]
"""The values at a path, as strings."""


def mapped(
    places: Mapping[str, str], look: Look, hints: Hints, *, media_type: str, method: str
) -> Reading | Unreadable:
    """A Reading of the mapped fields; names outside the Reading go into its attributes. The text may be markup:
    then it is read as a page would be."""
    found = {name: values for name, path in places.items() if (values := look(path))}
    body = "\n\n".join(value for value in found.pop("text", []) if value.strip())
    text, plain = _body(body, hints)
    if not text:
        return Unreadable("no_text", "nothing at the place of the text")
    known = {name: value for name, values in found.items() if name in MAPPED and (value := _as(name, values))}
    extra = {
        name: values if len(values) > 1 else values[0] for name, values in found.items() if name not in MAPPED
    }
    return Reading(
        text=text,
        plain=plain,
        media_type=media_type,
        method=method,
        confidence=1.0,
        attributes=extra,
        origins={name: f"{method} {places[name]}" for name in ("text", *known)},
        **known,
    )


def _as(name: str, values: list[str]) -> Any:
    if name in _MOMENTS:
        return moment(values[0])
    lines = [line for value in values if (line := one_line(value))]
    return tuple(lines) if name in _MANY else " ".join(lines)


def moment(text: str) -> datetime | None:
    return from_iso(text) or from_digits(text)


def _body(body: str, hints: Hints) -> tuple[str, str]:
    if looks_like_markup(body):
        page = read_html(
            f"<html><body><article>{body}</article></body></html>".encode(), Hints(url=hints.url)
        )
        if isinstance(page, Reading):
            return page.text, page.plain
    text = tidy(body)
    return text, text


def looks_like_markup(text: str) -> bool:
    start = text[:4000].lower()
    return any(
        mark in start for mark in ("</p>", "<p>", "<br", "</div>", "</li>", "</h2>", "</strong>", "</a>")
    )
