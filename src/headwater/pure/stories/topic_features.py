"""What the head for topics reads: an encoder's vector beside hashed words. No vocabulary is kept."""

from collections.abc import Sequence
from math import log

import numpy as np
import numpy.typing as npt
from xxhash import xxh64_intdigest

from headwater.pure.stories.terms import terms
from headwater.pure.stories.vectors import Matrix, normalised

BUCKETS = 3072
SCHEME = f"terms-xxh64-{BUCKETS}"


def hashed_words(texts: Sequence[str]) -> Matrix:
    """A row per text: its terms in signed buckets, at unit length."""
    made = np.zeros((len(texts), BUCKETS), dtype=np.float32)
    for row, text in enumerate(texts):
        for term, many in terms(text).items():
            hashed = xxh64_intdigest(term.encode("utf-8", "surrogatepass"))
            made[row, (hashed >> 1) % BUCKETS] += (1 + log(many)) * (1 if hashed & 1 else -1)
    return normalised(made)


def topic_features(texts: Sequence[str], meanings: npt.NDArray[np.float32]) -> Matrix:
    return np.hstack([meanings, hashed_words(texts)]).astype(np.float32)
