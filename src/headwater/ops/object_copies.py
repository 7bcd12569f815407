"""Copies of payloads and documents as named objects, for programs that read them by name."""

from datetime import datetime

import msgspec

from headwater.app import App
from headwater.archive.named_objects import NamedObjects
from headwater.model.recipe import ObjectLayout


def copy_objects(
    app: App, recipe: str, layout: ObjectLayout, target: NamedObjects, since: datetime | None
) -> dict[str, int]:
    """Copies what the target does not have; returns how many payloads and documents there are, and how many objects
    were written or are missing from the archive."""
    copies = app.object_copies
    counts = {"payloads": 0, "documents": 0, "written": 0, "missing": 0}
    for batch in copies.payloads(recipe, since, layout.label):
        named = [(layout.raw(payload), capture) for payload, capture in batch]
        absent = [(name, capture) for name, capture in named if not target.has(name)]
        bodies = app.archive.get([capture for _, capture in absent])
        counts["payloads"] += len(named)
        for name, capture in absent:
            if capture.sha256 in bodies:
                counts["written"] += target.write(name, bodies[capture.sha256])
            else:
                counts["missing"] += 1
    for documents in copies.parsed_documents(recipe, since, layout.label):
        for document in documents:
            counts["documents"] += 1
            parts = {
                "normalized.txt": document.text.encode(),
                "parser_output.json": msgspec.json.encode(document.record, order="deterministic"),
            }
            for part, body in parts.items():
                name = layout.part(document.kind, document.label, document.id, part)
                counts["written"] += target.write(name, body)
    return counts
