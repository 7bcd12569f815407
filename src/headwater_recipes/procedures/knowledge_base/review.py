"""The review queue: proposals that wait for a person (changes to curated files, poor extractions, invalid documents)."""

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
    """One file per proposal."""

    layout: KnowledgeBaseLayout

    def propose(self, document: Mapping[str, Any], reasons: Sequence[str], current: Any) -> bool:
        """Add a proposal. Returns False if the same content was rejected before."""
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

    def list_proposals(self) -> list[dict[str, Any]]:
        folder = self.layout.review("x").parent
        files = sorted(folder.glob("*.json")) if folder.is_dir() else []
        proposals = [read_json(path) for path in files if path.stem != REJECTED]
        return [proposal for proposal in proposals if isinstance(proposal, dict) and "proposed" in proposal]

    def proposal(self, key: str) -> dict[str, Any]:
        proposals = [proposal for proposal in self.list_proposals() if proposal["id"] == key]
        if not proposals:
            raise Refused(
                "unknown_review", f"no proposal '{key}' waits for review; see `headwater review list`"
            )
        return proposals[0]

    def accept(self, key: str, accepted_at: str) -> Path:
        """Write the proposal to its file, marked as verified by hand. The old file is kept as a version."""
        document = dict(self.proposal(key)["proposed"])
        document |= {
            "verificado": True,
            "verified_by": "manual",
            "verified_at": accepted_at,
            "fecha_verificacion": accepted_at[:10],
        }
        if problems := schema_problems(document):
            raise Refused(
                "not_valid",
                f"{key} is not valid: {problems[0]}; edit its file under tramites by hand",
            )
        path = self.layout.procedure(key)
        keep_version(self.layout, key, path)
        write_if_changed(path, stable_json(with_seal(document)))
        remove(self.layout.review(key))
        return path

    def reject(self, key: str) -> None:
        """Remove the proposal. It is not proposed again until the page changes."""
        rejected = {**self._rejected(), key: self.proposal(key)["proposed"]["content_hash"]}
        write_if_changed(self.layout.review(REJECTED), stable_json(rejected))
        remove(self.layout.review(key))

    def withdraw(self, key: str) -> None:
        remove(self.layout.review(key))

    def _rejected(self) -> dict[str, str]:
        return read_json(self.layout.review(REJECTED)) or {}

    def _was_rejected(self, key: str, content_hash: str) -> bool:
        return self._rejected().get(key) == content_hash


def difference(current: Any, proposed: Mapping[str, Any]) -> list[str]:
    """A line-by-line diff without bookkeeping fields."""
    before = _diff_lines(current) if isinstance(current, Mapping) else []
    return list(unified_diff(before, _diff_lines(proposed), "current", "proposed", lineterm="", n=1))


def _diff_lines(document: Mapping[str, Any]) -> list[str]:
    content = {name: value for name, value in document.items() if name not in IGNORED_FIELDS}
    return stable_json(content).decode().splitlines()


def keep_version(layout: KnowledgeBaseLayout, identity: str, path: Path, most: int = 2) -> None:
    """Copy the file to the versions, and keep only the last `most` of them."""
    if not path.is_file():
        return
    body = path.read_bytes()
    document = read_json(path)
    extracted_at = document.get("extracted_at") if isinstance(document, dict) else None
    version = "".join(character for character in str(extracted_at or "undated") if character.isalnum())
    write_if_changed(layout.version(identity, version), body)
    versions = sorted(layout.version(identity, "x").parent.glob("*.json"))
    for outdated in versions[:-most]:
        remove(outdated)
