"""Where each file of the knowledge base lies, and how one is written: whole or not at all, and only if it changed."""

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
from headwater.text.urls import SEED_P_RULES, canonical_url, host_of

SAFE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,200}")


@dataclass(frozen=True, slots=True)
class KnowledgeBaseLayout:
    """`tramites` holds what the assistant reads and nothing else: it loads every file there."""

    folder: Path

    def procedure(self, identity: str) -> Path:
        return self.folder / "tramites" / f"{checked_name(identity)}.json"

    def extracted(self, identity: str) -> Path:
        return self.folder / "extracted" / f"{checked_name(identity)}.extracted.json"

    def version(self, identity: str, mark: str) -> Path:
        return self.folder / "versions" / checked_name(identity) / f"{checked_name(mark)}.json"

    def raw(self, url: str, ending: str) -> Path:
        return self.folder / "raw" / checked_name(domain_of(url)) / f"{url_hash(url)}{ending}"

    def review(self, key: str) -> Path:
        return self.folder / "ingestion" / "review" / f"{checked_name(key)}.json"

    def ledger(self, name: str) -> Path:
        return self.folder / "ingestion" / f"{name}.json"


def checked_name(name: str) -> str:
    if not SAFE_NAME.fullmatch(name) or ".." in name:
        raise Permanent("unsafe_name", f"{name!r} cannot be a file name")
    return name


def domain_of(url: str) -> str:
    return host_of(url).removeprefix("www.") or "unknown"


def url_hash(url: str) -> str:
    """The first sixteen hexadecimal digits of the canonical address's SHA-256."""
    return sha256(canonical_url(url, SEED_P_RULES).encode()).hexdigest()[:16]


def stable_json(value: Any) -> bytes:
    """The same bytes for the same value."""
    return (json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True) + "\n").encode()


def read_json(path: Path) -> Any:
    """None for what is missing or no JSON."""
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None


def write_if_changed(path: Path, body: bytes) -> bool:
    """Gives whether the file changed; one that holds these bytes already is not touched."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        if path.is_file() and path.read_bytes() == body:
            return False
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_bytes(body)
        draft.replace(path)
    except OSError as error:
        with suppress(OSError):
            draft.unlink()
        raise Temporary("folder_unwritable", f"{error.strerror}: {path.parent}") from error
    return True


def remove(path: Path) -> None:
    with suppress(FileNotFoundError):
        path.unlink()


SEAL = "headwater_seal"


def with_seal(document: Mapping[str, Any]) -> dict[str, Any]:
    bare = {name: value for name, value in document.items() if name != SEAL}
    return bare | {SEAL: _seal(bare)}


def is_generated(document: Any) -> bool:
    """True for what we wrote and nobody touched or verified since."""
    if (
        not isinstance(document, Mapping)
        or document.get("verificado")
        or document.get("verified_by") == "manual"
    ):
        return False
    bare = {name: value for name, value in document.items() if name != SEAL}
    return document.get(SEAL) == _seal(bare)


def _seal(bare: Mapping[str, Any]) -> str:
    return sha256(stable_json(dict(bare))).hexdigest()


@contextmanager
def exclusive_lock(layout: KnowledgeBaseLayout) -> Iterator[None]:
    """Waits for whoever writes now. The lock ends with the process that holds it."""
    path = layout.folder / "ingestion" / ".lock"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = path.open("ab")
    except OSError as error:
        raise Temporary("folder_unwritable", f"{error.strerror}: {path.parent}") from error
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
