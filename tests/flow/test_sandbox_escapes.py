"""Hostile code inside an extractor: each test tries one way out of the child process."""

import ctypes
import importlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from headwater.extract.sandbox import process
from headwater.extract.sandbox.lockdown import protections
from headwater.extract.sandbox.lockdown.kernel import KernelError
from headwater.extract.sandbox.lockdown.protections import PROTECTIONS, Protection
from headwater.extract.sandbox.pool import close_all, pool_with_limits
from headwater.extract.sandbox.process import child_environment
from headwater.extract.sandbox.sandboxed import Sandboxed
from headwater.extract.tesseract import run_program
from headwater.model.errors import Permanent
from headwater.model.outcomes import ExtractHints, Reading, Unreadable
from headwater.ops.sandbox_report import describe_protections, sandbox_report

SECRET = "swordfish"
SECONDS, MEGABYTES = 20.0, 400


def read_environment(_: str) -> object:
    return dict(os.environ)


def read_file(path: str) -> object:
    return Path(path).read_bytes()


def read_descriptors(_: str) -> object:
    """Whatever the parent had open."""
    contents = []
    for number in range(3, 64):
        with suppress(OSError):
            os.lseek(number, 0, os.SEEK_SET)
            contents.append(os.read(number, 100))
    return contents


def list_folder(path: str) -> object:
    return list(Path(path).iterdir())


def write_file(path: str) -> object:
    return Path(path).write_text("written")


def remove_file(path: str) -> object:
    return Path(path).unlink()


def rename_file(path: str) -> object:
    return Path(path).rename(f"{path}x")


def change_mode(path: str) -> object:
    return Path(path).chmod(0o777)


def open_socket(kind: str) -> object:
    return socket.socket(getattr(socket, kind), socket.SOCK_STREAM).fileno()


def fork(_: str) -> object:
    process = os.fork()
    if process == 0:
        os._exit(0)
    return process


def execute(_: str) -> object:
    os.execv(sys.executable, [sys.executable, "-c", "pass"])


def start_program(_: str) -> object:
    return subprocess.run([sys.executable, "-c", "pass"], check=True)


def trace_parent(_: str) -> object:
    return _call("ptrace", 16, os.getppid(), 0, 0)


def read_parent_memory(_: str) -> object:
    return _call("process_vm_readv", os.getppid(), 0, 0, 0, 0, 0)


def kill_parent(_: str) -> object:
    return os.kill(os.getppid(), signal.SIGTERM)


def kill_everything(_: str) -> object:
    return os.kill(-1, signal.SIGTERM)


def signal_parent_by_pipe(_: str) -> object:
    import fcntl

    return fcntl.fcntl(0, fcntl.F_SETOWN, os.getppid())


def raise_limits(_: str) -> object:
    import resource

    return resource.setrlimit(resource.RLIMIT_AS, (-1, -1))


def become_dumpable(_: str) -> object:
    return _call("prctl", 4, 1, 0, 0, 0)


def swell(_: str) -> object:
    return len(bytearray(2_000_000_000))


def run_on(_: str) -> object:
    """Without the timer that should end it."""
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM, signal.SIGTERM})
    while True:
        pass


def import_late(name: str) -> object:
    return importlib.import_module(name).__name__


def hidden_memory(_: str) -> object:
    return os.memfd_create("hidden")


def new_namespace(_: str) -> object:
    return _call("unshare", 0x10000000)


def _call(name: str, *arguments: int) -> int:
    library = ctypes.CDLL(None, use_errno=True)
    result = getattr(library, name)(*(ctypes.c_long(argument) for argument in arguments))
    if result != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


@dataclass(frozen=True)
class Attempts:
    """Does what the document says, and returns what came of it."""

    def __call__(self, data: bytes, hints: ExtractHints) -> Reading | Unreadable:
        name, _, argument = data.decode().partition(" ")
        attempt: Callable[[str], object] = globals()[name]
        try:
            return Reading(text=f"done: {attempt(argument)}")
        except (OSError, ValueError) as error:
            return Unreadable("refused", type(error).__name__)


