"""A real S3-compatible server (SeaweedFS) for the tests: from a wheel, on its own loopback ports, with keys."""

import json
import secrets
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from sys import executable
from tempfile import TemporaryDirectory

from obstore.exceptions import BaseError
from obstore.store import S3Store
from tests.servers.loopback import free_port, wait_until
from tests.support import child_process

HIGHEST = 22_000  # it listens on port + 10,000 as well


@dataclass
class Seaweed:
    """A server whose files lie in a folder: one that is killed and started again has what it had."""

    folder: Path
    ports: dict[str, int] = field(
        default_factory=lambda: {name: free_port(HIGHEST) for name in ("master", "volume", "filer", "s3")}
    )
    key: str = field(default_factory=lambda: secrets.token_hex(8))
    secret: str = field(default_factory=lambda: secrets.token_hex(16))
    process: subprocess.Popen[bytes] | None = None

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.ports['s3']}"

    def bucket(self, name: str) -> S3Store:
        """A bucket by that name, made when the first object is put into it."""
        return S3Store(
            name,
            endpoint=self.endpoint,
            access_key_id=self.key,
            secret_access_key=self.secret,
            region="us-east-1",
            client_options={"allow_http": True},
        )

    def start(self) -> None:
        keys = self.folder / "keys.json"
        identity = {
            "name": "headwater",
            "credentials": [{"accessKey": self.key, "secretKey": self.secret}],
            "actions": ["Admin", "Read", "Write", "List", "Tagging"],
        }
        keys.write_text(json.dumps({"identities": [identity]}), encoding="utf-8")
        ports = [f"-{name}.port={port}" for name, port in self.ports.items()]
        command = [
            str(Path(executable).parent / "weed"), "server", f"-dir={self.folder}", "-ip=127.0.0.1",
            "-ip.bind=127.0.0.1", "-s3", f"-s3.config={keys}", "-s3.port.iceberg=0", "-s3.port.lance=0",
            "-master.telemetry=false", "-volume.max=300", "-master.volumeSizeLimitMB=64", *ports,
        ]  # fmt: skip
        with (self.folder / "log").open("wb") as log:
            self.process = child_process.start(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        wait_until(self._answers, self.process, "SeaweedFS")

    def _answers(self) -> bool:
        """It is ready when it takes a bucket's first object, not when it listens."""
        try:
            urllib.request.urlopen(self.endpoint, timeout=5).close()
        except urllib.error.HTTPError:  # who are you? But it is there
            pass
        except OSError:
            return False
        try:
            self.bucket("ready").put("ready", b"yes")
        except BaseError:  # whatever it says while it starts
            return False
        return True

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()


@contextmanager
def running_seaweed() -> Iterator[Seaweed]:
    """A server, stopped at the end. Fails if it cannot start: nothing is skipped."""
    with TemporaryDirectory(prefix="headwater-seaweed-", ignore_cleanup_errors=True) as folder:
        server = Seaweed(Path(folder))
        server.start()
        try:
            yield server
        finally:
            server.kill()  # asked to end, it takes ten seconds for it; its files go anyway
