"""The files of a data folder as they can be searched: what is compressed is read as what it says."""

import gzip
from pathlib import Path


def read_stored_files(folder: Path) -> dict[Path, bytes]:
    return {path: _contents(path) for path in folder.rglob("*") if path.is_file()}


def _contents(path: Path) -> bytes:
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data
