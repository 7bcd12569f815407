"""The filter of system calls, run by a small interpreter of the kernel's instructions, for both kinds of processor."""

import os
import struct

import pytest

from headwater.extract.sandbox.lockdown.seccomp import filter_program
from headwater.extract.sandbox.lockdown.system_calls import ARCHITECTURES, CONDITIONAL, PLAIN, call_number

PROCESS = 4711
ALLOWED, REFUSED, UNKNOWN = 0x7FFF0000, 0x00050001, 0x00050026
THREAD, FORK = 0x003D0F00, 0x01200011
DENIED = {  # a few of the many: x86-64, ARM64
    "socket": (41, 198),
    "connect": (42, 203),
    "ptrace": (101, 117),
    "unlinkat": (263, 35),
    "memfd_create": (319, 279),
    "process_vm_readv": (310, 270),
    "io_uring_setup": (425, 425),
    "openat2": (437, 437),
    "prctl": (157, 167),
    "setrlimit": (160, 164),
    "pidfd_send_signal": (424, 424),
}


def decide(machine: str, number: int | None, *arguments: int, may_execute: bool = False) -> int:
    """What the filter returns for a call."""
    assert number is not None
    values = (*arguments, 0, 0, 0, 0, 0, 0)[:6]
    record = struct.pack("<IIQ6Q", number, ARCHITECTURES[machine], 0, *values)
    program = list(filter_program(machine, PROCESS, may_execute=may_execute))
    position = accumulator = 0
    while True:
        code, when_true, when_false, value = program[position]
        position += 1
        match code:
            case 0x20:
                accumulator = struct.unpack_from("<I", record, value)[0]
            case 0x15:
                position += when_true if accumulator == value else when_false
            case 0x35:
                position += when_true if accumulator >= value else when_false
            case 0x45:
                position += when_true if accumulator & value else when_false
            case 0x06:
                return value
            case _:
                raise AssertionError(code)


@pytest.mark.parametrize("machine", sorted(ARCHITECTURES))
def test_what_reading_needs_is_allowed_and_the_rest_refused(machine: str) -> None:
    for name in PLAIN:
        number = call_number(name, machine)
        assert number is None or decide(machine, number) == ALLOWED, name
    for name, numbers in DENIED.items():
        assert decide(machine, numbers[machine != "x86_64"]) == REFUSED, name
    assert decide(machine, 100_000) == REFUSED
    assert decide(machine, call_number("clone3", machine)) == UNKNOWN
    assert decide(machine, call_number("execve", machine)) == REFUSED
    assert decide(machine, call_number("execve", machine), may_execute=True) == ALLOWED


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("openat", (0, 0, os.O_RDONLY | os.O_CLOEXEC), ALLOWED),
        ("openat", (0, 0, os.O_WRONLY), REFUSED),
        ("openat", (0, 0, os.O_RDWR), REFUSED),
        ("openat", (0, 0, os.O_RDONLY | os.O_CREAT), REFUSED),
        ("openat", (0, 0, os.O_RDONLY | os.O_TRUNC), REFUSED),
        ("open", (0, os.O_RDONLY), ALLOWED),
        ("open", (0, os.O_WRONLY), REFUSED),
        ("clone", (THREAD,), ALLOWED),
        ("clone", (FORK,), REFUSED),
        ("kill", (PROCESS, 9), ALLOWED),
        ("kill", (1, 9), REFUSED),
        ("tgkill", (PROCESS, PROCESS, 6), ALLOWED),
        ("tgkill", (PROCESS - 1, PROCESS, 6), REFUSED),
        ("prlimit64", (0, 9, 0), ALLOWED),
        ("prlimit64", (PROCESS, 9, 0), ALLOWED),
        ("prlimit64", (1, 9, 0), REFUSED),
        ("prlimit64", (0, 9, 0x7F00), REFUSED),
        ("prlimit64", (0, 9, 0x7F00_0000_0000), REFUSED),
        ("fcntl", (0, 1030), ALLOWED),
        ("fcntl", (0, 8), REFUSED),
        ("ioctl", (0, 0x5401), ALLOWED),
        ("ioctl", (0, 0x5412), REFUSED),
    ],
)
def test_some_calls_depend_on_their_arguments(name: str, arguments: tuple[int, ...], expected: int) -> None:
    assert name in CONDITIONAL
    for machine in ARCHITECTURES:
        number = call_number(name, machine)
        assert number is None or decide(machine, number, *arguments) == expected, machine


def test_the_other_numbers_of_an_x86_64_kernel_are_refused() -> None:
    assert decide("x86_64", 0x40000000 | 0) == REFUSED
    assert decide("x86_64", 0) == ALLOWED
