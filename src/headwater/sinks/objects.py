"""Delivers documents as named objects, for programs that read them by name: the payload that listed a document, its text and its
record. The names are those of the recipe's layout."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from headwater.archive.named_objects import NamedObjects
from headwater.model.document import Document
from headwater.model.http import Capture
from headwater.model.outcomes import Drop, Sent
from headwater.model.recipe import CapturedPayload, Envelope, ObjectLayout, ParsedDocument

TEXT_PART, RECORD_PART = "normalized.txt", "parser_output.json"
PayloadsOf = Callable[[Sequence[str]], Sequence[tuple[CapturedPayload, Capture]]]
ParsedOf = Callable[[Sequence[str]], Sequence[ParsedDocument]]
ReadBodies = Callable[[Sequence[Capture]], Mapping[str, bytes]]


@dataclass(frozen=True)
class ObjectSink:
    """`payloads_of` and `parsed_of` read what belongs to the documents with these ids, `read_bodies` the bytes of captures by
    their hash. Writing again changes nothing."""

    layouts: Mapping[str, ObjectLayout]
    payloads_of: PayloadsOf
    parsed_of: ParsedOf
    read_bodies: ReadBodies
    target: NamedObjects

    def send(self, envelopes: Sequence[Envelope]) -> Sequence[Sent | Drop]:
        layouts = {
            envelope.record.id: self.layouts[envelope.record.recipe]
            for envelope in envelopes
            if isinstance(envelope.record, Document) and envelope.record.recipe in self.layouts
        }
        places = {}
        for recipe in {envelope.record.recipe for envelope in envelopes if envelope.record.id in layouts}:
            ids = [e.record.id for e in envelopes if e.record.recipe == recipe and e.record.id in layouts]
            write_payloads(self.layouts[recipe], self.payloads_of(ids), self.read_bodies, self.target)
        for parsed in self.parsed_of(sorted(layouts)):
            write_document(layouts[parsed.id], parsed, self.target)
            places[parsed.id] = layouts[parsed.id].part(parsed, TEXT_PART)
        return [_outcome(envelope, layouts, places) for envelope in envelopes]


def _outcome(
    envelope: Envelope, layouts: Mapping[str, ObjectLayout], places: Mapping[str, str]
) -> Sent | Drop:
    if envelope.record.id not in layouts:
        return Drop("no_layout")
    place = places.get(envelope.record.id)
    return Drop("withdrawn") if place is None else Sent(place)


@dataclass(frozen=True, slots=True)
class PayloadCounts:
    written: int = 0
    missing: int = 0


def write_payloads(
    layout: ObjectLayout,
    payloads: Sequence[tuple[CapturedPayload, Capture]],
    read_bodies: ReadBodies,
    target: NamedObjects,
) -> PayloadCounts:
    """Writes the payloads that the target does not have. `missing` counts those that the archive no longer has."""
    absent = [
        (name, capture)
        for name, capture in ((layout.raw(payload), capture) for payload, capture in payloads)
        if not target.has(name)
    ]
    bodies = read_bodies([capture for _, capture in absent]) if absent else {}
    present = [(name, bodies[capture.sha256]) for name, capture in absent if capture.sha256 in bodies]
    written = sum(target.write(name, body) for name, body in present)
    return PayloadCounts(written, len(absent) - len(present))


def write_document(layout: ObjectLayout, document: ParsedDocument, target: NamedObjects) -> int:
    """Returns how many objects were new or changed."""
    parts = {
        TEXT_PART: document.text.encode(),
        RECORD_PART: msgspec.json.encode(document.record, order="deterministic"),
    }
    return sum(target.write(layout.part(document, part), body) for part, body in parts.items())
