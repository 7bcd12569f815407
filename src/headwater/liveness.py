"""Names for workers that tell whether the worker still lives."""

import os
import socket
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path


def owner_name(role: str) -> str:
    """machine:pid:birth:role. The birth tells a process from a later one with the same number."""
    pid = os.getpid()
    return f"{machine_id()}:{pid}:{_birth(pid)}:{role}"


@cache
def machine_id() -> str:
    """Where numbers of processes mean what they mean here. The name of a host is not enough: copies of a machine have the
    same, and so have containers, each of which counts its processes from one."""
    parts = [socket.gethostname().replace(":", "-")]
    with suppress(OSError):
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()[:8])
        parts.append(str(Path("/proc/self/ns/pid").stat().st_ino))
    return "/".join(parts)


def dead_owners(owners: Iterable[str]) -> list[str]:
    """Those on this machine whose process is gone. Of other machines nothing is known: their leases run out."""
    return [owner for owner in owners if _is_dead(owner)]


def is_running(pid: int) -> bool:
    """Whether there is such a process on this machine; one that only waits to be mourned is none."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return _birth(pid) != "dead"


def _is_dead(owner: str) -> bool:
    host, _, rest = owner.partition(":")
    pid, _, rest = rest.partition(":")
    birth = rest.partition(":")[0]
    if host != machine_id() or not pid.isdecimal():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return _birth(int(pid)) != birth


def _birth(pid: int) -> str:
    """When the process began, where the system tells; "0" elsewhere. A zombie counts as not born."""
    try:
        fields = (
            Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
        )
    except OSError:
        return "0"
    return "dead" if fields[0] in "ZX" else fields[19]
