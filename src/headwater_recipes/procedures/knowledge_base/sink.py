"""The sink of the knowledge base: one file per procedure, and beside it where it came from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headwater.model.document import Document
from headwater.model.http import Capture
from headwater.model.outcomes import Drop, Sent
from headwater.model.recipe import Envelope, Provenance
from headwater_recipes.procedures.identity import disambiguated_id
from headwater_recipes.procedures.knowledge_base.catalogue import write_catalogues
from headwater_recipes.procedures.knowledge_base.evidence import extracted_record, keep_raw
from headwater_recipes.procedures.knowledge_base.layout import (
    SEAL,
    KnowledgeBaseLayout,
    exclusive_lock,
    is_generated,
    read_json,
    remove,
    stable_json,
    url_hash,
    with_seal,
    write_if_changed,
)
from headwater_recipes.procedures.knowledge_base.review import ReviewQueue, keep_version
from headwater_recipes.procedures.steps import PROCEDURES, REVIEW

COMPLETENESS_LOSS = (
    0.15  # of completeness: a page that says so much less than before is looked at by a person
)


@dataclass(frozen=True)
class ProcedureFiles:
    """Writing a procedure again gives the same bytes, and the same bytes are not written. A file that a person wrote,
    edited or verified is never changed: what its page says now waits for review."""

    folder: Path
    provenance: Provenance

    def send(self, envelopes: Sequence[Envelope]) -> Sequence[Sent | Drop]:
        layout = KnowledgeBaseLayout(self.folder)
        records = [envelope.record for envelope in envelopes if isinstance(envelope.record, Document)]
        captures = self.provenance.captures([one.capture for one in records if one.capture])
        with exclusive_lock(layout):
            sent = [self._send(layout, envelope.record, captures) for envelope in envelopes]
            if any(isinstance(one, Sent) and not one.receipt.startswith("unchanged") for one in sent):
                write_catalogues(layout, self.provenance)
        return sent

    def _send(
        self, layout: KnowledgeBaseLayout, record: Any, captures: Mapping[str, tuple[Capture, bytes]]
    ) -> Sent | Drop:
        if not isinstance(record, Document) or not record.attributes.get(PROCEDURES):
            return Drop("not_a_procedure")
        capture, body = captures.get(record.capture or "", (None, b""))
        if capture is not None:
            keep_raw(layout, capture, body)
        moment = capture.fetched_at.isoformat() if capture else "1970-01-01T00:00:00+00:00"
        receipts = [
            store_procedure(layout, record, told, moment, record.attributes.get(REVIEW) or ())
            for told in record.attributes[PROCEDURES]
        ]
        archive_renamed(layout, {receipt.partition(" ")[2] for receipt in receipts})
        return Sent("; ".join(receipts))


def store_procedure(
    layout: KnowledgeBaseLayout,
    record: Document,
    told: Mapping[str, Any],
    moment: str,
    reasons: Sequence[str],
) -> str:
    """What became of one procedure: "stored ID", "unchanged ID", "review ID" or "rejected ID"."""
    document = {**told["document"], "extracted_at": moment}
    identity = _free_name(layout, document)
    document |= {"id": identity, "tramite": identity}
    path, queue = layout.procedure(identity), ReviewQueue(layout)
    current = read_json(path)
    write_if_changed(layout.extracted(identity), stable_json(extracted_record(record, told, moment)))
    why = [*reasons, *_against(path, current, document)]
    if why:
        if _same(current, document):
            return f"unchanged {identity}"
        return f"{'review' if queue.propose(document, why, current) else 'rejected'} {identity}"
    queue.withdraw(identity)
    if is_generated(current) and _says_the_same(current, document):
        return f"unchanged {identity}"
    keep_version(layout, identity, path)
    write_if_changed(path, stable_json(with_seal(document)))
    return f"stored {identity}"


def _against(path: Path, current: Any, document: Mapping[str, Any]) -> list[str]:
    """Why the file that is there is not simply replaced."""
    if not path.exists():
        return []
    if not is_generated(current):
        return ["curated"]
    if document["completeness_score"] <= current.get("completeness_score", 0) - COMPLETENESS_LOSS:
        return [f"lost:{current['completeness_score']}->{document['completeness_score']}"]
    return []


def _same(current: Any, document: Mapping[str, Any]) -> bool:
    return isinstance(current, Mapping) and current.get("content_hash") == document["content_hash"]


def _says_the_same(current: Mapping[str, Any], document: Mapping[str, Any]) -> bool:
    """Whether nothing but the moment of extraction differs: a page whose bytes change with every look, and whose text
    does not."""
    passing = {"extracted_at", SEAL}
    return {name: value for name, value in current.items() if name not in passing} == {
        name: value for name, value in document.items() if name not in passing
    }


def _free_name(layout: KnowledgeBaseLayout, document: Mapping[str, Any]) -> str:
    """Its name, or one with a mark of the address where another page's procedure has that name already."""
    identity = str(document["id"])
    current = read_json(layout.procedure(identity))
    if (
        isinstance(current, Mapping)
        and is_generated(current)
        and current.get("source_url") != document["source_url"]
    ):
        return disambiguated_id(identity, url_hash(str(document["source_url"]))[:6])
    return identity


def archive_renamed(layout: KnowledgeBaseLayout, present: set[str]) -> None:
    """Files of the same page under names that it no longer gives: ours go among the versions."""
    folder = layout.procedure("x").parent
    urls = {
        told.get("source_url")
        for name in present
        if isinstance(told := read_json(layout.procedure(name)), Mapping)
    }
    for path in folder.glob("*.json") if folder.is_dir() else ():
        if path.stem in present:
            continue
        told = read_json(path)
        if isinstance(told, Mapping) and told.get("source_url") in urls and is_generated(told):
            keep_version(layout, path.stem, path)
            remove(path)


def close_run(folder: Path, provenance: Provenance) -> None:
    """After a run: the ledgers, also when nothing was delivered."""
    layout = KnowledgeBaseLayout(folder)
    with exclusive_lock(layout):
        write_catalogues(layout, provenance)
