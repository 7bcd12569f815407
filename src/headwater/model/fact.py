from dataclasses import dataclass
from typing import Any, Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Fact(Generic[T]):
    """A typed key for what a step or a recipe found out.

    The engine stores the value as JSON and never learns the type; whoever holds the key reads it back typed.
    """

    name: str
    kind: type[T]


@dataclass(frozen=True, slots=True)
class Finding:
    """A fact's value with the one who said it."""

    value: Any
    step: str = ""
    version: str = ""
