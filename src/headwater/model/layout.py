"""Where copies of what a recipe captured and made lie, for readers who look for them by name."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Payload:
    """One answer of one look at a source; `label` is the short name of whom the source is about."""

    kind: str
    label: str | None
    at: datetime
    run: str
    page: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """`raw` names a payload, `part` a part of a document (by the kind of its source, the label, its id and the part's
    own name). Names are relative and begin with a bucket."""

    raw: Callable[[Payload], str]
    part: Callable[[str, str | None, str, str], str]
