"""seccomp: which system calls the process may still make. Every other one fails with "operation not permitted"."""

import ctypes
import errno
import os
from collections.abc import Iterable, Iterator

from headwater.extract.sandbox.lockdown.kernel import KernelError, system_call
from headwater.extract.sandbox.lockdown.system_calls import (
    ARCHITECTURES,
    CONDITIONAL,
    PLAIN,
    X86_64,
    call_number,
)

_SECCOMP_NUMBERS = {"x86_64": 317, "aarch64": 277}
_SET_MODE_FILTER, _ALL_THREADS = 1, 1
_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENTS_AT = 0, 4, 16
_LOAD, _EQUALS, _HAS_BITS, _AT_LEAST, _RETURN = 0x20, 0x15, 0x45, 0x35, 0x06
_ALLOW = 0x7FFF0000
_REFUSE = 0x00050000 | errno.EPERM
_UNKNOWN = 0x00050000 | errno.ENOSYS
_X32 = 0x40000000  # the other way to call an x86-64 kernel, with other numbers

_WRITING = (
    os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | 0o20000000
)  # the last one: a file without a name
_CLONE_THREAD = 0x00010000
# F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC, F_GETPIPE_SZ: none of them can send a signal to another process.
_FCNTL_COMMANDS = (0, 1, 2, 3, 1030, 1032)
# TCGETS (is it a terminal?), TIOCGWINSZ, FIONREAD, FIONCLEX, FIOCLEX.
_IOCTL_COMMANDS = (0x5401, 0x5413, 0x541B, 0x5450, 0x5451)

Instruction = tuple[int, int, int, int]
"""Code, jump when true, jump when false, value: an instruction of the kernel's packet filter."""


class _Instruction(ctypes.Structure):
    _fields_ = (
        ("code", ctypes.c_uint16),
        ("when_true", ctypes.c_uint8),
        ("when_false", ctypes.c_uint8),
        ("value", ctypes.c_uint32),
    )


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_uint16), ("instructions", ctypes.POINTER(_Instruction)))


def restrict_system_calls(*, may_execute: bool = False) -> None:
    """From now on all threads of this process are restricted. Raises KernelError where that is not possible."""
    machine = os.uname().machine
    if machine not in ARCHITECTURES:
        raise KernelError(errno.ENOSYS, f"no list of system calls for {machine}")
    instructions = list(filter_program(machine, os.getpid(), may_execute=may_execute))
    array = (_Instruction * len(instructions))(*(_Instruction(*each) for each in instructions))
    program = _Program(len(instructions), array)
    system_call(
        _SECCOMP_NUMBERS[machine],
        ctypes.c_uint(_SET_MODE_FILTER),
        ctypes.c_uint(_ALL_THREADS),
        ctypes.byref(program),
    )


def filter_program(machine: str, process: int, *, may_execute: bool) -> Iterator[Instruction]:
    yield _LOAD, 0, 0, _ARCHITECTURE_AT
    yield _EQUALS, 1, 0, ARCHITECTURES[machine]
    yield _RETURN, 0, 0, _REFUSE
    yield _LOAD, 0, 0, _NUMBER_AT
    if machine == X86_64:
        yield _AT_LEAST, 0, 1, _X32
        yield _RETURN, 0, 0, _REFUSE
    for name in sorted(PLAIN | ({"execve"} if may_execute else set())):
        yield from _when(name, machine, [(_RETURN, 0, 0, _ALLOW)])
    yield from _when("clone3", machine, [(_RETURN, 0, 0, _UNKNOWN)])
    for name in sorted(CONDITIONAL):
        yield from _when(name, machine, _condition(name, process))
    yield _RETURN, 0, 0, _REFUSE


def _when(name: str, machine: str, block: list[Instruction]) -> Iterator[Instruction]:
    """The block for calls of this name; it must return on every path."""
    number = call_number(name, machine)
    if number is not None:
        yield _EQUALS, 0, len(block), number
        yield from block


def _condition(name: str, process: int) -> list[Instruction]:
    match name:
        case "open":
            return _unless_bits(1, _WRITING)
        case "openat":
            return _unless_bits(2, _WRITING)
        case "clone":
            return [_argument(0), (_HAS_BITS, 0, 1, _CLONE_THREAD), (_RETURN, 0, 0, _ALLOW), _refuse()]
        case "kill" | "tgkill":
            return _if_one_of(0, [process])
        case "prlimit64":  # asking about itself; the new limit must be a null pointer, in both halves
            first, last = _argument(2), (_LOAD, 0, 0, _ARGUMENTS_AT + 8 * 2 + 4)
            zero = (_EQUALS, 1, 0, 0)
            return [first, zero, _refuse(), last, zero, _refuse(), *_if_one_of(0, [0, process])]
        case "fcntl":
            return _if_one_of(1, _FCNTL_COMMANDS)
        case _:
            return _if_one_of(1, _IOCTL_COMMANDS)


def _argument(position: int) -> Instruction:
    """Loads the lower half of an argument."""
    return _LOAD, 0, 0, _ARGUMENTS_AT + 8 * position


def _refuse() -> Instruction:
    return _RETURN, 0, 0, _REFUSE


def _unless_bits(position: int, bits: int) -> list[Instruction]:
    return [_argument(position), (_HAS_BITS, 0, 1, bits), _refuse(), (_RETURN, 0, 0, _ALLOW)]


def _if_one_of(position: int, values: Iterable[int]) -> list[Instruction]:
    checks = [each for value in values for each in ((_EQUALS, 0, 1, value), (_RETURN, 0, 0, _ALLOW))]
    return [_argument(position), *checks, _refuse()]
