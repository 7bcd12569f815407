"""Where raw captures are stored: a folder, or a bucket of an S3-compatible server."""

import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from headwater.model.errors import Refused
from headwater.secret_references import resolve_secret

SCHEME = "s3://"
BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
BUCKET_PREFIX = re.compile(r"[A-Za-z0-9_=.-]+(/[A-Za-z0-9_=.-]+)*")
ARCHIVE_VARIABLES = {
    "place": "HEADWATER_ARCHIVE",
    "endpoint": "HEADWATER_ARCHIVE_ENDPOINT",
    "region": "HEADWATER_ARCHIVE_REGION",
    "key": "HEADWATER_ARCHIVE_KEY",
    "secret": "HEADWATER_ARCHIVE_SECRET",
}


class ArchiveSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`place` is a folder or s3://bucket/prefix. The other fields are for buckets: `endpoint` is the address of the server if
    it is not Amazon's, `key` and `secret` are the credentials; both may be `env:NAME` or `file:PATH`."""

    place: str = ""
    endpoint: str = ""
    region: str = "us-east-1"
    key: str = ""
    secret: str = ""

    def __repr__(self) -> str:
        """Without the credentials."""
        return f"Archive(place={self.place!r}, endpoint={self.endpoint!r})"

    @property
    def is_bucket(self) -> bool:
        return self.place.startswith(SCHEME)


def with_archive_variables(archive: ArchiveSettings, variables: Mapping[str, str]) -> ArchiveSettings:
    values = {field: variables[name] for field, name in ARCHIVE_VARIABLES.items() if variables.get(name)}
    return msgspec.structs.replace(archive, **values)


def local_archive_folder(archive: ArchiveSettings, data: Path) -> Path | None:
    """Returns the folder, or None for a bucket; refuses URLs with another scheme."""
    if archive.is_bucket:
        return None
    if "://" in archive.place:
        scheme = archive.place.partition("://")[0]
        raise Refused(
            "bad_config", f"archive: '{scheme}://' is not supported: give a folder or s3://bucket/prefix"
        )
    return Path(archive.place) if archive.place else data / "archive"


def parse_bucket_url(address: str, where: str = "archive") -> tuple[str, str]:
    """Returns bucket and prefix of s3://bucket/prefix; refuses invalid ones."""
    bucket, _, prefix = address.removeprefix(SCHEME).strip("/").partition("/")
    if not BUCKET.fullmatch(bucket) or ".." in bucket:
        raise Refused("bad_config", f"{where}: '{bucket}' cannot be a bucket; write s3://bucket/prefix")
    if prefix and (not BUCKET_PREFIX.fullmatch(prefix) or {".", ".."} & set(prefix.split("/"))):
        raise Refused("bad_config", f"{where}: '{prefix}' cannot be a prefix in a bucket")
    return bucket, prefix


def bucket_credentials(archive: ArchiveSettings) -> tuple[str, str]:
    """Returns key and secret; refuses one without the other."""
    if bool(archive.key) != bool(archive.secret):
        missing = "secret" if archive.key else "key"
        raise Refused("bad_config", f"archive.{missing}: a key needs a secret and a secret a key")
    return resolve_secret(archive.key, "archive.key"), resolve_secret(archive.secret, "archive.secret")


def check_archive_endpoint(archive: ArchiveSettings) -> str:
    """Returns the endpoint; refuses one with user, path or query, which errors would show."""
    try:
        parts = urlsplit(archive.endpoint)
        has_valid_port = parts.port is None or parts.port > 0
    except ValueError:
        raise Refused("bad_config", "archive.endpoint: it is not a URL; write https://host:port") from None
    has_only_host = not (parts.query or parts.fragment or "@" in parts.netloc or parts.path.strip("/"))
    if archive.endpoint and not (
        parts.scheme in {"http", "https"} and parts.hostname and has_valid_port and has_only_host
    ):
        raise Refused("bad_config", "archive.endpoint: write only scheme and host, like https://host:port")
    return archive.endpoint.rstrip("/")
