"""Limits on resources, on every system that has them."""

import contextlib
import os
import sys

# Reading a document needs none of these. A file size of zero: nothing can be written, wherever it would be.
_LIMITS = {"RLIMIT_CORE": 0, "RLIMIT_FSIZE": 0, "RLIMIT_NPROC": 0, "RLIMIT_NOFILE": 64}
CPU_SECONDS = 3_600  # of one child, over all of its documents; it is replaced long before
_LEAST_ROOM = 32_000_000


def limit_resources(megabytes: int, mapped: int, resident: int, *, threads: bool = False) -> bool:
    """Limits the memory to what is mapped now plus what is left of the limit; false where there are no limits."""
    if sys.platform == "win32":
        return False
    import resource  # noqa: PLC0415 - not on every platform

    limits = {**_LIMITS, "RLIMIT_CPU": CPU_SECONDS}
    if threads:
        del limits["RLIMIT_NPROC"]
    if mapped:
        limits["RLIMIT_AS"] = mapped + max(_LEAST_ROOM, megabytes * 1_000_000 - resident)
    for name, value in limits.items():
        with contextlib.suppress(ValueError, OSError, AttributeError):
            resource.setrlimit(getattr(resource, name), (value, value))
    return True


class MemoryGauge:
    """The memory of this process. Opens the kernel's file once: later there is no way to open it."""

    def __init__(self) -> None:
        try:
            self.handle = os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            self.handle = -1
        self.page = os.sysconf("SC_PAGE_SIZE")

    def read(self) -> tuple[int, int]:
        """Mapped and resident bytes; zero where the system does not say."""
        if self.handle < 0:
            return 0, 0
        mapped, resident = os.pread(self.handle, 100, 0).split()[:2]
        return int(mapped) * self.page, int(resident) * self.page
