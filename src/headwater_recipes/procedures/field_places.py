"""Where each field of a procedure stands in the captured page, with the passage that it was read from."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from headwater_recipes.procedures.fields.value import Span
from headwater_recipes.procedures.normalise import Procedure
from headwater_recipes.procedures.page.page import ProcedurePage
from headwater_recipes.procedures.page.source_text import Place
from headwater_recipes.procedures.sections.parts import plain_text

LONGEST_PASSAGE, MOST_PLACES = 300, 40
BORDERS = re.compile(r"^\W+|(?<!\W)\W+$")
MARKS = re.compile(r"^(?:#{1,6}|[-*+]|\d{1,2}\.)\s+")
SAME_PLACE = {"territorio": "organismo", "documentos": "documentos_necesarios", "fuente_url": "source_url"}
"""Fields that follow from another one."""


def field_places(procedure: Procedure, page: ProcedurePage) -> dict[str, list[Place]]:
    """The places of every field with a value. Territory and organism of a registered portal come from the registry."""
    places: dict[str, list[Place]] = {}
    for name in procedure.placed_by:
        spans, origin = procedure.spans.get(name, ()), procedure.origins.get(name, "")
        value = procedure.document.get(name)
        places_here = _places_of_spans(spans, page) if spans else [_place_of_origin(origin, value, page)]
        places[name] = places_here[:MOST_PLACES]
    for name, other in SAME_PLACE.items():
        if procedure.document.get(name) and other in places:
            places[name] = places[other]
    return places


def _places_of_spans(spans: Sequence[Span], page: ProcedurePage) -> list[Place]:
    """The places of the lines in the spans. A line that the source does not contain in these words has its offsets in the
    extracted text."""
    lines = page.line_places
    places: list[Place] = []
    for start, end in spans:
        inside = [(first, last, place) for first, last, place in lines if first < end and last > start]
        for first, last, place in inside:
            begin, finish = max(first, start), min(last, end)
            narrowed = _narrowed(place, page.text[first:last], begin - first, finish - first)
            places.append({**narrowed, "passage": _shortened(page.text[begin:finish])})
        if not inside:
            places.append({"text": [start, end], "passage": _shortened(page.text[start:end])})
    return places


def _narrowed(place: Mapping[str, Any], line: str, begin: int, finish: int) -> Mapping[str, Any]:
    """The place of a sentence within that of its line, if the source has the same spaces as the line. A line may have the same words
    twice: the search begins after the text before the sentence."""
    whole, before, part = map(_bare, (line, line[:begin], line[begin:finish]))
    start = whole.find(part, len(before))
    has_same_spaces = "start" in place and place["end"] - place["start"] == len(whole)
    if not has_same_spaces or start < 0 or len(part) == len(whole):
        return place
    return {**place, "start": place["start"] + start, "end": place["start"] + start + len(part)}


def _bare(text: str) -> str:
    return BORDERS.sub("", line_without_marks(text))


def _place_of_origin(origin: str, value: Any, page: ProcedurePage) -> Place:
    kind, _, detail = origin.partition(":")
    passage = {"passage": _shortened(str(value))} if isinstance(value, str) else {}
    if kind == "frame":
        return {**page.frame_places.get(detail, {}), "frame": detail, **passage}
    if kind == "json-ld":
        return {"json_ld": detail, **passage}
    if kind == "catalogue":
        return {"catalogue": detail, **passage}
    if kind == "registry":
        return {"registry": detail, **passage}
    if kind == "xml":
        return {"path": detail, **passage}
    return {"derived": True, **passage}


def _shortened(text: str) -> str:
    line = line_without_marks(" ".join(text.split()))
    return line if len(line) <= LONGEST_PASSAGE else f"{line[:LONGEST_PASSAGE]}…"


def line_without_marks(line: str) -> str:
    return MARKS.sub("", plain_text(line))


def value_text(value: Any) -> str:
    """A value in one line, for people."""
    if isinstance(value, Mapping):
        return ", ".join(
            f"{name.replace('_', ' ')}: {value_text(part)}" for name, part in value.items() if part
        )
    if isinstance(value, list | tuple):
        return "; ".join(value_text(part) for part in value)
    return "" if value is None else _shortened(str(value))


def place_text(place: Mapping[str, Any]) -> str:
    """A place in one line, for people."""
    if "page" in place:
        box = ", ".join(f"{edge:g}" for edge in place.get("box") or ())
        return f"page {place['page']}" + (f", box {box}" if box else "")
    if "path" in place:
        offsets = f" [{place['start']}:{place['end']}]" if "start" in place else ""
        return f"{place['path']}{offsets}"
    if "json_ld" in place:
        return f"JSON-LD {place['json_ld']}"
    if "catalogue" in place:
        return f"dataset {place['catalogue']}"
    if "registry" in place:
        return f"registry entry {place['registry']}"
    if "text" in place:
        return f"extracted text [{place['text'][0]}:{place['text'][1]}]"
    return "other fields" if "derived" in place else f"{place.get('frame', 'page')} of the site"
