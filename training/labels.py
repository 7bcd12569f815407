"""The share of each block that is in the gold text of the page: 0 to 1."""

import re
from collections.abc import Sequence

_WORD = re.compile(r"\w+")
_DENSE = re.compile("([\u3040-\u30ff\u3400-\u9fff])")
_GRAM = 4
_SLACK = 12
_REACH = 80


def tokens(text: str) -> list[str]:
    return _WORD.findall(_DENSE.sub(r" \1 ", text.lower()))


def label(texts: Sequence[str], gold: str) -> list[float]:
    """Long blocks by their share of four-word runs that the gold has; short ones must stand where their neighbours say."""
    gold_tokens = tokens(gold)
    grams: dict[tuple[str, ...], list[int]] = {}
    for place in range(len(gold_tokens) - _GRAM + 1):
        grams.setdefault(tuple(gold_tokens[place : place + _GRAM]), []).append(place)
    split = [tokens(text) for text in texts]
    shares: list[float | None] = [_share(words, grams) for words in split]
    places = _places(split, shares, grams)
    return [
        share if share is not None else _short(split[number], number, places, gold_tokens)
        for number, share in enumerate(shares)
    ]


def _share(words: list[str], grams: dict[tuple[str, ...], list[int]]) -> float | None:
    if len(words) <= _GRAM:
        return None
    covered = [False] * len(words)
    for start in range(len(words) - _GRAM + 1):
        if tuple(words[start : start + _GRAM]) in grams:
            covered[start : start + _GRAM] = [True] * _GRAM
    return sum(covered) / len(words)


def _places(
    split: list[list[str]], shares: list[float | None], grams: dict[tuple[str, ...], list[int]]
) -> list[tuple[int, int] | None]:
    """Where in the gold each surely matched block stands: those whose first or any run is unique there."""
    places: list[tuple[int, int] | None] = []
    for words, share in zip(split, shares, strict=True):
        span = None
        if share is not None and share > 0.6:
            for start in range(len(words) - _GRAM + 1):
                hits = grams.get(tuple(words[start : start + _GRAM]))
                if hits and len(hits) == 1:
                    span = (hits[0] - start, hits[0] - start + len(words))
                    break
        places.append(span)
    return places


def _short(
    words: list[str], number: int, places: list[tuple[int, int] | None], gold_tokens: list[str]
) -> float:
    if not words:
        return 0.5
    before = next(
        (place[1] for place in reversed(places[max(0, number - 200) : number]) if place is not None), None
    )
    after = next((place[0] for place in places[number + 1 : number + 200] if place is not None), None)
    if before is None and after is None:
        return 1.0 if _occurs(words, gold_tokens) and len(gold_tokens) < 400 else 0.0
    low = before - _SLACK if before is not None else (after or 0) - _REACH
    high = after + _SLACK if after is not None else (before or 0) + _REACH
    if low > high:
        return 0.5 if _occurs(words, gold_tokens) else 0.0
    return 1.0 if _occurs(words, gold_tokens[max(0, low) : max(0, high)]) else 0.0


def _occurs(words: list[str], inside: list[str]) -> bool:
    size = len(words)
    first = words[0]
    return any(
        inside[place] == first and inside[place : place + size] == words
        for place in range(len(inside) - size + 1)
    )
