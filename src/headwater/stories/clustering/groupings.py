"""The simplest stories: documents of one day that carry the same headline."""

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import UTC

import numpy as np
import numpy.typing as npt

from headwater.model.document import Document
from headwater.model.recipe import Cluster
from headwater.stories.clustering.cluster_items import ClusterProfile, cluster_items
from headwater.stories.clustering.similarity import StoryItem

WORDS = re.compile(r"\w+")


def publication_day(document: Document) -> str | None:
    """The group of a document: its day of publication in UTC."""
    return document.published.astimezone(UTC).date().isoformat() if document.published else None


def cluster_by_headline(documents: Sequence[Document]) -> Sequence[Cluster]:
    """One cluster per headline, whatever its case and punctuation."""
    alike: dict[str, list[int]] = defaultdict(list)
    for position, document in enumerate(documents):
        alike[" ".join(WORDS.findall(document.title.casefold()))].append(position)
    return [
        Cluster(min(documents[i].title for i in positions), tuple((i, 1.0) for i in positions))
        for _, positions in sorted(alike.items())
    ]


Encode = Callable[[Sequence[str]], npt.NDArray[np.float32]]


def to_story_item(document: Document) -> StoryItem:
    return StoryItem(
        id=document.id,
        title=document.title,
        text=document.text,
        published_at=document.published,
        group=document.group or "",
    )


def cluster_by_meaning(
    encode: Encode | None = None, profile: ClusterProfile = "default"
) -> Callable[[Sequence[Document]], Sequence[Cluster]]:
    """Divides a group's documents. `encode` gives a unit vector per text; without one words decide alone."""

    def cluster(documents: Sequence[Document]) -> Sequence[Cluster]:
        items = [to_story_item(document) for document in documents]
        meanings = encode([item.encoder_text for item in items]) if encode is not None and items else None
        return cluster_items(items, meanings, profile=profile)

    return cluster
