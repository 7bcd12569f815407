"""What a text means, by its words: the mean of their vectors, so that "lo que vas a pagar" is near "tasas". The table was made
with the multilingual encoder (`training/word_meaning.py`); reading it needs NumPy alone."""

from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

WORDS = Path(__file__).with_name("words.npz")
DIMENSIONS, STEM, MOST_WORDS = 48, 6, 60
"""Words that the table does not have are taken for others with the same first letters."""


def word_key(word: str) -> int:
    return crc32(word.encode())


def stem_key(word: str) -> int:
    return crc32(f"{word[:STEM]}*".encode())


@lru_cache(maxsize=4096)
def text_meaning(folded: str) -> Any:
    """A unit vector for a folded text; zeros where no word is known. Rare words weigh more."""
    rows, vectors, weights = read_words()
    places = [place for word in folded.split()[:MOST_WORDS] if (place := _place(rows, word)) is not None]
    total = weights[places] @ vectors[places]
    length = float(np.linalg.norm(total))
    return total / length if length else total


def _place(rows: Mapping[int, int], word: str) -> int | None:
    place = rows.get(word_key(word))
    return rows.get(stem_key(word)) if place is None and len(word) >= STEM else place


@cache
def read_words() -> tuple[dict[int, int], Any, Any]:
    """The row of each word, the vectors, and the weights."""
    with np.load(WORDS) as arrays:
        keys, vectors, weights = (arrays[name] for name in ("keys", "vectors", "weights"))
    rows = {key: place for place, key in enumerate(keys.tolist())}
    return rows, vectors.astype(np.float32), weights.astype(np.float32)
