"""The language model unpacked, in one file for all processes of a user, so that the system has it in memory once."""

import fcntl
import lzma
import mmap
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path


def map_unpacked(packed: Path) -> mmap.mmap:
    """The archive that is packed in this file. It lies in the folder for temporary files, named by what it contains, and is
    unpacked by the first process that needs it. Where that is impossible (no space, no permission, another user's folder), it
    is unpacked in the memory of this process."""
    try:
        return _map_shared(packed)
    except OSError:
        unpacked = lzma.decompress(packed.read_bytes())
        memory = mmap.mmap(-1, len(unpacked))
        memory.write(unpacked)
        return memory


def _map_shared(packed: Path) -> mmap.mmap:
    folder = Path(tempfile.gettempdir(), f"headwater-{os.geteuid()}")
    shared = folder / f"language-{sha256(packed.read_bytes()).hexdigest()[:16]}.npz"
    with _own_folder(folder) as descriptor:
        if not _is_whole(shared):
            with _locked(descriptor):
                if not _is_whole(shared):
                    _unpack(packed, shared)
    with shared.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


@contextmanager
def _own_folder(folder: Path) -> Iterator[int]:
    """Its descriptor, if nobody else can write to it: what is mapped must not change."""
    folder.mkdir(mode=0o700, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        status = os.fstat(descriptor)
        if status.st_uid != os.geteuid() or status.st_mode & 0o077:
            raise PermissionError(f"others may have written to {folder}")
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def _locked(descriptor: int) -> Iterator[None]:
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        yield
    finally:
        # A child that was forked meanwhile has a copy of the descriptor, so that closing it is not enough.
        fcntl.flock(descriptor, fcntl.LOCK_UN)


def _is_whole(archive: Path) -> bool:
    """An archive has its table of contents at the end."""
    return zipfile.is_zipfile(archive)


def _unpack(packed: Path, shared: Path) -> None:
    """The file has its name when it is complete. What a killed process left is removed."""
    partial = shared.with_suffix(".partial")
    partial.unlink(missing_ok=True)
    partial.touch(mode=0o600, exist_ok=False)
    try:
        with lzma.open(packed) as source, partial.open("wb") as target:
            shutil.copyfileobj(source, target, 1 << 20)
            target.flush()
            os.fsync(target.fileno())
        partial.replace(shared)
    finally:
        partial.unlink(missing_ok=True)
