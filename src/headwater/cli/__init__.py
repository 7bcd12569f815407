"""The command line. It only asks the application and formats what it answers."""

from headwater.cli.program import main

__all__ = ["main"]