@pytest.fixture(scope="module")
def sandboxed() -> Iterator[Sandboxed]:
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryFile() as file:
        patch.setenv("HEADWATER_PLANTED_KEY", SECRET)
        file.write(SECRET.encode())
        file.flush()
        os.set_inheritable(file.fileno(), True)
        yield Sandboxed(Attempts(), SECONDS, MEGABYTES)
    close_all()


def attempt(extract: Sandboxed, text: str) -> Reading | Unreadable:
    return extract(text.encode(), ExtractHints())


def is_active(extract: Sandboxed, name: str) -> bool:
    """Whether the children of these tests have this protection; where not, that the report says so."""
    assert isinstance(attempt(extract, "read_environment"), Reading)
    protections = pool_with_limits(SECONDS, MEGABYTES).idle[0].protections
    assert tuple(protection.name for protection in protections) == PROTECTIONS
    protection = next(protection for protection in protections if protection.name == name)
    assert protection.active or protection.detail in describe_protections(protections)["line"]
    return protection.active


def test_the_environment_of_the_parent_stays_outside(sandboxed: Sandboxed) -> None:
    reading = attempt(sandboxed, "read_environment")
    assert isinstance(reading, Reading)
    assert SECRET not in reading.text
    assert "PATH'" not in reading.text.replace("LD_LIBRARY_PATH'", "")
    assert child_environment({"LANG": "C", "AWS_SECRET_ACCESS_KEY": SECRET}).keys() >= {"LANG"}
    assert SECRET not in child_environment({"AWS_SECRET_ACCESS_KEY": SECRET}).values()


def test_open_files_of_the_parent_stay_outside(sandboxed: Sandboxed) -> None:
    reading = attempt(sandboxed, "read_descriptors")
    assert isinstance(reading, Reading)
    assert SECRET not in reading.text


def test_nothing_of_the_installation_or_the_system_can_be_read(sandboxed: Sandboxed, tmp_path: Path) -> None:
    (tmp_path / "headwater.db").write_text(SECRET)
    (tmp_path / "headwater.yaml").write_text(SECRET)
    if not is_active(sandboxed, "landlock"):
        return
    process = f"/proc/{os.getpid()}"
    for path in (
        tmp_path / "headwater.db",
        tmp_path / "headwater.yaml",
        "/etc/passwd",
        f"{process}/environ",
        f"{process}/mem",
        f"{process}/cmdline",
        f"{process}/fd/0",
        "/proc/self/environ",
        Path(__file__).resolve().parents[2] / "pyproject.toml",
    ):
        assert isinstance(attempt(sandboxed, f"read_file {path}"), Unreadable), path
    for folder in (tmp_path, "/", "/proc", "/etc", Path.home()):
        assert isinstance(attempt(sandboxed, f"list_folder {folder}"), Unreadable), folder


@pytest.mark.parametrize("name", ["write_file", "remove_file", "rename_file", "change_mode"])
def test_no_file_can_be_changed(sandboxed: Sandboxed, tmp_path: Path, name: str) -> None:
    path, other = tmp_path / "file", tmp_path / "new"
    path.write_text("as it was")
    path.chmod(0o640)
    if not is_active(sandboxed, "seccomp"):
        return
    assert isinstance(attempt(sandboxed, f"{name} {path}"), Unreadable)
    assert isinstance(attempt(sandboxed, f"{name} {other}"), Unreadable)
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("as it was", 0o640)
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize(
    "text",
    [
        "open_socket AF_INET",
        "open_socket AF_INET6",
        "open_socket AF_UNIX",
        "fork",
        "execute",
        "start_program",
        "trace_parent",
        "read_parent_memory",
        "kill_parent",
        "kill_everything",
        "signal_parent_by_pipe",
        "raise_limits",
        "become_dumpable",
        "hidden_memory",
        "new_namespace",
    ],
)
def test_no_system_call_leads_out(sandboxed: Sandboxed, text: str) -> None:
    if is_active(sandboxed, "seccomp"):
        assert isinstance(attempt(sandboxed, text), Unreadable)
        assert isinstance(attempt(sandboxed, "read_environment"), Reading)  # the child goes on


