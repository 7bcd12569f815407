"""Locking a process down, and the list of what worked."""

import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from headwater.extract.sandbox.lockdown.folders import program_folders
from headwater.extract.sandbox.lockdown.kernel import (
    KernelError,
    forbid_new_privileges,
    hide_from_others,
    is_linux,
)
from headwater.extract.sandbox.lockdown.landlock import restrict_files
from headwater.extract.sandbox.lockdown.limits import MemoryGauge, limit_resources
from headwater.extract.sandbox.lockdown.seccomp import restrict_system_calls

PROTECTIONS = ("environment", "limits", "no_new_privs", "landlock", "seccomp")


@dataclass(frozen=True, slots=True)
class Protection:
    """`detail` is the version of an active protection, or why one is missing."""

    name: str
    active: bool
    detail: str = ""


def lock_down(
    megabytes: int, gauge: MemoryGauge, readable: Iterable[str], executable: Iterable[str] = ()
) -> tuple[Protection, ...]:
    """Takes away from this process what reading does not need. What the system does not offer is left out, and said."""
    may_execute = bool(executable)
    limited = limit_resources(megabytes, *gauge.read(), threads=may_execute)
    return (
        Protection("environment", active=True),  # the parent's part
        Protection("limits", active=limited, detail="" if limited else "not on this system"),
        _attempt("no_new_privs", _privileges),
        _attempt("landlock", lambda: _files(readable, executable)),
        _attempt("seccomp", lambda: _calls(may_execute=may_execute)),
    )


def _attempt(name: str, protect: Callable[[], str]) -> Protection:
    if not is_linux():
        return Protection(name, active=False, detail=f"not on {sys.platform}")
    try:
        return Protection(name, active=True, detail=protect())
    except KernelError as error:
        return Protection(name, active=False, detail=error.strerror or "refused by the kernel")


def _privileges() -> str:
    hide_from_others()
    forbid_new_privileges()
    return ""


def _files(readable: Iterable[str], executable: Iterable[str]) -> str:
    threads = len(os.listdir("/proc/self/task"))  # noqa: PTH208
    if threads > 1:  # Landlock restricts the calling thread only
        raise KernelError(0, f"an imported library has started {threads - 1} threads")
    return f"version {restrict_files(readable, executable)}"


def _calls(*, may_execute: bool) -> str:
    restrict_system_calls(may_execute=may_execute)
    return ""


def run_locked_down(program: str, arguments: list[str], megabytes: int) -> None:
    """Becomes another program, in a sandbox of its own. Never returns."""
    lock_down(megabytes, MemoryGauge(), *program_folders(program))
    os.execv(program, [program, *arguments])  # noqa: S606 - a program that the operator installed
