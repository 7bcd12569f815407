"""Inputs that make a regular expression try again and again: derived from the expression itself."""

import re
from collections.abc import Iterator, Sequence
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

MOST_ATTACKS = 60
MANY = 40  # a repetition that may go on longer is worth an attack
REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)
CANDIDATES = " a<>\"'=/-_.,:;&#@1A\n\t!?()[]{}|\\%+*~^$éñß‘“…\u00a0\u200b\u0660世ا"
CATEGORIES = {
    codes.CATEGORY_DIGIT: "1",
    codes.CATEGORY_NOT_DIGIT: "a",
    codes.CATEGORY_SPACE: " ",
    codes.CATEGORY_NOT_SPACE: "a",
    codes.CATEGORY_WORD: "a",
    codes.CATEGORY_NOT_WORD: " ",
}
Node = tuple[Any, Any]


class Attack(NamedTuple):
    first: str
    repeated: str
    last: str

    def text(self, size: int) -> str:
        return self.first + self.repeated * max(1, size // len(self.repeated)) + self.last


def attacks(pattern: "re.Pattern[Any]") -> list[Attack]:
    """Texts in which the pattern begins everywhere and ends nowhere."""
    flags = pattern.flags & ~re.UNICODE if isinstance(pattern.pattern, bytes) else pattern.flags
    tree = list(_parser.parse(pattern.pattern, flags))
    texts: dict[Attack, None] = {}
    for before, item in _repetitions(tree, ""):
        for pump in _samples(item):
            texts[Attack("", before + pump, "")] = None
            texts[Attack(before, pump, "\x00")] = None
            if before:
                texts[Attack("", pump, "\x00")] = None
        if before:
            texts[Attack("", before, "")] = None
    return [attack for attack in texts if attack.repeated][:MOST_ATTACKS]


def _repetitions(nodes: Sequence[Node], before: str) -> Iterator[tuple[str, Sequence[Node]]]:
    """Each long repetition, with a sample of what must come before it."""
    for code, value in nodes:
        if code in REPEATS:
            low, high, inner = value
            if high is codes.MAXREPEAT or high > MANY:
                yield before, inner
            yield from _repetitions(inner, before)
            before += _sample(inner) * max(low, 0)
        elif code is codes.SUBPATTERN:
            yield from _repetitions(value[3], before)
            before += _sample(value[3])
        elif code is codes.ATOMIC_GROUP:
            yield from _repetitions(value, before)
            before += _sample(value)
        elif code is codes.BRANCH:
            for branch in value[1]:
                yield from _repetitions(branch, before)
            before += _sample(value[1][0])
        elif code in (codes.ASSERT, codes.ASSERT_NOT):
            yield from _repetitions(value[1], before)
        else:
            before += _sample([(code, value)])


def _samples(nodes: Sequence[Node]) -> list[str]:
    """A few texts that the nodes match."""
    if len(nodes) == 1 and nodes[0][0] in (codes.IN, codes.ANY, codes.NOT_LITERAL, codes.CATEGORY):
        return _members(nodes[0])[:3] or [""]
    variants = [_sample(nodes)]
    for code, value in nodes:
        if code is codes.BRANCH:
            variants += [_sample(branch) for branch in value[1][:6]]
        elif code is codes.SUBPATTERN:
            variants += _samples(value[3])[:6]
        elif code in (*REPEATS, codes.IN):
            variants += _samples(value[2] if code in REPEATS else [(code, value)])
    return list(dict.fromkeys(variant for variant in variants if variant))[:6]


def _sample(nodes: Sequence[Node]) -> str:
    return "".join(_sample_node(code, value) for code, value in nodes)


def _sample_node(code: Any, value: Any) -> str:
    if code is codes.LITERAL:
        return chr(value)
    if code in (codes.IN, codes.ANY, codes.NOT_LITERAL, codes.CATEGORY):
        return next(iter(_members((code, value))), "")
    if code in REPEATS:
        low, high, inner = value
        return _sample(inner) * (low or (1 if high else 0))
    if code is codes.SUBPATTERN:
        return _sample(value[3])
    if code is codes.ATOMIC_GROUP:
        return _sample(value)
    if code is codes.BRANCH:
        return _sample(value[1][0])
    if code is codes.ASSERT:
        return ""
    return ""


def _members(node: Node) -> list[str]:
    """Characters that one place of the expression accepts."""
    code, value = node
    if code is codes.ANY:
        return [" ", "a", "<"]
    if code is codes.CATEGORY:
        return [CATEGORIES[value]]
    if code is codes.NOT_LITERAL:
        return [letter for letter in CANDIDATES if ord(letter) != value][:3]
    negated = bool(value) and value[0][0] is codes.NEGATE
    listed = value[1:] if negated else value
    if negated:
        return [letter for letter in CANDIDATES if not any(_accepts(item, letter) for item in listed)][:4]
    letters = [letter for letter in CANDIDATES if any(_accepts(item, letter) for item in listed)]
    own = [
        chr(item[1]) if item[0] is codes.LITERAL else chr(item[1][0])
        for item in listed
        if item[0] in (codes.LITERAL, codes.RANGE)
    ]
    return list(dict.fromkeys([*letters[:4], *own[:2]]))


def _accepts(item: Node, letter: str) -> bool:
    code, value = item
    if code is codes.LITERAL:
        return ord(letter) == value
    if code is codes.RANGE:
        return value[0] <= ord(letter) <= value[1]
    if code is codes.CATEGORY:
        sample = {
            codes.CATEGORY_DIGIT: letter.isdigit(),
            codes.CATEGORY_SPACE: letter.isspace(),
            codes.CATEGORY_WORD: letter.isalnum() or letter == "_",
        }
        if value in sample:
            return sample[value]
        return not {
            codes.CATEGORY_NOT_DIGIT: letter.isdigit(),
            codes.CATEGORY_NOT_SPACE: letter.isspace(),
            codes.CATEGORY_NOT_WORD: letter.isalnum() or letter == "_",
        }[value]
    return False
