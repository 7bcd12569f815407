"""What a label says about the text below it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Label:
    """`field` of the document; `key` divides some of them: a deadline's meaning, a way to apply."""

    field: str
    key: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    label: Label
    pattern: re.Pattern[str]


def rules(label: Label, phrases: Iterable[str]) -> tuple[Rule, ...]:
    return tuple(Rule(label, re.compile(phrase)) for phrase in phrases)
