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
class Verb:
    module: str
    purpose: str


VERBS: Mapping[str, Verb] = {
    "init": Verb("headwater.cli.init", "Make a data folder, a database and a settings file."),
    "run": Verb("headwater.cli.run", "Run a recipe: sources in, documents out."),
    "work": Verb("headwater.cli.work", "Run workers for every recipe that has sources here."),
    "beat": Verb("headwater.cli.beat", "On a cluster: tell workers what is due."),
    "worker": Verb("headwater.cli.worker", "On a cluster: work on what the beat tells of."),
    "extract": Verb("headwater.cli.extract", "Read files or pages: text and metadata out of bytes."),
    "feed": Verb("headwater.cli.feed", "Read feeds: entries and repairs, one line of JSON each."),
    "dedupe": Verb("headwater.cli.dedupe", "Recognise duplicates among articles in a file."),
    "cluster": Verb("headwater.cli.cluster", "Put articles in a file into stories."),
    "status": Verb("headwater.cli.status", "Show what came in, what was kept, what waits."),
    "sources": Verb("headwater.cli.sources", "List, check, add, pause and reset sources."),
    "docs": Verb("headwater.cli.docs", "List and read documents."),
    "search": Verb("headwater.cli.search", "Search documents by words or by meaning."),
    "export": Verb("headwater.cli.export", "Write articles to a file for the next system."),
    "top": Verb("headwater.cli.top", "Show the top stories of the last hours with their sources."),
    "mentions": Verb("headwater.cli.mentions", "List subjects; look for changed names in stored documents."),
    "explain": Verb("headwater.cli.explain", "Tell the full story of one document."),
    "quarantine": Verb("headwater.cli.quarantine", "Look at records set apart; retry or drop them."),
    "replay": Verb("headwater.cli.replay", "Read stored captures again; report, then replace."),
    "review": Verb("headwater.cli.review", "Accept or reject procedures that a person should look at."),
    "procedures": Verb("headwater.cli.procedures", "Look at the knowledge base of procedures."),
    "archive": Verb("headwater.cli.archive", "Copy payloads and documents to where others look."),
    "queue": Verb("headwater.cli.queue", "Take documents from queues; acknowledge them."),
    "agent": Verb("headwater.cli.agent", "Let a language model read what waits in the queues."),
    "summaries": Verb("headwater.cli.summaries", "Let a language model summarise stories."),
    "links": Verb("headwater.cli.links", "Check whether links are still there."),
    "try": Verb("headwater.cli.try_url", "Ask for one address and tell what would become of it."),
    "serve": Verb("headwater.cli.serve", "Let other programs start runs and ask about them."),
    "listen": Verb("headwater.cli.listen", "Let hubs tell when a feed has something new."),
    "health": Verb("headwater.cli.health", "Check database, archive and sources; raise alarms."),
    "alarms": Verb("headwater.cli.alarms", "List alarms; try the channels on which they are told."),
    "cleanup": Verb("headwater.cli.cleanup", "Remove or move what the policy no longer keeps."),
    "backup": Verb("headwater.cli.backup", "Save the store and the archive while they are in use."),
    "restore": Verb("headwater.cli.restore", "Put a backup back; checks it first."),
    "move": Verb("headwater.cli.move", "Move the store and the archive into another home."),
    "sweep": Verb("headwater.cli.sweep", "Free what dead workers hold; tidy the archive."),
    "demo": Verb("headwater.cli.demo", "Run Headwater over a small internet on this machine."),
}


def load(name: str) -> Any:
    """The command of a verb, with everything it needs."""
    command = get_command(import_module(VERBS[name].module).app)
    command.name = name
    return command


class Verbs(TyperGroup):
    """Lists the table; loads a verb when it is called."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        for name, verb in VERBS.items():
            self.commands[name] = TyperCommand(name, help=verb.purpose, rich_markup_mode=None)

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        name, _, rest = super().resolve_command(ctx, args)
        return name, load(name) if name else None, rest
