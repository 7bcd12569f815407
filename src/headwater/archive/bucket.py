"""Buckets of an S3-compatible server: how one is reached, how patiently, and what is asked before work begins."""

from dataclasses import dataclass, field
from datetime import timedelta

from obstore.store import S3Store

from headwater.archive.packs import ObjectArchive

# A server that restarts is waited for by those who work, not by each request: a lease must not run out meanwhile.
RETRIES, RETRY_FOR = 4, timedelta(seconds=20)
FIRST_REST, LONGEST_REST = timedelta(milliseconds=200), timedelta(seconds=4)
CONNECT, ANSWER = timedelta(seconds=5), timedelta(seconds=60)
MAX_SINGLE_PUT = (
    16 << 20
)  # larger bodies go in parts, so that no request has to carry more than it can in its time


@dataclass(frozen=True, slots=True, kw_only=True)
class S3Server:
    """Without an endpoint it is Amazon's; without a key, the usual variables or the machine's role say who we are."""

    endpoint: str = ""
    region: str = "us-east-1"
    key: str = field(default="", repr=False)
    secret: str = field(default="", repr=False)

    def bucket(self, name: str, prefix: str = "") -> S3Store:
        """Opens nothing yet; the first request does."""
        told = {
            "endpoint": self.endpoint,
            "region": self.region,
            "access_key_id": self.key,
            "secret_access_key": self.secret,
        }
        return S3Store(
            name,
            prefix=prefix or None,
            config={option: value for option, value in told.items() if value},  # type: ignore[arg-type]
            # Unencrypted only where the endpoint says so itself.
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

    def described(self, address: str) -> str:
        return f"{address} at {self.endpoint}" if self.endpoint else address


def open_bucket_archive(server: S3Server, name: str, prefix: str = "") -> ObjectArchive:
    address = "/".join(part for part in (f"s3://{name}", prefix) if part)
    return ObjectArchive(server.bucket(name, prefix), server.described(address), MAX_SINGLE_PUT)
