"""Names of workers from which other processes can tell whether the worker is alive."""

import os
import secrets
import socket
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path


def owner_name(role: str) -> str:
    """Returns process:role. A process may hold leases in several roles."""
    return f"{process_name()}:{role}"


def process_name() -> str:
    """Returns machine:pid:start:token, which no other process has, on whatever machine and at whatever time. The start time
    tells a process from a later one with the same pid, the token does so where the system does not say."""
    pid = os.getpid()
    return f"{machine_id()}:{pid}:{_start_time(pid)}:{_token(pid)}"


def process_of(owner: str) -> str:
    """The process of an owner."""
    return owner.rpartition(":")[0]


@cache
def _token(pid: int) -> str:
    """One for each process: a forked child has another pid than its parent."""
    del pid
    return secrets.token_hex(4)


@cache
def machine_id() -> str:
    """Identifies the pid namespace. The host name is not enough: copies of a machine have the same, and containers count
    their processes from one."""
    parts = [socket.gethostname().replace(":", "-")]
    with suppress(OSError):
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()[:8])
        parts.append(str(Path("/proc/self/ns/pid").stat().st_ino))
    return "/".join(parts)


def dead_owners(owners: Iterable[str]) -> list[str]:
    """Returns the owners on this machine whose process is gone. Leases of other machines run out by themselves."""
    return [owner for owner in owners if _is_dead(owner)]


def dead_processes(processes: Iterable[str]) -> list[str]:
    """Returns the processes on this machine that are gone."""
    return [process for process in processes if _is_dead(f"{process}:")]


def is_running(pid: int) -> bool:
    """True if the process exists on this machine and is not a zombie."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return _start_time(pid) != "dead"


def _is_dead(owner: str) -> bool:
    host, _, rest = owner.partition(":")
    pid, _, rest = rest.partition(":")
    started = rest.partition(":")[0]
    if host != machine_id() or not pid.isdecimal():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return _start_time(int(pid)) != started


def _start_time(pid: int) -> str:
    """Returns when the process started, "0" where the system does not say, or "dead" for a zombie."""
    try:
        fields = (
            Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
        )
    except OSError:
        return "0"
    return "dead" if fields[0] in "ZX" else fields[19]
