"""The verbs, loaded on demand.

A verb's module imports what it needs, databases and all; `headwater --help`, completion and a mistyped word must not
wait for that. So the table holds each verb's name and its one line of help, and only the verb that was typed is loaded.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from typer.core import TyperCommand, TyperGroup
from typer.main import get_command


@dataclass(frozen=True, slots=True)
class Command:
    module: str
    purpose: str


COMMANDS: Mapping[str, Command] = {
    "init": Command("headwater.cli.pipeline.init", "Make a data folder, a database and a settings file."),
    "run": Command("headwater.cli.pipeline.run", "Run a recipe: sources in, documents out."),
    "work": Command("headwater.cli.pipeline.work", "Run workers for every recipe that has sources here."),
    "beat": Command("headwater.cli.pipeline.beat", "On a cluster: tell workers what is due."),
    "worker": Command("headwater.cli.pipeline.worker", "On a cluster: work on what the beat tells of."),
    "extract": Command("headwater.cli.files.extract", "Read files or pages: text and metadata out of bytes."),
    "feed": Command("headwater.cli.files.feed", "Read feeds: entries and repairs, one line of JSON each."),
    "dedupe": Command("headwater.cli.files.dedupe", "Recognise duplicates among articles in a file."),
    "cluster": Command("headwater.cli.files.cluster", "Put articles in a file into stories."),
    "status": Command("headwater.cli.ops.status", "Show what came in, what was kept, what waits."),
    "sources": Command("headwater.cli.pipeline.sources", "List, check, add, pause and reset sources."),
    "docs": Command("headwater.cli.documents.docs", "List and read documents."),
    "search": Command("headwater.cli.documents.search", "Search documents by words or by meaning."),
    "export": Command("headwater.cli.documents.export", "Write articles to a file for the next system."),
    "top": Command(
        "headwater.cli.documents.top", "Show the top stories of the last hours with their sources."
    ),
    "mentions": Command(
        "headwater.cli.documents.mentions", "List subjects; look for changed names in stored documents."
    ),
    "explain": Command("headwater.cli.documents.explain", "Tell the full story of one document."),
    "quarantine": Command(
        "headwater.cli.documents.quarantine", "Look at records set apart; retry or drop them."
    ),
    "replay": Command("headwater.cli.pipeline.replay", "Read stored captures again; report, then replace."),
    "review": Command(
        "headwater_recipes.procedures.commands.review",
        "Accept or reject procedures that a person should look at.",
    ),
    "procedures": Command(
        "headwater_recipes.procedures.commands.procedures", "Look at the knowledge base of procedures."
    ),
    "archive": Command(
        "headwater.cli.documents.archive", "Copy payloads and documents to where others look."
    ),
    "queue": Command("headwater.cli.documents.queue", "Take documents from queues; acknowledge them."),
    "agent": Command("headwater.cli.pipeline.agent", "Let a language model read what waits in the queues."),
    "summaries": Command("headwater.cli.pipeline.summaries", "Let a language model summarise stories."),
    "links": Command("headwater.cli.ops.links", "Check whether links are still there."),
    "try": Command("headwater.cli.files.try_url", "Ask for one address and tell what would become of it."),
    "serve": Command("headwater.cli.ops.serve", "Let other programs start runs and ask about them."),
    "listen": Command("headwater.cli.ops.listen", "Let hubs tell when a feed has something new."),
    "health": Command("headwater.cli.ops.health", "Check database, archive and sources; raise alarms."),
    "alarms": Command("headwater.cli.ops.alarms", "List alarms; try the channels on which they are told."),
    "cleanup": Command("headwater.cli.ops.cleanup", "Remove or move what the policy no longer keeps."),
    "backup": Command("headwater.cli.ops.backup", "Save the store and the archive while they are in use."),
    "restore": Command("headwater.cli.ops.restore", "Put a backup back; checks it first."),
    "move": Command("headwater.cli.ops.move", "Move the store and the archive into another home."),
    "sweep": Command("headwater.cli.ops.sweep", "Free what dead workers hold; tidy the archive."),
    "demo": Command("headwater.cli.demo", "Run Headwater over a small internet on this machine."),
}


def load_command(name: str) -> Any:
    """The command of a verb, with everything it needs."""
    command = get_command(import_module(COMMANDS[name].module).app)
    command.name = name
    return command


class CommandGroup(TyperGroup):
    """Lists the table; loads a verb when it is called."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        for name, verb in COMMANDS.items():
            self.commands[name] = TyperCommand(name, help=verb.purpose, rich_markup_mode=None)

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        name, _, rest = super().resolve_command(ctx, args)
        return name, load_command(name) if name else None, rest
