"""A Redis server, or one that speaks its language: what it says, or in one word why it says nothing.

Nothing that must not be lost lies there. Commands are sent once: whoever asks again must be able to bear the answer to a
question that was heard twice.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property
from hashlib import sha1
from importlib import import_module
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit

from headwater.model.errors import Refused, Temporary

TIMEOUT_SECONDS = 5.0
RETRY_DELAY = timedelta(seconds=5)
RedisValue = str | bytes | int | float
RedisCommand = tuple[RedisValue, ...]


def check_redis_url(url: str, setting: str) -> str:
    """`redis://[[user]:password@]host[:port][/number]`, `rediss://` over TLS; anything else is Refused."""
    parts = urlsplit(url)
    if parts.scheme not in {"redis", "rediss"} or not parts.hostname:
        raise Refused("bad_config", f"{setting}: write an address such as redis://localhost:6379/0")
    if parts.path.strip("/") and not parts.path.strip("/").isdecimal():
        raise Refused("bad_config", f"{setting}: after the host only the number of a database may stand")
    return url


@dataclass(frozen=True)
class RedisScript:
    """A script that the server runs as one step."""

    text: str

    @cached_property
    def digest(self) -> str:
        return sha1(self.text.encode(), usedforsecurity=False).hexdigest()


@dataclass(frozen=True)
class RedisClient:
    """May be shared by threads; connects when it is first asked. `setting` names it where an operator is told."""

    url: str = field(repr=False)
    setting: str = "redis"
    seconds: float = TIMEOUT_SECONDS

    def __post_init__(self) -> None:
        check_redis_url(self.url, self.setting)
        if find_spec("redis") is None:  # an extra: only who names a server needs it
            told = f"{self.setting}: a library is missing; install it with `pip install headwater[cluster]`"
            raise Refused("missing_extra", told)

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or ""

    def ask(self, commands: Sequence[RedisCommand]) -> list[Any]:
        """One answer for each; they may be run among those of others."""
        if not commands:
            return []
        with self._heeding():
            pipe = self._client.pipeline(transaction=False)
            for command in commands:
                pipe.execute_command(*command)
            return list(pipe.execute())

    def run(self, script: RedisScript, keys: Sequence[str], words: Sequence[RedisValue]) -> Any:
        """What the script gives. A server that does not know it yet is told it."""
        rest = (len(keys), *keys, *words)
        with self._heeding():
            try:
                return self._client.execute_command("EVALSHA", script.digest, *rest)
            except self._library.exceptions.NoScriptError:
                return self._client.execute_command("EVAL", script.text, *rest)

    def close(self) -> None:
        self._client.close()

    @cached_property
    def _library(self) -> Any:
        return import_module("redis")

    @cached_property
    def _client(self) -> Any:
        once = import_module("redis.retry").Retry(import_module("redis.backoff").NoBackoff(), 0)
        return self._library.Redis.from_url(
            self.url,
            socket_timeout=self.seconds,
            socket_connect_timeout=self.seconds,
            retry=once,
            protocol=2,
        )

    @contextmanager
    def _heeding(self) -> Iterator[None]:
        errors = self._library.exceptions
        try:
            yield
        except errors.ResponseError as error:
            # Told by its first word alone: the rest may repeat what was sent.
            code = (str(error).split(maxsplit=1) or ["ERR"])[0][:20]
            raise Temporary(
                "redis_refused", f"{self.host}: {code}", delay=RETRY_DELAY, counts=False
            ) from error
        except (errors.RedisError, OSError) as error:
            told = f"{self.host}: {type(error).__name__}"
            raise Temporary("redis_unavailable", told, delay=RETRY_DELAY, counts=False) from error
