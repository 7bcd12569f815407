"""Environments: places where the same installation may run, each with a name. The top level of the settings is `default`."""

from typing import Any

import msgspec

from headwater.model.errors import Refused
from headwater.settings.archive import ArchiveSettings

DEFAULT_ENVIRONMENT = "default"


class Environment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Each value replaces the setting of the same name; a missing one leaves it as it is."""

    data: str | None = None
    database: str | None = None
    archive: str | ArchiveSettings | None = None
    redis: str | None = None
    queues: str | None = None
    workers: int | None = None

    def __repr__(self) -> str:
        """Without the values: addresses may hold passwords."""
        return f"Environment(overrides={sorted(self.overrides())})"

    def overrides(self) -> dict[str, Any]:
        return {name: value for name, value in msgspec.structs.asdict(self).items() if value is not None}


def environment_overrides(environments: dict[str, Environment], name: str) -> dict[str, Any]:
    """Returns the settings that an environment replaces; refuses an unknown name."""
    if name == DEFAULT_ENVIRONMENT:
        return {}
    if name not in environments:
        names = ", ".join([DEFAULT_ENVIRONMENT, *sorted(environments)])
        raise Refused(
            "unknown_environment",
            f"there is no environment '{name}' in the setting `environments`; there are: {names}",
        )
    return environments[name].overrides()
