"""Landlock: which files the process may still open. The kernel enforces it, for root too."""

import ctypes
import os
from collections.abc import Iterable
from contextlib import suppress

from headwater.extract.sandbox.lockdown.kernel import KernelError, system_call

# The numbers are the same on every architecture.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION, _PATH_BENEATH = 1, 1

EXECUTE, READ_FILE, READ_DIR = 1 << 0, 1 << 2, 1 << 3
# By version of the interface: the rights over files that the kernel can take away.
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 5: 16}
_ALL_NETWORK = 0b11  # bind and connect (TCP)
_ALL_SCOPES = 0b11  # abstract sockets of others, signals to others
_WITH_NETWORK, _WITH_SCOPES = 4, 6


class _Ruleset(ctypes.Structure):
    _fields_ = (
        ("files", ctypes.c_uint64),
        ("network", ctypes.c_uint64),
        ("scopes", ctypes.c_uint64),
    )


class _PathRule(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("rights", ctypes.c_uint64), ("folder", ctypes.c_int32))


def landlock_version() -> int:
    """The version of the kernel's interface. Raises KernelError when it has none."""
    return system_call(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_ASK_VERSION))


def restrict_files(readable: Iterable[str], executable: Iterable[str] = ()) -> int:
    """From now on this thread can open only what lies under `readable`, only for reading, start only `executable`, and
    connect to nothing over TCP. Returns the version of Landlock; raises KernelError when the kernel has none."""
    version = landlock_version()
    ruleset = _create_ruleset(version)
    try:
        for path in readable:
            _allow(ruleset, path, READ_FILE | READ_DIR)
        for path in executable:
            _allow(ruleset, path, READ_FILE | EXECUTE)
        system_call(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0))
    finally:
        os.close(ruleset)
    return version


def _create_ruleset(version: int) -> int:
    count = max(bits for since, bits in _FILE_RIGHTS.items() if since <= version)
    rules = _Ruleset(
        (1 << count) - 1,
        _ALL_NETWORK if version >= _WITH_NETWORK else 0,
        _ALL_SCOPES if version >= _WITH_SCOPES else 0,
    )
    fields = 3 if version >= _WITH_SCOPES else 2 if version >= _WITH_NETWORK else 1
    size = ctypes.c_size_t(fields * ctypes.sizeof(ctypes.c_uint64))
    return system_call(_CREATE_RULESET, ctypes.byref(rules), size, ctypes.c_uint32(0))


def _allow(ruleset: int, path: str, rights: int) -> None:
    """A path that does not exist needs no rule."""
    with suppress(FileNotFoundError, NotADirectoryError, PermissionError):
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            if not os.path.isdir(path):  # noqa: PTH112 - the path as it was opened
                rights &= ~READ_DIR
            rule = _PathRule(rights, handle)
            system_call(
                _ADD_RULE,
                ctypes.c_int(ruleset),
                ctypes.c_int(_PATH_BENEATH),
                ctypes.byref(rule),
                ctypes.c_uint32(0),
            )
        finally:
            os.close(handle)


__all__ = ["KernelError", "landlock_version", "restrict_files"]
