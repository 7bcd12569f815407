"""Stories by what documents mean: a grouping for recipes."""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from headwater.model.document import Document
from headwater.model.recipe import Cluster
from headwater.pure.stories import Item, Profile, divide

Encode = Callable[[Sequence[str]], npt.NDArray[np.float32]]


def item_of(document: Document) -> Item:
    return Item(
        id=document.id,
        title=document.title,
        text=document.text,
        published_at=document.published,
        group=document.group or "",
    )


def by_meaning(
    encode: Encode | None = None, profile: Profile = "default"
) -> Callable[[Sequence[Document]], Sequence[Cluster]]:
    """Divides a group's documents. `encode` gives a unit vector per text; without one words decide alone."""

    def cluster(documents: Sequence[Document]) -> Sequence[Cluster]:
        items = [item_of(document) for document in documents]
        meanings = encode([item.lead for item in items]) if encode is not None and items else None
        return divide(items, meanings, profile=profile)

    return cluster
