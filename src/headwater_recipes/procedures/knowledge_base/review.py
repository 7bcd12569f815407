"""The review of procedures by people: proposals (changes to curated files, poor extractions, invalid documents), and generated
files that nobody has verified yet. A decision can be undone until its file changes again."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import Any

from headwater.model.errors import Refused
from headwater_recipes.procedures.knowledge_base.layout import (
    SEAL,
    KnowledgeBaseLayout,
    exclusive_lock,
    is_generated,
    read_json,
    remove,
    stable_json,
    with_seal,
    write_if_changed,
)
from headwater_recipes.procedures.schema import schema_problems

REJECTED = "rejected"
UNVERIFIED = "unverified"
IGNORED_FIELDS = frozenset({SEAL, "extracted_at", "content_hash", "word_count"})


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """What a person decides about. `current` is the file that a proposal would replace; a generated file that nobody has
    verified has none, and is itself what is `proposed`."""

    key: str
    url: str
    reasons: tuple[str, ...]
    current: Mapping[str, Any] | None
    proposed: Mapping[str, Any]
    is_proposal: bool


@dataclass(frozen=True, slots=True)
class ReviewDecision:
    """The last decision about a procedure, `accepted` or `rejected`, and what it was about."""

    verdict: str
    reason: str
    at: str
    item: ReviewItem


@dataclass(frozen=True, slots=True)
class ReviewQueue:
    """One file per proposal, and one for the last decision about each procedure."""

    layout: KnowledgeBaseLayout

    def propose(self, document: Mapping[str, Any], reasons: Sequence[str], current: Any) -> bool:
        """Add a proposal. Returns False if the same content was rejected before."""
        key = str(document["id"])
        if self.was_rejected(key, str(document["content_hash"])):
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

    def items(self) -> list[ReviewItem]:
        """Everything that waits for a person: proposals first, then unverified files, each by key."""
        proposals = [self._proposal_item(proposal) for proposal in self.list_proposals()]
        keys = {item.key for item in proposals}
        folder = self.layout.procedure("x").parent
        files = sorted(folder.glob("*.json")) if folder.is_dir() else []
        unverified = [
            _unverified_item(path.stem, document)
            for path in files
            if path.stem not in keys and is_generated(document := read_json(path))
        ]
        return proposals + unverified

    def item(self, key: str) -> ReviewItem:
        item = next((item for item in self.items() if item.key == key), None)
        if item is None:
            raise Refused("unknown_review", f"'{key}' does not wait for review; see `headwater review list`")
        return item

    def decisions(self) -> list[ReviewDecision]:
        """The last decision about each procedure, the newest first. `undo` takes one back."""
        folder = self.layout.decision("x").parent
        records = [read_json(path) for path in folder.glob("*.json")] if folder.is_dir() else []
        decisions = [_decision(record) for record in records if isinstance(record, Mapping)]
        return sorted(decisions, key=lambda decision: (decision.at, decision.item.key), reverse=True)

    def decision(self, key: str) -> ReviewDecision | None:
        record = read_json(self.layout.decision(key))
        return _decision(record) if isinstance(record, Mapping) else None

    def _proposal_item(self, proposal: Mapping[str, Any]) -> ReviewItem:
        key = str(proposal["id"])
        current = read_json(self.layout.procedure(key))
        return ReviewItem(
            key=key,
            url=str(proposal["url"]),
            reasons=tuple(proposal["reasons"]),
            current=current if isinstance(current, Mapping) else None,
            proposed=proposal["proposed"],
            is_proposal=True,
        )

    def accept(self, key: str, accepted_at: str) -> Path:
        """Write what is proposed to its file, marked as verified by hand. The old file is kept as a version."""
        with exclusive_lock(self.layout):
            document = dict(self.item(key).proposed) | {
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
            after = stable_json(with_seal(document)).decode()
            self._remember(key, "accepted", accepted_at, after=after)
            keep_version(self.layout, key, path)
            write_if_changed(path, after.encode())
            remove(self.layout.review(key))
        return path

    def reject(self, key: str, reason: str = "", rejected_at: str = "") -> None:
        """Remove the proposal, or the file that was generated. Neither comes back until the page changes."""
        with exclusive_lock(self.layout):
            item = self.item(key)
            self._remember(key, "rejected", rejected_at, reason=reason)
            entry = {
                "content_hash": item.proposed["content_hash"],
                "reason": reason,
                "rejected_at": rejected_at,
            }
            self._write_rejected({**self._rejected(), key: entry})
            if not item.is_proposal:
                keep_version(self.layout, key, self.layout.procedure(key))
                remove(self.layout.procedure(key))
            remove(self.layout.review(key))

    def undo(self, key: str) -> dict[str, Any]:
        """Take the last decision about a procedure back; returns it. Refused if its file has changed since."""
        with exclusive_lock(self.layout):
            decision = read_json(self.layout.decision(key))
            path = self.layout.procedure(key)
            if not isinstance(decision, dict):
                raise Refused("unknown_decision", f"there is no decision about '{key}' to undo")
            expected = decision["after"] if decision["decision"] == "accepted" else decision["before"]
            if decision["decision"] == "rejected" and decision["proposal"] is None:
                expected = None
            if _text(path) != expected:
                raise Refused("changed_since", f"the file of '{key}' has changed since: decide again")
            _restore(path, decision["before"])
            _restore(self.layout.review(key), decision["proposal"])
            self._write_rejected({name: entry for name, entry in self._rejected().items() if name != key})
            remove(self.layout.decision(key))
        return decision

    def _remember(
        self, key: str, decision: str, at: str, *, reason: str = "", after: str | None = None
    ) -> None:
        record = {
            "id": key,
            "decision": decision,
            "reason": reason,
            "at": at,
            "before": _text(self.layout.procedure(key)),
            "after": after,
            "proposal": _text(self.layout.review(key)),
        }
        write_if_changed(self.layout.decision(key), stable_json(record))

    def withdraw(self, key: str) -> None:
        remove(self.layout.review(key))

    def was_rejected(self, key: str, content_hash: str) -> bool:
        entry = self._rejected().get(key)
        return entry is not None and entry["content_hash"] == content_hash

    def _rejected(self) -> dict[str, dict[str, str]]:
        return read_json(self.layout.review(REJECTED)) or {}

    def _write_rejected(self, entries: Mapping[str, Any]) -> None:
        write_if_changed(self.layout.review(REJECTED), stable_json(dict(entries)))


def _unverified_item(key: str, document: Mapping[str, Any]) -> ReviewItem:
    return ReviewItem(
        key=key,
        url=str(document.get("source_url") or ""),
        reasons=(UNVERIFIED,),
        current=None,
        proposed=document,
        is_proposal=False,
    )


def _decision(record: Mapping[str, Any]) -> ReviewDecision:
    """A proposal was about the document that it proposes; a generated file without one was about itself."""
    proposal, before = _parsed(record["proposal"]), _parsed(record["before"])
    proposed = proposal.get("proposed") or before or _parsed(record["after"])
    item = ReviewItem(
        key=str(record["id"]),
        url=str(proposed.get("source_url") or ""),
        reasons=tuple(proposal.get("reasons") or (UNVERIFIED,)),
        current=(before or None) if proposal else None,
        proposed=proposed,
        is_proposal=bool(proposal),
    )
    return ReviewDecision(str(record["decision"]), str(record["reason"]), str(record["at"]), item)


def _parsed(text: str | None) -> dict[str, Any]:
    record = json.loads(text) if text else {}
    return record if isinstance(record, dict) else {}


def _text(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.is_file() else None


def _restore(path: Path, text: str | None) -> None:
    if text is None:
        remove(path)
    else:
        write_if_changed(path, text.encode())


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
