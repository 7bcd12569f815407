"""The signature scheme: 128 MinHash values over word 3-grams, band keys and sampled anchors.

The scheme is versioned. Every constant here is part of `SCHEME`: a change of one needs a new name, so that stored
rows of the old scheme stay readable. Bands find documents that agree as a whole; anchors (the lowest 4-grams) find a
document inside a longer or shorter one; the keys of the title only propose candidates.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from headwater.documents.dedupe.tokens import Hashes, Tokens, mix_bits, tokenise_pair

SCHEME = "hw2"
PERMUTATIONS = 128
SHINGLE = 3
ANCHOR = 4
BAND_ROWS = 16
BANDS = 4
ANCHORS = 16
TITLE_PAIRS = 6

_TITLE_FACTOR, _WORD = 0xD6E8FEB86659FD93, (1 << 64) - 1
_CHUNK = 1_024
_WORDS_AT_ONCE = 4_096
_STEPS = mix_bits(np.arange(1, BAND_ROWS + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)) | np.uint64(1)


@dataclass(frozen=True, slots=True)
class MinHashSignature:
    """`keys` are stored and looked up: signed 64-bit integers, as in databases."""

    scheme: str
    minhash: NDArray[np.uint32]
    bands: tuple[int, ...]
    anchors: tuple[int, ...]
    title: int
    title_pairs: tuple[int, ...]

    @property
    def keys(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys((*self.bands, *self.anchors, self.title, *self.title_pairs)))


def signature(title: str, body: str) -> MinHashSignature:
    return sign_tokens(*tokenise_pair(title, body))


def sign_tokens(title: Tokens, body: Tokens) -> MinHashSignature:
    hashes = _signed_hashes(title, body)
    minhash = min_hashes(shingle_hashes(hashes, SHINGLE))
    return MinHashSignature(
        SCHEME,
        minhash,
        _bands(minhash),
        _anchors(hashes),
        _title_key(title.hashes),
        _title_pairs(title.hashes),
    )


def _signed_hashes(title: Tokens, body: Tokens) -> Hashes:
    return body.hashes if len(body) >= ANCHOR else np.concatenate((title.hashes, body.hashes))


def keys_of_pages(pages: Sequence[tuple[Tokens, Tokens]]) -> list[tuple[int, ...]]:
    """The keys of the signature of each title and body. Only those values are computed that the bands are made of."""
    return [keys for batch in _batches(pages) for keys in _keys_together(batch)]


def _batches(pages: Sequence[tuple[Tokens, Tokens]]) -> Iterator[list[tuple[Hashes, Hashes]]]:
    """The hashes of title and signed words of each page, as many pages as fill an array."""
    batch, size = list[tuple[Hashes, Hashes]](), 0
    for title, body in pages:
        batch.append((title.hashes, _signed_hashes(title, body)))
        size += len(batch[-1][1])
        if size >= _WORDS_AT_ONCE:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _keys_together(pages: Sequence[tuple[Hashes, Hashes]]) -> Iterator[tuple[int, ...]]:
    joined = np.concatenate([words for _, words in pages])
    bounds = pairwise(accumulate((len(words) for _, words in pages), initial=0))
    shingles, runs = shingle_hashes(joined, SHINGLE), shingle_hashes(joined, ANCHOR)
    parts = [
        (shingles[start : end - SHINGLE + 1], runs[start : end - ANCHOR + 1])
        if end - start >= ANCHOR
        else (shingle_hashes(words, SHINGLE), shingle_hashes(words, ANCHOR))
        for (start, end), (_, words) in zip(bounds, pages, strict=True)
    ]
    minhashes = np.array([min_hashes(part, BANDS * BAND_ROWS) for part, _ in parts], dtype=np.uint32)
    for (title, _), (_, part), bands in zip(pages, parts, _bands_of(minhashes), strict=True):
        keys = (*bands, *_lowest_runs(part), _title_key(title), *_title_pairs(title))
        yield tuple(dict.fromkeys(keys))


def jaccard(first: MinHashSignature, second: MinHashSignature) -> float:
    return float(np.count_nonzero(first.minhash == second.minhash)) / PERMUTATIONS


def shingle_hashes(hashes: Hashes, size: int) -> Hashes:
    """One hash per run of `size` words; a shorter text is one run."""
    size = max(1, min(size, len(hashes)))
    count = max(0, len(hashes) - size + 1)
    total: Hashes = hashes[:count] * _STEPS[0]
    for offset in range(1, size):
        total += hashes[offset : offset + count] * _STEPS[offset]
    return total


def min_hashes(shingles: Hashes, count: int = PERMUTATIONS) -> NDArray[np.uint32]:
    """The first `count` values."""
    lowest = np.full(count, 0xFFFFFFFF, dtype=np.uint32)
    high_bits = (shingles >> np.uint64(32)).astype(np.uint32)
    multipliers = _multipliers()[:count]
    for start in range(0, len(high_bits), _CHUNK):
        products = high_bits[start : start + _CHUNK] * multipliers
        np.minimum(lowest, products.min(axis=1), out=lowest)
    return lowest


@cache
def _multipliers() -> NDArray[np.uint32]:
    """Odd factors, each of which permutes the 32-bit integers."""
    seeds = mix_bits(np.arange(1, PERMUTATIONS + 1, dtype=np.uint64) * _STEPS[0])
    return ((seeds >> np.uint64(32)).astype(np.uint32) | np.uint32(1))[:, None]


def _bands(minhash: NDArray[np.uint32]) -> tuple[int, ...]:
    return tuple(_bands_of(minhash[None, :])[0])


def _bands_of(minhashes: NDArray[np.uint32]) -> list[list[int]]:
    """Of the values of several documents, one row each."""
    rows = minhashes[:, : BANDS * BAND_ROWS].reshape(-1, BANDS, BAND_ROWS).astype(np.uint64)
    hashes = mix_bits((rows * _STEPS).sum(axis=2, dtype=np.uint64) + np.arange(BANDS, dtype=np.uint64))
    bands: list[list[int]] = hashes.view(np.int64).tolist()
    return bands


def _anchors(hashes: Hashes) -> tuple[int, ...]:
    return _lowest_runs(shingle_hashes(hashes, ANCHOR))


def _lowest_runs(runs: Hashes) -> tuple[int, ...]:
    if len(runs) > ANCHORS:
        runs = np.partition(runs, ANCHORS)[:ANCHORS]
    return tuple(np.sort(runs).view(np.int64).tolist())


def _title_key(hashes: Hashes) -> int:
    """Independent of the order of the words."""
    total = int(np.add.reduce(hashes)) * _TITLE_FACTOR & _WORD
    return total - (total >> 63 << 64)


def _title_pairs(hashes: Hashes) -> tuple[int, ...]:
    """Neighbouring words of the title: reports on one subject share some."""
    if len(hashes) < 2:
        return ()
    pairs = shingle_hashes(hashes, 2) * np.uint64(_TITLE_FACTOR)
    if len(pairs) > TITLE_PAIRS:
        pairs = np.partition(pairs, TITLE_PAIRS)[:TITLE_PAIRS]
    return tuple(np.sort(pairs).view(np.int64).tolist())
