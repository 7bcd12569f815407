"""Where each file of the knowledge base lies, and how one is written: whole or not at all, and only if it changed."""

import json
import os
import re
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from headwater.model.errors import Permanent, Temporary
from headwater.pure.urls import SEED_P, canonical, host_of

SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,200}")


@dataclass(frozen=True, slots=True)
class Layout:
    """`tramites` holds what the assistant reads and nothing else: it loads every file there."""

    folder: Path

    def procedure(self, identity: str) -> Path:
        return self.folder / "tramites" / f"{safe(identity)}.json"

    def extracted(self, identity: str) -> Path:
        return self.folder / "extracted" / f"{safe(identity)}.extracted.json"

    def version(self, identity: str, mark: str) -> Path:
        return self.folder / "versions" / safe(identity) / f"{safe(mark)}.json"

    def raw(self, url: str, ending: str) -> Path:
        return self.folder / "raw" / safe(domain_of(url)) / f"{url_hash(url)}{ending}"

    def review(self, key: str) -> Path:
        return self.folder / "ingestion" / "review" / f"{safe(key)}.json"

    def ledger(self, name: str) -> Path:
        return self.folder / "ingestion" / f"{name}.json"


def safe(name: str) -> str:
    if not SAFE.fullmatch(name) or ".." in name:
        raise Permanent("unsafe_name", f"{name!r} cannot be a file name")
    return name


def domain_of(url: str) -> str:
    return host_of(url).removeprefix("www.") or "unknown"


def url_hash(url: str) -> str:
    """The first sixteen hexadecimal digits of the canonical address's SHA-256."""
    return sha256(canonical(url, SEED_P).encode()).hexdigest()[:16]


def as_json(value: Any) -> bytes:
    """The same bytes for the same value."""
    return (json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True) + "\n").encode()


def read_json(path: Path) -> Any:
    """None for what is missing or no JSON."""
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None


def write(path: Path, body: bytes) -> bool:
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
