"""The same option means the same in every command."""

from collections import defaultdict
from functools import cache
from typing import Any

import pytest

from headwater.cli.reference import commands

# These commands belong to the HTTP API and to search.
OTHERS = ("headwater search", "headwater serve", "headwater keys")
SHARED = (
    "--recipe",
    "--since",
    "--until",
    "--source",
    "--language",
    "--limit",
    "--json",
    "--quiet",
    "--out",
    "--dry-run",
)
# An option with several declarations: one value or several, everything or a number of them, a result or a summary.
VARIANTS = {"--recipe": 2, "--limit": 2, "--json": 3, "--out": 2}
BY_TIME = {"docs list", "quarantine list", "alarms list", "export articles", "export bars", "top", "replay"}
BY_RECIPE = BY_TIME | {
    "sources list", "sources health", "links list", "links check", "mentions list", "replay list", "archive records",
    "status", "docs fetch", "sources reset", "quarantine retry", "quarantine drop",
}  # fmt: skip
BY_SOURCE = {"docs list", "export articles", "top", "sources list"}
BY_LANGUAGE = {"docs list", "export articles", "top", "procedures list"}


@cache
def options() -> dict[str, dict[str, Any]]:
    """The help of every option of every command without subcommands, and of those with an action of their own."""
    by_command: dict[str, dict[str, Any]] = {}
    for name, command in commands():
        if not name.startswith(OTHERS):
            by_command[name.removeprefix("headwater ")] = {
                flag: parameter.help for parameter in command.params for flag in parameter.opts
            }
    return by_command


@pytest.mark.parametrize("flag", SHARED)
def test_an_option_has_one_declaration(flag: str):
    texts = defaultdict(list)
    for name, helps in options().items():
        if flag in helps:
            texts[helps[flag]].append(name)
    assert len(texts) <= VARIANTS.get(flag, 1), dict(texts)


def test_every_list_prints_json_and_takes_a_limit():
    lists = [name for name in options() if name.endswith(" list")]
    assert len(lists) > 10
    for name in (*lists, "sources health", "archive records", "procedures drift", "docs list", "top"):
        assert {"--json", "--limit"} <= set(options()[name]), name


@pytest.mark.parametrize(
    ("names", "flags"),
    [
        (BY_RECIPE, {"--recipe"}),
        (BY_TIME, {"--since", "--until"}),
        (BY_SOURCE, {"--source"}),
        (BY_LANGUAGE, {"--language"}),
    ],
)
def test_commands_that_filter_have_the_options_of_what_they_filter_by(names: set[str], flags: set[str]):
    assert [name for name in sorted(names) if not flags <= set(options()[name])] == []
