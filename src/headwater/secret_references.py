"""Secrets that the settings refer to instead of containing them."""

import os
from collections.abc import Mapping
from pathlib import Path

from headwater.model.errors import Refused


def resolve_secret(text: str, where: str, variables: Mapping[str, str] = os.environ) -> str:
    """Returns the secret that `env:NAME` or `file:PATH` stands for; any other text is returned unchanged."""
    kind, _, name = text.partition(":")
    if kind == "env":
        if name not in variables:
            raise Refused("bad_config", f"{where}: the environment has no variable {name}")
        return variables[name]
    if kind == "file":
        try:
            return Path(name).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise Refused("bad_config", f"{where}: the file {name} cannot be read") from error
    return text