def test_memory_and_time_are_limited_even_when_the_child_switches_its_timer_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(process, "_GRACE", 0.2)
    quick = Sandboxed(Attempts(), 0.5, MEGABYTES)
    with pytest.raises(Permanent, match="extractor_memory"):
        attempt(quick, "swell")
    with pytest.raises(Permanent, match="extractor_timeout"):
        attempt(quick, "run_on")
    assert isinstance(attempt(quick, "read_environment"), Reading)
    quick.close()


def test_libraries_can_still_be_loaded_late(sandboxed: Sandboxed) -> None:
    for name in ("xml.dom.minidom", "encodings.cp1251", "headwater.extract.pdf.reader"):
        assert attempt(sandboxed, f"import_late {name}") == Reading(text=f"done: {name}")


def test_a_parser_outside_the_libraries_is_imported_by_a_new_child(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sandboxed: Sandboxed
) -> None:
    assert isinstance(attempt(sandboxed, "read_environment"), Reading)
    (tmp_path / "own_reader.py").write_text(
        "from headwater.model.outcomes import ExtractHints, Reading, Unreadable\n"
        "def read(data: bytes, hints: ExtractHints) -> Reading | Unreadable:\n"
        "    return Reading(text='own ' + data.decode())\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    own = Sandboxed(importlib.import_module("own_reader").read, SECONDS, MEGABYTES)
    reading = own(b"text", ExtractHints())
    assert isinstance(reading, Reading)
    assert reading.text == "own text"
    close_all()  # its module is gone with this test


def test_the_program_for_pictures_has_a_sandbox_of_its_own(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text(SECRET)
    assert run_program("/bin/cat", [], b"its input", 20.0) == "its input"
    assert run_program("/bin/cat", ["/usr/lib/os-release"], b"", 20.0) != ""
    for arguments in ([str(secret)], ["/etc/passwd"], [f"/proc/{os.getpid()}/environ"]):
        assert run_program("/bin/cat", arguments, b"", 20.0) == ""
    assert run_program("/bin/cp", ["/usr/lib/os-release", str(tmp_path / "copy")], b"", 20.0) == ""
    assert run_program("/usr/bin/env", ["/bin/cat"], b"text", 20.0) == ""
    assert run_program("/bin/sh", ["-c", "/bin/cat; true"], b"text", 20.0) == ""
    assert SECRET not in run_program("/usr/bin/env", [], b"", 20.0)
    assert not (tmp_path / "copy").exists()


def test_health_says_what_is_active_and_why_something_is_missing() -> None:
    here = sandbox_report()
    assert here["ok"]
    assert set(here["protections"]) == set(PROTECTIONS)
    older = describe_protections(
        [
            Protection("environment", active=True),
            Protection("limits", active=True),
            Protection("no_new_privs", active=True),
            Protection("landlock", active=False, detail="Function not implemented"),
            Protection("seccomp", active=True),
        ]
    )
    assert older["line"] == (
        "sandbox: clean environment, resource limits, no new privileges, seccomp; "
        "missing: Landlock (Function not implemented)"
    )
    assert older["protections"]["landlock"] == "missing: Function not implemented"


def test_a_kernel_without_a_protection_leaves_it_out_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> str:
        raise KernelError(38, "Function not implemented")

    missing = Protection("landlock", active=False, detail="Function not implemented")
    assert protections._attempt("landlock", refuse) == missing
    monkeypatch.setattr(protections, "is_linux", lambda: False)
    assert protections._attempt("seccomp", refuse).detail == f"not on {sys.platform}"
