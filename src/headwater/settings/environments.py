"""Homes: other places where the same installation may live, each by a name."""

from typing import Any

import msgspec

from headwater.model.errors import Refused
from headwater.settings.archive import ArchiveSettings


class Environment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is said here is put over the settings of the same name; what is not said stays."""

    data: str | None = None
    database: str | None = None
    archive: str | ArchiveSettings | None = None
    redis: str | None = None
    queues: str | None = None
    workers: int | None = None

    def __repr__(self) -> str:
        """Addresses may hold passwords."""
        return f"Home(says={sorted(overrides_of(self))})"


def overrides_of(env: Environment) -> dict[str, Any]:
    return {name: value for name, value in msgspec.structs.asdict(env).items() if value is not None}


def environment_overrides(environments: dict[str, Environment], name: str) -> dict[str, Any]:
    """What a home says; Refused if there is none of that name."""
    if name not in environments:
        known = ", ".join(sorted(environments)) or "none is set"
        raise Refused(
            "unknown_environment",
            f"there is no environment '{name}' in the setting `environments`; defined: {known}",
        )
    return overrides_of(environments[name])
