"""Groupings for recipes: clusters of equal headlines, and clusters by meaning."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import UTC

import numpy as np
import numpy.typing as npt

from headwater.documents.language.codes import primary_code
from headwater.model.document import Document
from headwater.model.recipe import Cluster
from headwater.stories.clustering.cluster_items import ClusterProfile, cluster_items
from headwater.stories.clustering.events import is_bare
from headwater.stories.clustering.similarity import StoryItem
from headwater.text.folding import fold_text


def publication_day(document: Document) -> str | None:
    """The group of a document: its day of publication in UTC."""
    return document.published.astimezone(UTC).date().isoformat() if document.published else None


def cluster_by_headline(documents: Sequence[Document]) -> Sequence[Cluster]:
    """One cluster per headline, ignoring case, accents and punctuation."""
    by_headline: dict[str, list[int]] = defaultdict(list)
    for position, document in enumerate(documents):
        by_headline[fold_text(document.title)].append(position)
    return [
        Cluster(
            min(documents[position].title for position in positions),
            tuple((position, 1.0) for position in positions),
        )
        for _, positions in sorted(by_headline.items())
    ]


Encode = Callable[[Sequence[str]], npt.NDArray[np.float32]]


def to_story_item(document: Document) -> StoryItem:
    return StoryItem(
        id=document.id,
        title=document.title,
        text=document.text,
        published_at=document.published,
        group=document.group or "",
        language=primary_code(document.language),
        is_bare=is_bare(document),
    )


def cluster_by_meaning(
    encode: Encode | None = None, profile: ClusterProfile = "default"
) -> Callable[[Sequence[Document]], Sequence[Cluster]]:
    """Clusters the documents of a group. `encode` returns a unit vector per text; without it only words count."""

    def cluster(documents: Sequence[Document]) -> Sequence[Cluster]:
        items = [to_story_item(document) for document in documents]
        embeddings = encode([item.encoder_text for item in items]) if encode is not None and items else None
        return cluster_items(items, embeddings, profile=profile)

    return cluster
