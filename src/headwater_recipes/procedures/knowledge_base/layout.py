"""The files of the knowledge base: their paths, atomic writing, the seal of generated files, and the lock.

A generated file carries a seal, a hash of its content. A file without an intact seal was written or edited by a person and
is never overwritten.
"""

import fcntl
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from headwater.model.errors import Permanent, Temporary
from headwater.text.urls import canonical_url, host_of
from headwater_recipes.procedures.url_rules import PROCEDURE_URL_RULES

SEAL = "headwater_seal"
SAFE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,200}")


@dataclass(frozen=True, slots=True)
class KnowledgeBaseLayout:
    """Paths of files. The assistant loads every file in `tramites`, so that folder holds nothing else."""

    folder: Path

    def procedure(self, identity: str) -> Path:
        return self.folder / "tramites" / f"{checked_name(identity)}.json"

    def extraction_path(self, identity: str) -> Path:
        return self.folder / "extracted" / f"{checked_name(identity)}.extracted.json"

    def version(self, identity: str, version: str) -> Path:
        return self.folder / "versions" / checked_name(identity) / f"{checked_name(version)}.json"

    def raw(self, url: str, ending: str) -> Path:
        return self.folder / "raw" / checked_name(domain_of(url)) / f"{url_hash(url)}{ending}"

    def review(self, key: str) -> Path:
        return self.folder / "ingestion" / "review" / f"{checked_name(key)}.json"

    def decision(self, key: str) -> Path:
        return self.folder / "ingestion" / "decisions" / f"{checked_name(key)}.json"

    def catalogue(self, name: str) -> Path:
        return self.folder / "ingestion" / f"{name}.json"


def checked_name(name: str) -> str:
    if not SAFE_NAME.fullmatch(name) or ".." in name:
        raise Permanent("unsafe_name", f"{name!r} cannot be a file name")
    return name


def domain_of(url: str) -> str:
    return host_of(url).removeprefix("www.") or "unknown"


def url_hash(url: str) -> str:
    """The first sixteen hexadecimal digits of the canonical address's SHA-256."""
    return sha256(canonical_url(url, PROCEDURE_URL_RULES).encode()).hexdigest()[:16]


def stable_json(value: Any) -> bytes:
    """The same bytes for the same value."""
    return (json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True) + "\n").encode()


def read_json(path: Path) -> Any:
    """The content of a JSON file. None when it is missing or invalid."""
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None


def write_if_changed(path: Path, body: bytes) -> bool:
    """Write the file atomically unless it holds these bytes already. Returns whether it changed."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        if path.is_file() and path.read_bytes() == body:
            return False
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(body)
        temporary.replace(path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink()
        raise Temporary("folder_unwritable", f"{error.strerror}: {path.parent}") from error
    return True


def remove(path: Path) -> None:
    with suppress(FileNotFoundError):
        path.unlink()


def with_seal(document: Mapping[str, Any]) -> dict[str, Any]:
    content = {name: value for name, value in document.items() if name != SEAL}
    return content | {SEAL: _seal(content)}


def is_generated(document: Any) -> bool:
    """Whether we wrote the document, and no person has edited or verified it since."""
    if (
        not isinstance(document, Mapping)
        or document.get("verificado")
        or document.get("verified_by") == "manual"
    ):
        return False
    content = {name: value for name, value in document.items() if name != SEAL}
    return document.get(SEAL) == _seal(content)


def _seal(content: Mapping[str, Any]) -> str:
    return sha256(stable_json(dict(content))).hexdigest()


@contextmanager
def exclusive_lock(layout: KnowledgeBaseLayout) -> Iterator[None]:
    """One process at a time: two pages with the same name must see each other's files, and the catalogues are written as a
    whole. The lock ends with its process."""
    path = layout.folder / "ingestion" / ".lock"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = path.open("ab")
    except OSError as error:
        raise Temporary("folder_unwritable", f"{error.strerror}: {path.parent}") from error
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
