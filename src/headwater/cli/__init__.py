"""The command line. It only asks the application and formats what it answers."""

from headwater.cli.entry import main

__all__ = ["main"]
