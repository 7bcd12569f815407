"""Raw bytes in a folder or a bucket, as packs of WARC records: written once, named by their hash, checked when read.

A pack holds what one commit captured. That is a hundred times fewer objects than one each, which is what folders,
buckets and bills count.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path

import obstore
from obstore.exceptions import AlreadyExistsError, BaseError, NotFoundError
from obstore.store import LocalStore, ObjectStore

from headwater.model.capture import Capture
from headwater.model.errors import Refused, Temporary
from headwater.pure.warc import pack

DISK_FULL = "no space left"
SUFFIX = ".warc"
NOTHING = sha256(b"").hexdigest()
NAME = re.compile(r"[0-9a-f]{2}/[0-9a-f]{64}\.warc")


def open_folder(path: Path) -> "ObjectArchive":
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Refused(
            "archive_unwritable", f"the archive folder {path} cannot be made: {error.strerror}"
        ) from error
    return ObjectArchive(LocalStore(path))


@dataclass(frozen=True)
class ObjectArchive:
    """`model.ports.Archive` on any store that obstore speaks to."""

    store: ObjectStore

    def put(self, captures: Sequence[tuple[Capture, bytes]]) -> Sequence[Capture]:
        if not captures:
            return ()
        data, starts = pack(captures)
        digest = sha256(data).hexdigest()
        name = f"{digest[:2]}/{digest}{SUFFIX}"
        with _explained():
            try:
                obstore.put(self.store, name, data, mode="create", use_multipart=False)
            except AlreadyExistsError:
                self._mend(name, data)
        return [replace(c, pack=name, start=start) for (c, _), start in zip(captures, starts, strict=True)]

    def _mend(self, name: str, data: bytes) -> None:
        """The same captures were put before a commit that failed. If what lies there is damaged, here is the remedy."""
        if bytes(obstore.get(self.store, name).bytes()) != data:
            obstore.put(self.store, name, data, use_multipart=False)

    def get(self, captures: Sequence[Capture]) -> Mapping[str, bytes]:
        by_pack: dict[str, list[Capture]] = defaultdict(list)
        bodies: dict[str, bytes] = {}
        for capture in captures:
            if capture.size:
                by_pack[capture.pack].append(capture)
            elif capture.sha256 == NOTHING:
                bodies[NOTHING] = b""  # no store knows a range of no bytes
        for name, inside in by_pack.items():
            bodies.update(self._read(name, inside))
        return bodies

    def _read(self, name: str, captures: Sequence[Capture]) -> dict[str, bytes]:
        if not NAME.fullmatch(name):
            return {}
        starts, lengths = [c.start for c in captures], [c.size for c in captures]
        with _explained():
            try:
                found = obstore.get_ranges(self.store, name, starts=starts, lengths=lengths)
            except (NotFoundError, FileNotFoundError, ValueError):
                return self._read_alone(name, captures)
            except BaseError as error:
                if "range" not in str(error).lower():
                    raise
                return self._read_alone(name, captures)
        bodies = {c.sha256: bytes(body) for c, body in zip(captures, found, strict=True)}
        return {digest: body for digest, body in bodies.items() if sha256(body).hexdigest() == digest}

    def _read_alone(self, name: str, captures: Sequence[Capture]) -> dict[str, bytes]:
        """A pack that was cut short still gives what lies before the cut."""
        if len(captures) == 1:
            return {}
        return {digest: body for capture in captures for digest, body in self._read(name, [capture]).items()}

    def packs(self, before: datetime) -> Iterator[str]:
        """Every pack that was written before that moment; for the sweep."""
        with _explained():
            for page in obstore.list(self.store):
                yield from sorted(entry["path"] for entry in page if entry["last_modified"] < before)

    def copy(self, packs: Iterable[str], target: "ObjectArchive") -> tuple[int, list[str]]:
        """Copy packs that the target does not have yet; gives how many, and the names of those that are missing here or
        whose bytes no longer match their name."""
        count, damaged = 0, []
        with _explained():
            for name in packs:
                if target.has(name):
                    continue
                data = self.whole(name)
                if data is None:
                    damaged.append(name)
                    continue
                obstore.put(target.store, name, data, use_multipart=False)
                count += 1
        return count, damaged

    def has(self, name: str) -> bool:
        with _explained():
            try:
                obstore.head(self.store, name)
            except (NotFoundError, FileNotFoundError):
                return False
        return True

    def whole(self, name: str) -> bytes | None:
        """All bytes of a pack; None if it is missing or its bytes do not match its name."""
        if not NAME.fullmatch(name):
            return None
        with _explained():
            try:
                data = bytes(obstore.get(self.store, name).bytes())
            except (NotFoundError, FileNotFoundError):
                return None
        return data if sha256(data).hexdigest() == name[3:67] else None

    def remove(self, packs: Sequence[str]) -> None:
        with _explained():
            obstore.delete(self.store, list(packs))


@contextmanager
def _explained() -> Iterator[None]:
    try:
        yield
    except (BaseError, OSError) as error:
        if DISK_FULL in str(error).lower():
            raise Temporary("disk_full", "the archive has no space left") from error
        raise Temporary("archive_unavailable", str(error).splitlines()[0]) from error
