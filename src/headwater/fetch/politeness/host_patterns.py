"""Which entry of a table of host patterns speaks for a host.

A pattern is a host name, `*.name` (the name and everything below it) or `*`. The most specific one wins.
"""

from collections.abc import Mapping
from typing import TypeVar

_Value = TypeVar("_Value")


def match_host(table: Mapping[str, _Value], host: str) -> tuple[str, _Value] | None:
    """The pattern that speaks for the host, with its value."""
    if not table:
        return None
    for pattern in _patterns(host.rstrip(".").lower()):
        if pattern in table:
            return pattern, table[pattern]
    return None


def _patterns(host: str) -> list[str]:
    labels = host.split(".")
    below = [f"*.{'.'.join(labels[start:])}" for start in range(len(labels))]
    return [host, *below, "*"]
