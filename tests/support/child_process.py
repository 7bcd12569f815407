"""Programs that end with the test process that started them, however that ends: no program is left behind."""

import ctypes
import signal
import subprocess
from collections.abc import Sequence
from typing import Any

SET_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG
_system = ctypes.CDLL(None)


def _end_with_parent() -> None:
    _system.prctl(SET_DEATH_SIGNAL, signal.SIGKILL)


def start(command: Sequence[str], **options: Any) -> subprocess.Popen[Any]:
    """Like `subprocess.Popen`. Call it from a thread that lasts: for the system, the parent is the thread."""
    # One call between fork and exec that takes no lock, so other threads of this process do not matter.
    return subprocess.Popen(command, preexec_fn=_end_with_parent, **options)  # noqa: PLW1509 - see above
