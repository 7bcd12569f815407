"""Knowledge of an empty store: for trying a step on its own."""

from collections.abc import Mapping, Sequence
from typing import Any

from headwater.model.document import Document, Fingerprint
from headwater.model.trace import Recollection


class NothingKnown:
    """Every question about stored documents is answered with nothing."""

    def owners(self, recipe: str, fingerprints: Sequence[Fingerprint]) -> Mapping[Fingerprint, str]:
        del recipe, fingerprints
        return {}

    def documents(self, ids: Sequence[str]) -> Mapping[str, Document]:
        del ids
        return {}

    def recall(
        self, recipe: str, scheme: str, prints: Sequence[tuple[str, str]], keys: Sequence[int], limit: int
    ) -> Recollection:
        del recipe, scheme, prints, keys, limit
        return Recollection(0, {}, {})

    def originals(self, ids: Sequence[str]) -> Mapping[str, str]:
        del ids
        return {}

    def told(self, ids: Sequence[str]) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        del ids
        return {}

    def stories(
        self, recipe: str, publishers: Sequence[str], sentences: Sequence[int]
    ) -> Mapping[str, Mapping[int, int]]:
        del recipe, publishers, sentences
        return {}
