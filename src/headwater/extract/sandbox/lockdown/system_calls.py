"""The system calls that reading a document needs, with their numbers on x86-64 and on ARM64."""

from collections.abc import Mapping

X86_64, ARM64 = "x86_64", "aarch64"
# As the kernel names the architectures to a filter.
ARCHITECTURES: Mapping[str, int] = {X86_64: 0xC000003E, ARM64: 0xC00000B7}

# name: (x86-64, ARM64); None where the architecture does not have it.
_NUMBERS: Mapping[str, tuple[int | None, int | None]] = {
    # what is open already, and files for reading (the files themselves are the subject of Landlock)
    "read": (0, 63), "readv": (19, 65), "pread64": (17, 67), "write": (1, 64), "writev": (20, 66), "lseek": (8, 62),
    "close": (3, 57), "dup": (32, 23), "dup2": (33, None), "dup3": (292, 24), "poll": (7, None), "ppoll": (271, 73),
    "select": (23, None), "pselect6": (270, 72), "fadvise64": (221, 223),
    "stat": (4, None), "fstat": (5, 80), "lstat": (6, None), "newfstatat": (262, 79), "statx": (332, 291),
    "statfs": (137, 43), "fstatfs": (138, 44), "access": (21, None), "faccessat": (269, 48), "faccessat2": (439, 439),
    "readlink": (89, None), "readlinkat": (267, 78), "getcwd": (79, 17), "getdents": (78, None),
    "getdents64": (217, 61),
    # memory
    "mmap": (9, 222), "mprotect": (10, 226), "munmap": (11, 215), "brk": (12, 214), "mremap": (25, 216),
    "mincore": (27, 232), "madvise": (28, 233), "membarrier": (324, 283),
    # time
    "nanosleep": (35, 101), "clock_nanosleep": (230, 115), "clock_gettime": (228, 113), "clock_getres": (229, 114),
    "gettimeofday": (96, 169), "time": (201, None), "times": (100, 153), "getitimer": (36, 102),
    "setitimer": (38, 103), "alarm": (37, None),
    # the process itself, its signals and its threads
    "getpid": (39, 172), "getppid": (110, 173), "gettid": (186, 178), "getuid": (102, 174), "geteuid": (107, 175),
    "getgid": (104, 176), "getegid": (108, 177), "uname": (63, 160), "sysinfo": (99, 179), "getrusage": (98, 165),
    "getrlimit": (97, 163), "getrandom": (318, 278), "getcpu": (309, 168), "arch_prctl": (158, None),
    "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139), "rt_sigpending": (127, 136),
    "sigaltstack": (131, 132), "restart_syscall": (219, 128), "futex": (202, 98), "sched_yield": (24, 124),
    "sched_getaffinity": (204, 123), "set_tid_address": (218, 96), "set_robust_list": (273, 99),
    "get_robust_list": (274, 100), "rseq": (334, 293), "exit": (60, 93), "exit_group": (231, 94),
    # allowed with some arguments only
    "open": (2, None), "openat": (257, 56), "clone": (56, 220), "kill": (62, 129), "tgkill": (234, 131),
    "prlimit64": (302, 261), "fcntl": (72, 25), "ioctl": (16, 29),
    # for the program that recognises text in pictures
    "execve": (59, 221),
    # answered as if the kernel did not have it, so that the C library uses `clone`, whose arguments can be checked
    "clone3": (435, 435),
}  # fmt: skip
CONDITIONAL = frozenset({"open", "openat", "clone", "kill", "tgkill", "prlimit64", "fcntl", "ioctl"})
PLAIN = frozenset(_NUMBERS) - CONDITIONAL - {"execve", "clone3"}


def call_number(name: str, machine: str) -> int | None:
    x86_64, arm64 = _NUMBERS[name]
    return x86_64 if machine == X86_64 else arm64
