"""Buckets of an S3-compatible server: connection, timeouts and retries."""

from dataclasses import dataclass, field
from datetime import timedelta

from obstore.store import S3Store

from headwater.archive.packs import ObjectArchive

# Workers wait for a server that restarts, single requests do not: otherwise a lease could expire meanwhile.
RETRIES, RETRY_FOR = 4, timedelta(seconds=20)
FIRST_REST, LONGEST_REST = timedelta(milliseconds=200), timedelta(seconds=4)
CONNECT, ANSWER = timedelta(seconds=5), timedelta(seconds=60)
MAX_SINGLE_PUT = 16 << 20  # larger bodies are uploaded in parts, so that no single request times out


@dataclass(frozen=True, slots=True, kw_only=True)
class S3Server:
    """Without an endpoint the server is Amazon's. Without a key, the usual variables or the role of the machine apply."""

    endpoint: str = ""
    region: str = "us-east-1"
    key: str = field(default="", repr=False)
    secret: str = field(default="", repr=False)

    def bucket(self, name: str, prefix: str = "") -> S3Store:
        """Opens no connection; the first request does."""
        settings = {
            "endpoint": self.endpoint,
            "region": self.region,
            "access_key_id": self.key,
            "secret_access_key": self.secret,
        }
        return S3Store(
            name,
            prefix=prefix or None,
            config={option: value for option, value in settings.items() if value},  # type: ignore[arg-type]
            # Unencrypted only if the endpoint says so.
            client_options={
                "allow_http": self.endpoint.lower().startswith("http://"),
                "connect_timeout": CONNECT,
                "timeout": ANSWER,
            },
            retry_config={
                "max_retries": RETRIES,
                "retry_timeout": RETRY_FOR,
                "backoff": {"init_backoff": FIRST_REST, "max_backoff": LONGEST_REST, "base": 2},
            },
        )

    def describe(self, address: str) -> str:
        return f"{address} at {self.endpoint}" if self.endpoint else address


def open_bucket_archive(server: S3Server, name: str, prefix: str = "") -> ObjectArchive:
    address = "/".join(part for part in (f"s3://{name}", prefix) if part)
    return ObjectArchive(server.bucket(name, prefix), server.describe(address), MAX_SINGLE_PUT)
