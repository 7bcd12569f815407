"""The commands that this recipe adds to `headwater`. Each module is imported when its command is called."""

from collections.abc import Mapping

from headwater.model.command import Command

COMMANDS: Mapping[str, Command] = {
    "review": Command(f"{__name__}.review", "Accept or reject proposed procedures."),
    "procedures": Command(f"{__name__}.procedures", "Search and check the knowledge base of procedures."),
}
