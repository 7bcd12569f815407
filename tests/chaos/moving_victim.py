"""A move to be killed: kills itself with SIGKILL at a chosen moment.

Started once; forks a child per command (a line of JSON on standard input), so that a kill costs no start-up time.
"""

import json
import os
import signal
import sys
import traceback
from pathlib import Path

import msgspec

from headwater.app import App
from headwater.ops.move import move
from headwater.ops.move_target import TargetEnvironment
from headwater.settings.settings import Settings


def live(command: dict) -> None:
    """Move the installation and write down every moment that was passed."""
    moments: list[str] = []

    def progress(stage: str, done: int, total: int) -> None:
        moments.append(stage)
        if stage == command["kill_at"]:
            os.kill(os.getpid(), signal.SIGKILL)

    settings = msgspec.convert(command["settings"], Settings)
    move(App(settings), TargetEnvironment("cluster", settings.in_environment("cluster")), progress)
    Path(command["moments"]).write_text(json.dumps(moments), encoding="utf-8")


def _end(line: str) -> None:
    """Run one move and end the child process without any clean-up."""
    code = 1
    try:
        live(json.loads(line))
        code = 0
    finally:
        if code:
            traceback.print_exc()
        os._exit(code)


def main() -> None:
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            _end(line)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
