"""The tokens of many texts at once: an operation of NumPy on a short array takes as long as on one of a few thousand numbers."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from headwater.documents.dedupe.tokens import (
    CHARACTER_LIMIT,
    Codes,
    SentenceRuns,
    Tokens,
    fold_codes,
    hash_words,
    join_pair,
    sentence_runs,
    tokenise_pair,
)

TokenisedPage = tuple[Tokens, Tokens, SentenceRuns]
"""Title, body, and the sentences of the body."""
FoldedText = tuple[Codes, Codes]
_LINE_FEED, _NO_WORD = 10, 0


def tokenise_pages(pairs: Sequence[tuple[str, str]]) -> list[TokenisedPage]:
    """What `tokenise_pair` and `sentence_runs` return for each title and body."""
    folded = {place: fold_codes(join_pair(*pair)) for place, pair in enumerate(pairs) if pair[1]}
    pages = {
        place: page
        for batch in _batches(folded)
        for place, page in zip(batch, _tokenise_together([folded[place] for place in batch]), strict=True)
    }
    return [pages[place] if place in pages else _tokenise(*pair) for place, pair in enumerate(pairs)]


def _tokenise(title: str, body: str) -> TokenisedPage:
    tokens = tokenise_pair(title, body)
    return *tokens, sentence_runs(tokens[1])


def _batches(folded: dict[int, FoldedText]) -> Iterator[list[int]]:
    """The places of as many texts as fit in one array, those of ASCII and others apart."""
    for dtype in (np.uint8, np.uint32):
        batch, size = list[int](), 0
        for place, (codes, _) in folded.items():
            if codes.dtype != dtype:
                continue
            if batch and size + len(codes) >= CHARACTER_LIMIT:
                yield batch
                batch, size = [], 0
            batch.append(place)
            size += len(codes) + 1
        if batch:
            yield batch


def _tokenise_together(texts: Sequence[FoldedText]) -> Iterator[TokenisedPage]:
    """The line feed that ends a title or a text ends a sentence, too."""
    joined = hash_words(
        _join([codes for codes, _ in texts], _LINE_FEED), _join([folded for _, folded in texts], _NO_WORD)
    )
    bounds = [0]
    for codes, _ in texts:
        start = bounds[-1]
        bounds += (start + int(np.argmax(codes == _LINE_FEED)) + 1, start + len(codes) + 1)
    words = np.searchsorted(joined.starts, bounds).tolist()
    sentences = sentence_runs(joined)
    runs = np.searchsorted(sentences.starts, words).tolist()
    parts = list(zip(pairwise(bounds), pairwise(words), pairwise(runs), strict=True))
    for (title, title_words, _), (body, body_words, body_runs) in zip(parts[::2], parts[1::2], strict=True):
        shown = slice(*body_runs)
        yield (
            joined.part(title, title_words),
            joined.part((body[0], body[1] - 1), body_words),
            SentenceRuns(
                sentences.starts[shown] - body_words[0], sentences.lengths[shown], sentences.hashes[shown]
            ),
        )


def _join(arrays: Sequence[Codes], separator: int) -> Codes:
    if len(arrays) == 1:
        return arrays[0]
    gap = np.array([separator], dtype=arrays[0].dtype)
    return np.concatenate([part for array in arrays for part in (array, gap)])
