"""Sentences as runs of tokens, each with a hash, so that what a publisher repeats can be counted and masked."""

from dataclasses import dataclass

import numpy as np

from headwater.pure.dupes.tokens import Places, Tokens

_NEWLINE, _SPACE, _QUOTE = 10, 32, 34
_STOPS = (ord("."), ord("!"), ord("?"))


@dataclass(frozen=True, slots=True)
class Sentences:
    """`starts` are token positions; `hashes` are signed 64-bit integers."""

    starts: Places
    lengths: Places
    hashes: tuple[int, ...]


def sentences(tokens: Tokens) -> Sentences:
    if not len(tokens):
        empty = np.zeros(0, dtype=np.int64)
        return Sentences(empty, empty, ())
    numbers = np.cumsum(_ends(tokens))[tokens.starts]
    starts = np.concatenate(([0], np.flatnonzero(numbers[1:] != numbers[:-1]) + 1))
    lengths = np.diff(starts, append=len(tokens))
    hashes = np.add.reduceat(tokens.hashes, starts).view(np.int64)
    return Sentences(starts, lengths, tuple(hashes.tolist()))


def _ends(tokens: Tokens) -> Places:
    codes = tokens.codes
    stops = (codes == _STOPS[0]) | (codes == _STOPS[1]) | (codes == _STOPS[2])
    following = np.append(codes[1:], _NEWLINE)
    spaced = (following == _SPACE) | (following == _NEWLINE) | (following == _QUOTE)
    ends: Places = (codes == _NEWLINE) | (stops & spaced)
    return ends
