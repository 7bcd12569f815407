"""Documents into a queue from which another program takes them. The route's name is the queue's."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from headwater.model.document import Document
from headwater.model.outcome import Drop, Sent
from headwater.model.queue import QueueItem
from headwater.model.recipe import Parcel

LONGEST_TEXT = 32_000

Push = Callable[[Sequence[QueueItem]], object]


@dataclass(frozen=True)
class Queues:
    """A sink that hands items to `push`, which puts each id there once."""

    push: Push

    def send(self, parcels: Sequence[Parcel]) -> Sequence[Sent | Drop]:
        items = {
            parcel.key: _item(parcel, parcel.record)
            for parcel in parcels
            if isinstance(parcel.record, Document)
        }
        self.push(list(items.values()))
        return [Sent(parcel.key) if parcel.key in items else Drop("not_a_document") for parcel in parcels]


def _item(parcel: Parcel, document: Document) -> QueueItem:
    return QueueItem(
        id=parcel.key,
        queue=parcel.route,
        recipe=document.recipe,
        document=document.id,
        payload=payload(document, parcel.key),
    )


def payload(document: Document, key: str) -> dict[str, Any]:
    """What a consumer gets: enough to work with, without asking for more."""
    return {
        "id": key,
        "document_id": document.id,
        "ticker": document.attributes.get("ticker"),
        "document_type": document.attributes.get("document_type"),
        "normalized_text": document.text[:LONGEST_TEXT],
    }
