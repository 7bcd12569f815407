from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """What is remembered of a document, kept or not, so that a later copy of it is recognised.

    `epoch` is how far the memory had come when it was asked about this document: if somebody remembered something
    alike since, the document must be decided again.
    """

    scheme: str
    prints: tuple[tuple[str, str], ...]
    keys: tuple[int, ...]
    sentences: tuple[int, ...]
    publisher: str
    original: str
    epoch: int


@dataclass(frozen=True, slots=True)
class Recollection:
    """What the memory knows about some fingerprints and keys: their first and their latest holders."""

    epoch: int
    owners: Mapping[tuple[str, str], str]
    holders: Mapping[int, Sequence[str]]
