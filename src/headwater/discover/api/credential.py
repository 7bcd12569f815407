"""Keys, from the environment and from nowhere else."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from headwater.model.errors import Temporary

LOOK_AGAIN = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Credential:
    """A key by its name, under which requests are counted. `variables` says which variable of the environment holds
    the value of which header; `scheme` stands before each value."""

    name: str
    variables: Mapping[str, str]
    scheme: str = ""
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)

    def headers(self) -> dict[str, str]:
        """The headers that carry the key. Without it a source waits; that is no failure of the source."""
        missing = [name for name in self.variables.values() if not self.environment.get(name, "").strip()]
        if missing:
            told = f"set {' and '.join(missing)} in the environment"
            raise Temporary("key_missing", told, delay=LOOK_AGAIN, counts=False)
        return {
            header: f"{self.scheme}{self.environment[name].strip()}"
            for header, name in self.variables.items()
        }

    @property
    def named(self) -> str:
        """The variables, for a sentence."""
        return " and ".join(self.variables.values())
