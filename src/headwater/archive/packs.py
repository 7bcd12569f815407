"""Raw bytes in a folder or a bucket, as packs of WARC records: written once, named by their hash, checked when read.

A pack holds what one commit captured. That is a hundred times fewer objects than one each, which is what folders,
buckets and bills count.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path

import obstore
from obstore.exceptions import AlreadyExistsError, BaseError
from obstore.store import LocalStore, ObjectStore

from headwater.archive.object_errors import (
    NO_SUCH_RANGE,
    NOT_FOUND_ERRORS,
    is_missing_bucket,
    translate_errors,
)
from headwater.archive.warc import decode_body, encode_pack
from headwater.model.errors import Refused, Temporary
from headwater.model.http import Capture

SUFFIX = ".warc.gz"
EMPTY_SHA256 = sha256(b"").hexdigest()
PACK_NAME = re.compile(r"[0-9a-f]{2}/[0-9a-f]{64}\.warc\.gz")
PART_SIZE = 8 << 20
NOTE, PROBE = "HEADWATER.txt", "HEADWATER-HEALTH.txt"
NOTE_TEXT = b"Raw captures of Headwater, as compressed WARC files named by their SHA-256. Do not rename or change them.\n"


def pack_digest(name: str) -> str | None:
    """The checksum that a pack must have: its name is its hash. None if it is not the name of a pack."""
    return name[3:67] if PACK_NAME.fullmatch(name) else None


@dataclass(frozen=True, slots=True)
class PackCopies:
    """`sound` are whole in the target, `copied` of them written now; `repaired` replaced a copy there that was damaged or had
    been removed; `damaged` are missing in the source, or their bytes do not match their name."""

    copied: int
    sound: tuple[str, ...]
    repaired: tuple[str, ...]
    damaged: tuple[str, ...]

    @property
    def lost(self) -> tuple[str, ...]:
        """Whole in neither."""
        sound = set(self.sound)
        return tuple(name for name in self.damaged if name not in sound)


def open_folder_archive(path: Path) -> "ObjectArchive":
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise Refused(
            "archive_unwritable", f"the archive folder {path} cannot be made: {error.strerror}"
        ) from error
    return ObjectArchive(LocalStore(path))


@dataclass(frozen=True)
class ObjectArchive:
    """`model.ports.Archive` on any store that obstore supports. Errors name `place`. Bodies larger than `one_piece` are
    uploaded in parts; None never uploads in parts."""

    store: ObjectStore
    place: str = "the archive"
    one_piece: int | None = None

    def ready(self) -> None:
        """Raises Temporary if the archive cannot be written, before any work begins. Some servers create a bucket when
        something is put into it."""
        if self.one_piece is None:
            return
        with self._translated():
            self._create_if_absent(NOTE, NOTE_TEXT)

    def probe(self, now: datetime) -> None:
        """Writes an object and reads it back. Raises Temporary if that fails. Several processes may do it at the same time, so
        the object may be newer than what this one wrote."""
        written = now.isoformat().encode()
        with self._translated():
            self._overwrite(PROBE, written)
            read = bytes(obstore.get(self.store, PROBE).bytes())
        if read < written:
            raise Temporary(
                "archive_inconsistent", f"{self.place} returns an older object than the one written"
            )

    def _translated(self) -> AbstractContextManager[None]:
        return translate_errors(self.place, bucket=self.one_piece is not None)

    def put(self, captures: Sequence[tuple[Capture, bytes]]) -> Sequence[Capture]:
        if not captures:
            return ()
        data, places = encode_pack(captures)
        digest = sha256(data).hexdigest()
        name = f"{digest[:2]}/{digest}{SUFFIX}"
        with self._translated():
            self._put_pack(name, data)
        return [
            replace(capture, pack=name, start=place.start, length=place.length)
            for (capture, _), place in zip(captures, places, strict=True)
        ]

    def _put_pack(self, name: str, data: bytes) -> None:
        """Multipart uploads cannot be conditional. The name is the hash of the bytes, so writing a pack twice does no
        harm."""
        if self._needs_multipart(data):
            if not self.has(name):
                return self._overwrite(name, data)
        elif self._create_if_absent(name, data):
            return None
        return self._repair(name, data)

    def _create_if_absent(self, name: str, data: bytes) -> bool:
        try:
            obstore.put(self.store, name, data, mode="create", use_multipart=False)
        except AlreadyExistsError:
            return False
        return True

    def _repair(self, name: str, data: bytes) -> None:
        """The same captures were put before a commit that failed. Overwrites the pack if it is damaged."""
        if bytes(obstore.get(self.store, name).bytes()) != data:
            self._overwrite(name, data)

    def _overwrite(self, name: str, data: bytes) -> None:
        obstore.put(self.store, name, data, use_multipart=self._needs_multipart(data), chunk_size=PART_SIZE)

    def _needs_multipart(self, data: bytes) -> bool:
        return self.one_piece is not None and len(data) > self.one_piece

    def get(self, captures: Sequence[Capture]) -> Mapping[str, bytes]:
        by_pack: dict[str, list[Capture]] = defaultdict(list)
        bodies: dict[str, bytes] = {}
        for capture in captures:
            if capture.size:
                by_pack[capture.pack].append(capture)
            elif capture.sha256 == EMPTY_SHA256:
                bodies[EMPTY_SHA256] = b""  # stores reject a range of zero bytes
        for name, pack_captures in by_pack.items():
            bodies.update(self._read(name, pack_captures))
        return bodies

    def _read(self, name: str, captures: Sequence[Capture]) -> dict[str, bytes]:
        if not PACK_NAME.fullmatch(name):
            return {}
        starts, lengths = [c.start for c in captures], [c.length for c in captures]
        with self._translated():
            try:
                chunks = obstore.get_ranges(self.store, name, starts=starts, lengths=lengths)
            except (*NOT_FOUND_ERRORS, ValueError) as error:
                if is_missing_bucket(error):
                    raise
                return self._read_one_by_one(name, captures)
            except BaseError as error:
                if NO_SUCH_RANGE not in str(error):
                    raise
                return self._read_one_by_one(name, captures)
        bodies = {
            c.sha256: decode_body(bytes(record), c.size) for c, record in zip(captures, chunks, strict=True)
        }
        return {
            digest: body
            for digest, body in bodies.items()
            if body is not None and sha256(body).hexdigest() == digest
        }

    def _read_one_by_one(self, name: str, captures: Sequence[Capture]) -> dict[str, bytes]:
        """A truncated pack still contains what lies before the cut."""
        if len(captures) == 1:
            return {}
        return {digest: body for capture in captures for digest, body in self._read(name, [capture]).items()}

    def packs(self, before: datetime) -> Iterator[str]:
        """Names of the packs written before that time, for the sweep. Ignores all other files."""
        with self._translated():
            for page in obstore.list(self.store):
                old = (entry["path"] for entry in page if entry["last_modified"] < before)
                yield from sorted(name for name in old if PACK_NAME.fullmatch(name))

    def copy(
        self, packs: Iterable[str], target: "ObjectArchive", earlier: Collection[str] = ()
    ) -> "PackCopies":
        """Copies the packs that the target lacks or holds damaged. Every pack is read back from the target: it counts as
        sound only if its bytes match its name there. `earlier` are packs that the target once held."""
        sound, repaired, damaged = [], [], []
        count = 0
        for name in packs:
            if target.whole(name) is not None:
                sound.append(name)
                if not self._is_intact(name):
                    damaged.append(name)
                continue
            data = self.whole(name)
            if data is None:
                damaged.append(name)
                continue
            if name in earlier or target.has(name):
                repaired.append(name)
            target.add(name, data)
            count += 1
            if target.whole(name) is None:
                raise Temporary("copy_differs", f"the copy of pack {name} in {target.place} is damaged")
            sound.append(name)
        return PackCopies(count, tuple(sound), tuple(repaired), tuple(damaged))

    def _is_intact(self, name: str) -> bool:
        """A pack in a bucket is not downloaded for this: its server protects it."""
        return self.one_piece is not None or self.whole(name) is not None

    def add(self, name: str, data: bytes) -> None:
        """Stores a whole pack from another archive under its name."""
        with self._translated():
            self._overwrite(name, data)

    def has(self, name: str) -> bool:
        with self._translated():
            try:
                obstore.head(self.store, name)
            except NOT_FOUND_ERRORS:
                return False
        return True

    def whole(self, name: str) -> bytes | None:
        """All bytes of a pack; None if it is missing or its bytes do not match its name."""
        if not PACK_NAME.fullmatch(name):
            return None
        with self._translated():
            try:
                data = bytes(obstore.get(self.store, name).bytes())
            except NOT_FOUND_ERRORS as error:
                if is_missing_bucket(error):
                    raise
                return None
        return data if sha256(data).hexdigest() == pack_digest(name) else None

    def remove(self, packs: Sequence[str]) -> None:
        with self._translated():
            obstore.delete(self.store, list(packs))
