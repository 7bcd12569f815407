"""Raw bytes under their own hash, in a folder or a bucket: written once, never changed, checked when read."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import obstore
from obstore.exceptions import AlreadyExistsError, BaseError, NotFoundError
from obstore.store import LocalStore, ObjectStore

from headwater.model.capture import Capture
from headwater.model.errors import Refused, Temporary

DISK_FULL = "no space left"
DIGEST = re.compile("[0-9a-f]{64}")


def open_folder(path: Path) -> "ObjectArchive":
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Refused(
            "archive_unwritable", f"the archive folder {path} cannot be made: {error.strerror}"
        ) from error
    return ObjectArchive(LocalStore(path))


def object_key(digest: str) -> str:
    if not DIGEST.fullmatch(digest):
        raise ValueError(f"{digest!r} is not a SHA-256 digest")
    return f"{digest[:2]}/{digest[2:4]}/{digest}"


@dataclass(frozen=True)
class ObjectArchive:
    """`model.ports.Archive` on any store that obstore speaks to."""

    store: ObjectStore

    def put(self, captures: Sequence[tuple[Capture, bytes]]) -> None:
        with _explained():
            for capture, body in captures:
                target = object_key(capture.sha256)
                # The description goes first: whoever finds the bytes finds their headers too.
                self._create(target + ".json", msgspec.json.encode(_description(capture)))
                if not self._create(target, body) and not self.get([capture.sha256]):
                    # What is there is damaged, and here is what it should be.
                    obstore.put(self.store, target, body, use_multipart=False)

    def _create(self, target: str, body: bytes) -> bool:
        try:
            obstore.put(self.store, target, body, mode="create", use_multipart=False)
        except AlreadyExistsError:
            return False
        return True

    def get(self, digests: Sequence[str]) -> Mapping[str, bytes]:
        found = {}
        for digest in digests:
            body = self._read(digest)
            if body is not None and sha256(body).hexdigest() == digest:
                found[digest] = body
        return found

    def _read(self, digest: str) -> bytes | None:
        if not DIGEST.fullmatch(digest):
            return None
        with _explained():
            try:
                return bytes(obstore.get(self.store, object_key(digest)).bytes())
            except (NotFoundError, FileNotFoundError):
                return None

    def digests(self) -> Iterator[str]:
        """Every digest that has bytes here; for the sweep."""
        with _explained():
            for page in obstore.list(self.store):
                for entry in page:
                    name = entry["path"].rpartition("/")[2]
                    if not name.endswith(".json"):
                        yield name

    def remove(self, digests: Sequence[str]) -> None:
        with _explained():
            for digest in digests:
                obstore.delete(self.store, [object_key(digest), object_key(digest) + ".json"])


def _description(capture: Capture) -> dict[str, Any]:
    return {
        "url": capture.url,
        "final_url": capture.final_url,
        "status": capture.status,
        "media_type": capture.media_type,
        "fetched_at": capture.fetched_at,
        "headers": dict(capture.headers),
        "sha256": capture.sha256,
        "size": capture.size,
    }


@contextmanager
def _explained() -> Iterator[None]:
    try:
        yield
    except (BaseError, OSError) as error:
        detail = str(error).splitlines()[0]
        if DISK_FULL in str(error).lower():
            raise Temporary("disk_full", "the archive has no space left") from error
        raise Temporary("archive_unavailable", detail) from error
