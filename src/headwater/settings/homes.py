"""Homes: other places where the same installation may live, each by a name."""

from typing import Any

import msgspec

from headwater.model.errors import Refused
from headwater.settings.archive import Archive


class Home(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is said here is put over the settings of the same name; what is not said stays."""

    data: str | None = None
    database: str | None = None
    archive: str | Archive | None = None
    redis: str | None = None
    queues: str | None = None
    workers: int | None = None

    def __repr__(self) -> str:
        """Addresses may hold passwords."""
        return f"Home(says={sorted(said(self))})"


def said(home: Home) -> dict[str, Any]:
    return {name: value for name, value in msgspec.structs.asdict(home).items() if value is not None}


def chosen(homes: dict[str, Home], name: str) -> dict[str, Any]:
    """What a home says; Refused if there is none of that name."""
    if name not in homes:
        known = ", ".join(sorted(homes)) or "none is set"
        raise Refused("unknown_home", f"there is no home '{name}' in the setting `homes`; there are: {known}")
    return said(homes[name])
