"""Copies of payloads and documents as named objects, for programs that read them by name."""

from datetime import datetime, timedelta
from typing import Any

from headwater.app import App
from headwater.archive.named_objects import NamedObjects
from headwater.model.errors import Temporary
from headwater.model.recipe import ObjectLayout
from headwater.sinks.objects import write_document, write_payloads

RECENT = timedelta(hours=1)


def copy_objects(
    app: App, recipe: str, layout: ObjectLayout, target: NamedObjects, since: datetime | None
) -> dict[str, int]:
    """Copies what the target does not have; returns how many payloads and documents there are, and how many objects
    were written or are missing from the archive."""
    counts = copy_payloads(app, recipe, layout, target, since) | {"documents": 0}
    for documents in app.object_copies.parsed_documents(recipe, since):
        counts["documents"] += len(documents)
        counts["written"] += sum(write_document(layout, document, target) for document in documents)
    return counts


def copy_payloads(
    app: App, recipe: str, layout: ObjectLayout, target: NamedObjects, since: datetime | None
) -> dict[str, int]:
    counts = {"payloads": 0, "written": 0, "missing": 0}
    for batch in app.object_copies.payloads(recipe, since):
        copied = write_payloads(layout, batch, app.archive.get, target)
        counts["payloads"] += len(batch)
        counts["written"] += copied.written
        counts["missing"] += copied.missing
    return counts


def copy_recent_payloads(app: App) -> dict[str, Any]:
    """Payloads without documents, such as prices, follow no delivery: copy those of the last hour; returns how many were
    written, by recipe. A server that is unavailable is not a failure: the next run copies them."""
    since = app.clock() - RECENT
    written = {}
    try:
        for name, recipe in app.recipes.items():
            if recipe.layout is not None:
                counts = copy_payloads(app, name, recipe.layout, app.named_objects(), since)
                written[name] = counts["written"]
    except Temporary as error:
        return {"postponed": error.reason}
    return written
