"""A client of a Redis server, or of one with the same protocol.

The server holds nothing that must not be lost. A command is sent once: code that sends it again must tolerate that it ran
twice.
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

DEFAULT_PORT = 6379
TIMEOUT_SECONDS = 5.0
RETRY_DELAY = timedelta(seconds=5)
RedisValue = str | bytes | int | float
RedisCommand = tuple[RedisValue, ...]


def check_redis_url(url: str, setting: str) -> str:
    """Returns the URL; refuses all but `redis://[[user]:password@]host[:port][/number]` and `rediss://` for TLS."""
    try:
        parts = urlsplit(url)
        is_complete = parts.scheme in {"redis", "rediss"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_complete = False
    if not is_complete:
        raise Refused("bad_config", f"{setting}: write a URL like redis://localhost:6379/0")
    if parts.path.strip("/") and not parts.path.strip("/").isdecimal():
        raise Refused("bad_config", f"{setting}: only the number of a database may follow the host")
    return url


@dataclass(frozen=True)
class RedisScript:
    """A Lua script that the server runs atomically."""

    text: str

    @cached_property
    def digest(self) -> str:
        return sha1(self.text.encode(), usedforsecurity=False).hexdigest()


@dataclass(frozen=True)
class RedisClient:
    """Safe to share between threads; connects at the first command. `setting` names it in errors."""

    url: str = field(repr=False)
    setting: str = "redis"
    seconds: float = TIMEOUT_SECONDS

    def __post_init__(self) -> None:
        check_redis_url(self.url, self.setting)
        if find_spec("redis") is None:  # an optional dependency
            message = (
                f"{self.setting}: a library is missing; install it with `pip install 'headwater[cluster]'`"
            )
            raise Refused("missing_extra", message)

    @property
    def address(self) -> str:
        """Host and port, without the password."""
        parts = urlsplit(self.url)
        return f"{parts.hostname}:{parts.port or DEFAULT_PORT}"

    def execute(self, commands: Sequence[RedisCommand]) -> list[Any]:
        """Runs the commands and returns one answer each; they are not one transaction."""
        if not commands:
            return []
        with self._translated_errors():
            pipe = self._client.pipeline(transaction=False)
            for command in commands:
                pipe.execute_command(*command)
            return list(pipe.execute())

    def run_script(self, script: RedisScript, keys: Sequence[str], arguments: Sequence[RedisValue]) -> Any:
        """Returns the result of the script, and uploads it when the server does not have it yet."""
        parameters = (len(keys), *keys, *arguments)
        with self._translated_errors():
            try:
                return self._client.execute_command("EVALSHA", script.digest, *parameters)
            except self._library.exceptions.NoScriptError:
                return self._client.execute_command("EVAL", script.text, *parameters)

    def close(self) -> None:
        self._client.close()

    @cached_property
    def _library(self) -> Any:
        return import_module("redis")

    @cached_property
    def _client(self) -> Any:
        no_retry = import_module("redis.retry").Retry(import_module("redis.backoff").NoBackoff(), 0)
        return self._library.Redis.from_url(
            self.url,
            socket_timeout=self.seconds,
            socket_connect_timeout=self.seconds,
            retry=no_retry,
            protocol=2,
        )

    @contextmanager
    def _translated_errors(self) -> Iterator[None]:
        errors = self._library.exceptions
        try:
            yield
        except errors.ResponseError as error:
            # Only its first word: the others may repeat what was sent.
            code = (str(error).split(maxsplit=1) or ["ERR"])[0][:20]
            raise Temporary(
                "redis_refused", f"{self.address}: {code}", delay=RETRY_DELAY, counts=False
            ) from error
        except (errors.RedisError, OSError) as error:
            detail = f"{self.address} does not answer ({type(error).__name__}); is it running, and is the setting `{self.setting}` right?"
            raise Temporary("redis_unavailable", detail, delay=RETRY_DELAY, counts=False) from error
