"""The command line. It only asks the application and formats what it answers."""

import sys

__all__ = ["main"]


def main() -> None:
    """Runs the program. Ctrl-C while it is still being loaded ends it like any other interruption."""
    try:
        from headwater.runtime.garbage_collector import collect_rarely  # noqa: PLC0415 - before all other imports

        collect_rarely()
        from headwater.cli.program import main as run_program  # noqa: PLC0415 - loading it takes a while
    except KeyboardInterrupt:
        sys.exit(130)
    run_program()
