"""The simplest stories: documents of one day that carry the same headline."""

import re
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC

from headwater.model.document import Document
from headwater.model.recipe import Cluster

WORDS = re.compile(r"\w+")


def same_day(document: Document) -> str | None:
    """The group of a document: its day of publication in UTC."""
    return document.published.astimezone(UTC).date().isoformat() if document.published else None


def same_headline(documents: Sequence[Document]) -> Sequence[Cluster]:
    """One cluster per headline, whatever its case and punctuation."""
    alike: dict[str, list[int]] = defaultdict(list)
    for position, document in enumerate(documents):
        alike[" ".join(WORDS.findall(document.title.casefold()))].append(position)
    return [
        Cluster(min(documents[i].title for i in positions), tuple((i, 1.0) for i in positions))
        for _, positions in sorted(alike.items())
    ]
