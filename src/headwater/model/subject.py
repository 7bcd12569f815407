"""Who or what documents are about."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """Somebody whom a recipe watches. `aliases` are (name, kind) pairs; the kind is one that mentions know."""

    id: str
    recipe: str
    kind: str
    name: str
    active: bool = True
    aliases: tuple[tuple[str, str], ...] = ()
    attributes: Mapping[str, Any] = field(default_factory=dict)
