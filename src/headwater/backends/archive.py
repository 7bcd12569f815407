"""Raw bytes under their own hash, in a folder or a bucket: written once, never changed, checked when read."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
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


def open_folder(path: Path) -> "ObjectArchive":
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Refused(
            "archive_unwritable", f"the archive folder {path} cannot be made: {error.strerror}"
        ) from error
    return ObjectArchive(LocalStore(path))


def object_key(digest: str) -> str:
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
                self._create(target, body)

    def _create(self, target: str, body: bytes) -> None:
        try:
            obstore.put(self.store, target, body, mode="create", use_multipart=False)
        except AlreadyExistsError:
            return

    def get(self, digests: Sequence[str]) -> Mapping[str, bytes]:
        found = {}
        for digest in digests:
            body = self._read(digest)
            if body is not None and sha256(body).hexdigest() == digest:
                found[digest] = body
        return found

    def _read(self, digest: str) -> bytes | None:
        with _explained():
            try:
                return bytes(obstore.get(self.store, object_key(digest)).bytes())
            except (NotFoundError, FileNotFoundError):
                return None

    def digests(self, before: datetime | None = None) -> Iterator[str]:
        """Every digest that has bytes or a description here, written before that moment; for the sweep."""
        with _explained():
            for page in obstore.list(self.store):
                names = {
                    entry["path"].rpartition("/")[2].removesuffix(".json")
                    for entry in page
                    if before is None or entry["last_modified"] < before
                }
                yield from sorted(names)

    def remove(self, digests: Sequence[str]) -> None:
        with _explained():
            for digest in digests:
                for target in (object_key(digest), object_key(digest) + ".json"):
                    with suppress(NotFoundError, FileNotFoundError):
                        obstore.delete(self.store, target)


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
