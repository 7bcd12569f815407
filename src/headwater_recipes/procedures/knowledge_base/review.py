"""Proposals that wait for a person: changes to curated files, poor extractions, documents the schema refuses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import Any

from headwater.model.errors import Refused
from headwater_recipes.procedures.knowledge_base.layout import (
    SEAL,
    KnowledgeBaseLayout,
    read_json,
    remove,
    stable_json,
    with_seal,
    write_if_changed,
)
from headwater_recipes.procedures.schema import schema_problems

REJECTED = "rejected"
IGNORED_FIELDS = frozenset({SEAL, "extracted_at", "content_hash", "word_count"})


@dataclass(frozen=True, slots=True)
class ReviewQueue:
    layout: KnowledgeBaseLayout

    def propose(self, document: Mapping[str, Any], reasons: Sequence[str], current: Any) -> bool:
        """Gives False for what was rejected before in just this form."""
        key = str(document["id"])
        if self._was_rejected(key, str(document["content_hash"])):
            return False
        proposal = {
            "id": key,
            "url": document["source_url"],
            "reasons": list(reasons),
            "diff": difference(current, document),
            "proposed": dict(document),
        }
        write_if_changed(self.layout.review(key), stable_json(proposal))
        return True

    def waiting(self) -> list[dict[str, Any]]:
        folder = self.layout.review("x").parent
        files = sorted(folder.glob("*.json")) if folder.is_dir() else []
        found = [read_json(path) for path in files if path.stem != REJECTED]
        return [one for one in found if isinstance(one, dict) and "proposed" in one]

    def one(self, key: str) -> dict[str, Any]:
        found = [proposal for proposal in self.waiting() if proposal["id"] == key]
        if not found:
            raise Refused(
                "unknown_review", f"nothing called '{key}' waits for review; see `headwater review list`"
            )
        return found[0]

    def accept(self, key: str, moment: str) -> Path:
        """The proposal becomes the file, marked as verified by hand; the file before it is kept among the versions."""
        document = dict(self.one(key)["proposed"])
        document |= {
            "verificado": True,
            "verified_by": "manual",
            "verified_at": moment,
            "fecha_verificacion": moment[:10],
        }
        if complaints := schema_problems(document):
            raise Refused(
                "not_valid",
                f"{key} cannot be accepted as it is: {complaints[0]}; edit its file under tramites by hand",
            )
        path = self.layout.procedure(key)
        keep_version(self.layout, key, path)
        write_if_changed(path, stable_json(with_seal(document)))
        remove(self.layout.review(key))
        return path

    def reject(self, key: str) -> None:
        """Not proposed again until the page changes."""
        refused = {**self._rejected(), key: self.one(key)["proposed"]["content_hash"]}
        write_if_changed(self.layout.review(REJECTED), stable_json(refused))
        remove(self.layout.review(key))

    def withdraw(self, key: str) -> None:
        remove(self.layout.review(key))

    def _rejected(self) -> dict[str, str]:
        return read_json(self.layout.review(REJECTED)) or {}

    def _was_rejected(self, key: str, content_hash: str) -> bool:
        return self._rejected().get(key) == content_hash


def difference(current: Any, proposed: Mapping[str, Any]) -> list[str]:
    """What would change, line by line; bookkeeping left out."""
    before = _shown(current) if isinstance(current, Mapping) else []
    return list(unified_diff(before, _shown(proposed), "current", "proposed", lineterm="", n=1))


def _shown(document: Mapping[str, Any]) -> list[str]:
    told = {name: value for name, value in document.items() if name not in IGNORED_FIELDS}
    return stable_json(told).decode().splitlines()


def keep_version(layout: KnowledgeBaseLayout, identity: str, path: Path, most: int = 2) -> None:
    """The file as it is, put beside the versions before it; only the last ones stay."""
    if not path.is_file():
        return
    body = path.read_bytes()
    told = read_json(path)
    moment = str(told.get("extracted_at") or "undated") if isinstance(told, dict) else "undated"
    mark = "".join(letter for letter in moment if letter.isalnum())
    write_if_changed(layout.version(identity, mark), body)
    kept = sorted(layout.version(identity, "x").parent.glob("*.json"))
    for old in kept[:-most]:
        remove(old)
