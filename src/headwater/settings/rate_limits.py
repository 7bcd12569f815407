"""Limits by host: in the settings, or in a file next to them."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType

from headwater.model.errors import Refused
from headwater.settings.yaml_file import line_of, load_yaml

RATE_LIMITS_FILE = "rate_limits.yaml"
HOST = re.compile(r"\*|(?:\*\.)?[\w-]+(?:\.[\w-]+)*|\[?[0-9a-f:]+\]?", re.IGNORECASE)

Rate = Annotated[float, msgspec.Meta(ge=0, le=1_000_000)]
Count = Annotated[int, msgspec.Meta(ge=0, le=100_000)]


class RateLimit(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The limits of a host. A field that is not set keeps its general value, or that of a built-in rule."""

    rate: Rate | UnsetType | None = UNSET
    concurrency: Count | UnsetType | None = UNSET
    user_agent: str | UnsetType | None = UNSET
    robots: bool | UnsetType = UNSET
    shared: bool | UnsetType = UNSET
    contact: bool | UnsetType = UNSET


def rules_by_host(rules: Mapping[str, RateLimit]) -> dict[str, dict[str, object]]:
    """Returns the limits that are set, by host, as plain data."""
    return {host: msgspec.to_builtins(rule) for host, rule in rules.items()}


def load_rate_limits(settings: Path | None) -> dict[str, RateLimit]:
    """Returns the limits of the file in the folder of the settings; none when there is no such file."""
    path = (settings.parent if settings else Path()) / RATE_LIMITS_FILE
    if not path.exists():
        return {}
    rules = load_yaml(path, dict[str, RateLimit])
    check_hosts(rules, path, ())
    check_headers(user_agents(rules, ()), path)
    return rules


def check_headers(values: Mapping[tuple[str, ...], object], path: Path) -> None:
    """Refuses values that cannot be sent in a header."""
    for keys, value in values.items():
        if isinstance(value, str) and not (value.isascii() and value.isprintable()):
            raise Refused(
                "bad_config",
                f"{path}:{line_of(path, list(keys))}: {'.'.join(keys)}: only plain ASCII characters can be sent",
            )


def user_agents(rules: Mapping[str, RateLimit], parents: tuple[str, ...]) -> dict[tuple[str, ...], object]:
    return {(*parents, host, "user_agent"): rule.user_agent for host, rule in rules.items()}


def check_hosts(hosts: Iterable[str], path: Path, parents: tuple[str, ...]) -> None:
    """Refuses a pattern that no host can match: it would never take effect."""
    for host in hosts:
        if not HOST.fullmatch(host):
            place = ".".join((*parents, host))
            raise Refused(
                "bad_config",
                f"{path}:{line_of(path, [*parents, host])}: {place}: not a host; write for example ledger.example or "
                "'*.ledger.example'",
            )
