"""The table of commands, loaded on demand.

The module of a command imports everything the command needs, the database included. `headwater --help`, completion and a
mistyped command must not wait for that, so the table holds the help line of each command, and only the command that was
typed is imported. Recipes add commands: the table COMMANDS in the module `commands` of an installed recipe's package.
"""

import gc
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from typing import Any

from typer import TyperException
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from headwater.model.command import RECIPE_ENTRY_POINTS, Command

EXTRA_ARGUMENT = "Got unexpected extra argument"
NO_SHORT_OPTION = re.compile(r"No such option: -[^-]")
COMMANDS: Mapping[str, Command] = {
    "init": Command("headwater.cli.pipeline.init", "Create a data folder, a database and a settings file."),
    "run": Command("headwater.cli.pipeline.run", "Run a recipe: sources in, documents out."),
    "work": Command("headwater.cli.pipeline.work", "Run workers for every recipe that has sources here."),
    "beat": Command("headwater.cli.pipeline.beat", "On a cluster: notify workers of what is due."),
    "worker": Command("headwater.cli.pipeline.worker", "On a cluster: process what the beat announces."),
    "extract": Command("headwater.cli.standalone.extract", "Extract text and metadata from files or pages."),
    "feed": Command("headwater.cli.standalone.feed", "Parse feeds: entries and repairs, one JSON line each."),
    "dedupe": Command("headwater.cli.standalone.dedupe", "Find duplicates among the articles in a file."),
    "cluster": Command("headwater.cli.standalone.cluster", "Group the articles in a file into stories."),
    "topics": Command("headwater.cli.standalone.topics", "Classify the articles in a file by topic."),
    "status": Command("headwater.cli.ops.status", "Show what came in, what was kept and what is waiting."),
    "sources": Command("headwater.cli.pipeline.sources", "List, check, add, pause and remove sources."),
    "docs": Command("headwater.cli.documents.docs", "List and read documents."),
    "search": Command("headwater.cli.documents.search", "Search documents by words or by meaning."),
    "searches": Command("headwater.cli.documents.searches", "Save searches that notify, feed, tag or drop."),
    "export": Command("headwater.cli.documents.export", "Export articles to a file."),
    "top": Command("headwater.cli.documents.top", "Show the top stories of the last hours."),
    "changes": Command("headwater.cli.documents.changes", "Show what changed in a story since yesterday."),
    "mentions": Command(
        "headwater.cli.documents.mentions", "List subjects; search stored documents for new names."
    ),
    "explain": Command("headwater.cli.documents.explain", "Show the full history of one document."),
    "sample": Command(
        "headwater.cli.documents.sample", "Review a random sample of documents; sum up the verdicts."
    ),
    "quarantine": Command(
        "headwater.cli.documents.quarantine", "Show quarantined records; retry or drop them."
    ),
    "replay": Command(
        "headwater.cli.pipeline.replay", "Extract stored captures again; compare, then replace."
    ),
    "archive": Command("headwater.cli.documents.archive", "Copy payloads and documents to named objects."),
    "queue": Command("headwater.cli.documents.queue", "Take items from queues and acknowledge them."),
    "agent": Command("headwater.cli.pipeline.agent", "Process queued items with a language model."),
    "summaries": Command("headwater.cli.pipeline.summaries", "Summarise stories with a language model."),
    "links": Command("headwater.cli.ops.links", "Check whether links still work."),
    "try": Command("headwater.cli.standalone.try_url", "Fetch one URL and show what would be kept."),
    "serve": Command("headwater.cli.ops.serve", "Serve the web pages and the HTTP API."),
    "mcp": Command("headwater.cli.ops.mcp", "Offer documents to a language model (MCP)."),
    "keys": Command("headwater.cli.ops.keys", "Create, list and revoke keys for the HTTP API."),
    "health": Command("headwater.cli.ops.health", "Check the system and its sources; raise alarms."),
    "probe": Command("headwater.cli.ops.probe", "Check that this machine's beat or workers are alive."),
    "alarms": Command("headwater.cli.ops.alarms", "List alarms; test the notification channels."),
    "cleanup": Command("headwater.cli.ops.cleanup", "Apply the retention policy."),
    "backup": Command("headwater.cli.ops.backup", "Back up the store and the archive; verify backups."),
    "restore": Command("headwater.cli.ops.restore", "Verify a backup and restore it."),
    "move": Command("headwater.cli.ops.move", "Move the store and the archive to another environment."),
    "sweep": Command("headwater.cli.ops.sweep", "Release leases of dead workers; remove orphaned objects."),
    "demo": Command("headwater.cli.demo", "Run Headwater against a demo internet on this machine."),
}


# Every built-in command by task, in the order of `--help`; those of recipes follow.
COMMAND_GROUPS: Mapping[str, tuple[str, ...]] = {
    "Get started": ("demo", "init", "sources", "try", "run"),
    "Read": ("status", "docs", "search", "searches", "top", "changes", "explain", "mentions", "export"),
    "Operate": (
        "work", "health", "alarms", "quarantine", "sample", "replay", "links", "queue", "agent", "summaries", "archive",
        "cleanup", "backup", "restore", "move", "sweep", "serve", "mcp", "keys",
    ),
    "Work on files": ("extract", "feed", "dedupe", "cluster", "topics"),
    "Cluster": ("beat", "worker", "probe"),
}  # fmt: skip
RECIPE_COMMANDS = "Recipes"
EXIT_CODES = "Exit codes: 0 success, 1 problems found or refused, 2 wrong usage, 130 interrupted."


