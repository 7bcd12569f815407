"""Calls of the Linux kernel that Python has no name for."""

import ctypes
import os
import sys

_SET_DUMPABLE, _SET_NO_NEW_PRIVS = 4, 38


class KernelError(OSError):
    """The kernel refused a call, or does not have it."""


def is_linux() -> bool:
    return sys.platform.startswith("linux")


def system_call(number: int, *arguments: object) -> int:
    """The result of a system call. Raises KernelError when the kernel answers with an error."""
    library = ctypes.CDLL(None, use_errno=True)
    library.syscall.restype = ctypes.c_long
    result = library.syscall(ctypes.c_long(number), *arguments)
    if result < 0:
        code = ctypes.get_errno()
        raise KernelError(code, os.strerror(code))
    return int(result)


def process_control(option: int, value: int) -> None:
    library = ctypes.CDLL(None, use_errno=True)
    zero = ctypes.c_ulong(0)
    if library.prctl(option, ctypes.c_ulong(value), zero, zero, zero) != 0:
        code = ctypes.get_errno()
        raise KernelError(code, os.strerror(code))


def forbid_new_privileges() -> None:
    """No program that this process starts gets more rights than it has."""
    process_control(_SET_NO_NEW_PRIVS, 1)


def hide_from_others() -> None:
    """Other processes of the same user cannot look into this one, and it leaves no core file."""
    process_control(_SET_DUMPABLE, 0)
