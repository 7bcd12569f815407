"""Objects whose names begin with a bucket, for programs that look for them there. A bucket is a folder, a bucket of a
server, or a folder in one bucket."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import obstore
from obstore.exceptions import AlreadyExistsError
from obstore.store import LocalStore, ObjectStore

from headwater.archive.bucket import S3Server
from headwater.archive.object_errors import NOT_FOUND_ERRORS, translate_errors


@dataclass(frozen=True)
class NamedObjects:
    """`open_bucket` returns the store of a bucket and is called once for each bucket."""

    open_bucket: Callable[[str], ObjectStore]
    place: str
    remote: bool
    open_buckets: dict[str, ObjectStore] = field(default_factory=dict)

    def has(self, name: str) -> bool:
        store, key = self._found(name)
        with translate_errors(self._told(name), bucket=self.remote):
            try:
                obstore.head(store, key)
            except NOT_FOUND_ERRORS:
                return False
        return True

    def write(self, name: str, body: bytes) -> bool:
        """Writes all of it or nothing. Returns whether anything had to be written."""
        store, key = self._found(name)
        with translate_errors(self._told(name), bucket=self.remote):
            try:
                obstore.put(store, key, body, mode="create", use_multipart=False)
            except AlreadyExistsError:
                if bytes(obstore.get(store, key).bytes()) == body:
                    return False
                obstore.put(store, key, body, use_multipart=False)
        return True

    def _found(self, name: str) -> tuple[ObjectStore, str]:
        bucket, _, key = name.partition("/")
        if bucket not in self.open_buckets:
            self.open_buckets[bucket] = self.open_bucket(bucket)
        return self.open_buckets[bucket], key

    def _told(self, name: str) -> str:
        return f"'{name.partition('/')[0]}' in {self.place}" if self.remote else self.place


def objects_in_folder(folder: Path) -> NamedObjects:
    def open_one(bucket: str) -> LocalStore:
        (folder / bucket).mkdir(parents=True, exist_ok=True)
        return LocalStore(folder / bucket)

    return NamedObjects(open_one, str(folder), remote=False)


def objects_in_buckets(server: S3Server) -> NamedObjects:
    """Each bucket in a name is a bucket of the server."""
    return NamedObjects(server.bucket, server.endpoint or "s3://", remote=True)


def objects_in_bucket(server: S3Server, name: str, prefix: str) -> NamedObjects:
    def open_one(bucket: str) -> ObjectStore:
        return server.bucket(name, f"{prefix}/{bucket}" if prefix else bucket)

    return NamedObjects(open_one, server.describe(f"s3://{name}/{prefix}".rstrip("/")), remote=True)
