"""Programs that end with the test process that started them, however that ends: nobody is left to work for nobody."""

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
    """As `subprocess.Popen`. To be called from a thread that lasts: the system means the thread when it says parent."""
    # One call between fork and exec that takes no lock: threads of this process do not matter to it.
    return subprocess.Popen(command, preexec_fn=_end_with_parent, **options)  # noqa: PLW1509 - as said
