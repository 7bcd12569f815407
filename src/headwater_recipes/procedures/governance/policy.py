"""Which addresses may be cited: block-list first, then the public administration, then the registry, then nobody."""

from dataclasses import dataclass

from headwater.pure.urls import host_of
from headwater_recipes.procedures.governance.blocked import BLOCKED, BLOCKED_PATTERNS
from headwater_recipes.procedures.registry.registry import Registry

# Names that nobody can own: only tests and the demo internet answer to them.
RESERVED = ("example", "test", "localhost", "invalid")


@dataclass(frozen=True, slots=True)
class Verdict:
    allowed: bool
    rule: str


def judge(url: str, registry: Registry) -> Verdict:
    """In this order: blocked domain, blocked pattern, *.gob.es, a registered domain or one below it, rejected."""
    host = host_of(url).removeprefix("www.")
    labels = host.split(".")
    parents = {".".join(labels[start:]) for start in range(len(labels))}
    if category := next((BLOCKED[name] for name in parents if name in BLOCKED), ""):
        return Verdict(False, f"blocked:{category}")
    if any(_fits(host, pattern) for pattern in BLOCKED_PATTERNS):
        return Verdict(False, "blocked:pattern")
    if host.endswith(".gob.es"):
        return Verdict(True, "gob.es")
    if (owner := registry.owner(url)) is not None:
        return Verdict(True, f"registry:{owner.id}")
    if labels[-1] in RESERVED:
        return Verdict(True, "reserved")
    return Verdict(False, "not_registered")


def _fits(host: str, pattern: str) -> bool:
    """`*` stands for one label."""
    parts, labels = pattern.split("."), host.split(".")
    return len(parts) == len(labels) and all(
        part in ("*", label) for part, label in zip(parts, labels, strict=True)
    )
