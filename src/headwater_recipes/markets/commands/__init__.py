"""The command that this recipe adds to `headwater`. Its module is imported when the command is called."""

from collections.abc import Mapping

from headwater.model.command import Command

COMMANDS: Mapping[str, Command] = {
    "companies": Command(f"{__name__}.companies", "List and change the companies of the watch list."),
}