@cache
def all_commands() -> Mapping[str, Command]:
    """The built-in commands and those of installed recipes. A recipe cannot replace another command: its own is left out
    with a warning, like the commands of a recipe that cannot be imported."""
    commands = dict(COMMANDS)
    for entry in sorted(entry_points(group=RECIPE_ENTRY_POINTS), key=lambda entry: entry.name):
        for name, command in recipe_commands(entry).items():
            if name in commands:
                _warn(
                    f"the recipe '{entry.name}' cannot add the command '{name}': {commands[name].module} has it"
                )
            else:
                commands[name] = command
    return commands


def recipe_commands(entry: EntryPoint) -> Mapping[str, Command]:
    """The commands of a recipe. Its package is imported only if it has a module `commands`."""
    try:
        package = find_spec(entry.module)
        locations = None if package is None else package.submodule_search_locations
        if locations is None or PathFinder.find_spec(f"{entry.module}.commands", locations) is None:
            return {}
        table: Mapping[str, Command] = import_module(f"{entry.module}.commands").COMMANDS
    except Exception as error:  # noqa: BLE001 - a broken recipe must not take the other commands along
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        _warn(
            f"the commands of the recipe '{entry.name}' cannot be loaded ({reason}); repair or uninstall its package"
        )
        return {}
    return table


def load_command(name: str) -> Any:
    """The command with everything it needs."""
    with _collector_paused():
        command = get_command(import_module(all_commands()[name].module).app)
    command.name = name
    _skip_absent(command)
    _hint_at_options(command)
    return command


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Modules live as long as the program: the garbage collector need not look at them, neither now nor later."""
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        gc.enable()


def _skip_absent(command: Any) -> None:
    """An option that was not given has no value to convert: without this, typer loads pydantic for it."""
    command.get_params = partial(_light_parameters, command.get_params)
    for child in getattr(command, "commands", {}).values():
        _skip_absent(child)


def _hint_at_options(command: Any) -> None:
    """A word too many is often the name of a recipe: the error says how to name one. A query may begin with a minus."""
    command.parse_args = partial(_parse_with_hint, command, command.parse_args)
    for child in getattr(command, "commands", {}).values():
        _hint_at_options(child)


def _parse_with_hint(
    command: Any, parse_args: Callable[[Any, list[str]], list[str]], ctx: Any, args: list[str]
) -> list[str]:
    words = list(args)  # the parser takes them out
    try:
        return parse_args(ctx, args)
    except TyperException as error:
        message = str(getattr(error, "message", "")).removeprefix("Value error, ")
        has_recipe = any("--recipe" in parameter.opts for parameter in command.params)
        error.message = message
        if message.startswith(EXTRA_ARGUMENT) and {"--since", "--until"} & set(words):
            error.message = f"{message}. Put a time of several words into quotes, such as '2026-11-14 06:00'"
        elif message.startswith(EXTRA_ARGUMENT) and has_recipe:
            word = message.rpartition("(")[2].rstrip(")").split()[0]
            error.message = f"{message}. To choose a recipe, write --recipe {word}"
        elif NO_SHORT_OPTION.match(message) and any(
            parameter.name == "query" for parameter in command.params
        ):
            error.message = f"{message}. Put -- before a query that begins with a minus: -- '-word other'"
        raise


def _light_parameters(get_params: Callable[[Any], list[Any]], ctx: Any) -> list[Any]:
    parameters = get_params(ctx)
    for parameter in parameters:
        is_single = not (parameter.required or parameter.multiple or parameter.nargs != 1)
        if is_single and not isinstance(parameter.process_value, partial):
            parameter.process_value = partial(_process_given, parameter, parameter.process_value)
    return parameters


def _process_given(parameter: Any, process: Callable[[Any, Any], Any], ctx: Any, value: Any) -> Any:
    if value is not None:
        return process(ctx, value)
    return parameter.callback(ctx, parameter, None) if parameter.callback else None


class CommandGroup(TyperGroup):
    """Lists the table; imports a command when it is called."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands.update(_help_entries())

    def get_params(self, ctx: Any) -> list[Any]:
        return _light_parameters(super().get_params, ctx)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """By task, each with its commands in the order of their use."""
        del ctx
        table = all_commands()
        grouped = {name for names in COMMAND_GROUPS.values() for name in names}
        others = tuple(name for name in table if name not in grouped)
        for title, names in {**COMMAND_GROUPS, RECIPE_COMMANDS: others}.items():
            if rows := [(name, table[name].help) for name in names if name in table]:
                with formatter.section(title):
                    formatter.write_dl(rows)
        formatter.write_paragraph()
        formatter.write_text(EXIT_CODES)

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        name, _, arguments = super().resolve_command(ctx, args)
        return name, load_command(name) if name else None, arguments


def _help_entries() -> Iterator[tuple[str, TyperCommand]]:
    for name, command in all_commands().items():
        yield name, TyperCommand(name, help=command.help, rich_markup_mode=None)


def _warn(message: str) -> None:
    sys.stderr.write(f"headwater: {message}\n")
