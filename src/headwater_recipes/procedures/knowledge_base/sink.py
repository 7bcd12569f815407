"""The sink of the knowledge base: one file per procedure, with the evidence it came from."""

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

# A page that loses so much completeness needs a review.
COMPLETENESS_LOSS = 0.15


@dataclass(frozen=True)
class ProcedureFiles:
    """A repeated delivery writes nothing. A file that a person wrote, edited or verified is never changed: the new content
    waits for review."""

    folder: Path
    provenance: Provenance

    def send(self, envelopes: Sequence[Envelope]) -> Sequence[Sent | Drop]:
        layout = KnowledgeBaseLayout(self.folder)
        records = [envelope.record for envelope in envelopes if isinstance(envelope.record, Document)]
        captures = self.provenance.captures([record.capture for record in records if record.capture])
        with exclusive_lock(layout):
            outcomes = [self._send(layout, envelope.record, captures) for envelope in envelopes]
            if any(
                isinstance(outcome, Sent) and not outcome.receipt.startswith("unchanged")
                for outcome in outcomes
            ):
                write_catalogues(layout, self.provenance)
        return outcomes

    def _send(
        self, layout: KnowledgeBaseLayout, record: Any, captures: Mapping[str, tuple[Capture, bytes]]
    ) -> Sent | Drop:
        if not isinstance(record, Document) or not record.attributes.get(PROCEDURES):
            return Drop("not_a_procedure")
        capture, body = captures.get(record.capture or "", (None, b""))
        if capture is not None:
            keep_raw(layout, capture, body)
        extracted_at = capture.fetched_at.isoformat() if capture else "1970-01-01T00:00:00+00:00"
        receipts = [
            store_procedure(layout, record, procedure, extracted_at, record.attributes.get(REVIEW) or ())
            for procedure in record.attributes[PROCEDURES]
        ]
        present = {receipt.partition(" ")[2] for receipt in receipts}
        archive_renamed(layout, present)
        urls = {procedure["document"]["source_url"] for procedure in record.attributes[PROCEDURES]}
        withdraw_renamed(layout, present, urls)
        return Sent("; ".join(receipts))


def store_procedure(
    layout: KnowledgeBaseLayout,
    record: Document,
    procedure: Mapping[str, Any],
    extracted_at: str,
    reasons: Sequence[str],
) -> str:
    """Store one procedure. Returns "stored ID", "unchanged ID", "review ID" or "rejected ID"."""
    document = {**procedure["document"], "extracted_at": extracted_at}
    identity = _free_id(layout, document)
    document |= {"id": identity, "tramite": identity}
    path, queue = layout.procedure(identity), ReviewQueue(layout)
    current = read_json(path)
    write_if_changed(
        layout.extraction_path(identity), stable_json(extracted_record(record, procedure, extracted_at))
    )
    review_reasons = [*reasons, *_replacement_objections(path, current, document)]
    if review_reasons:
        if _has_same_content(current, document):
            return f"unchanged {identity}"
        return f"{'review' if queue.propose(document, review_reasons, current) else 'rejected'} {identity}"
    if queue.was_rejected(identity, str(document["content_hash"])):
        return f"rejected {identity}"
    queue.withdraw(identity)
    if is_generated(current) and _has_same_fields(current, document):
        return f"unchanged {identity}"
    keep_version(layout, identity, path)
    write_if_changed(path, stable_json(with_seal(document)))
    return f"stored {identity}"


def _replacement_objections(path: Path, current: Any, document: Mapping[str, Any]) -> list[str]:
    """Why the existing file must not be replaced without a review."""
    if not path.exists():
        return []
    if not is_generated(current):
        return ["curated"]
    if document["completeness_score"] <= current.get("completeness_score", 0) - COMPLETENESS_LOSS:
        return [f"lost:{current['completeness_score']}->{document['completeness_score']}"]
    return []


def _has_same_content(current: Any, document: Mapping[str, Any]) -> bool:
    return isinstance(current, Mapping) and current.get("content_hash") == document["content_hash"]


def _has_same_fields(current: Mapping[str, Any], document: Mapping[str, Any]) -> bool:
    """Whether only the time of extraction differs: some pages change their bytes with every fetch, but not their text."""
    ignored = {"extracted_at", SEAL}
    return {name: value for name, value in current.items() if name not in ignored} == {
        name: value for name, value in document.items() if name not in ignored
    }


def _free_id(layout: KnowledgeBaseLayout, document: Mapping[str, Any]) -> str:
    """The id of the document, with a hash of the address where the procedure of another page has the same id."""
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
    """Move generated files of the same pages under other ids to the versions."""
    folder = layout.procedure("x").parent
    urls = {
        document.get("source_url")
        for name in present
        if isinstance(document := read_json(layout.procedure(name)), Mapping)
    }
    for path in folder.glob("*.json") if folder.is_dir() else ():
        if path.stem in present:
            continue
        document = read_json(path)
        if isinstance(document, Mapping) and document.get("source_url") in urls and is_generated(document):
            keep_version(layout, path.stem, path)
            remove(path)


def withdraw_renamed(layout: KnowledgeBaseLayout, present: set[str], urls: set[str]) -> None:
    """Withdraw proposals of the same pages under other ids, unless they would change a file that a person wrote."""
    queue = ReviewQueue(layout)
    for proposal in queue.list_proposals():
        key = str(proposal["id"])
        path = layout.procedure(key)
        by_hand = path.exists() and not is_generated(read_json(path))
        if key not in present and proposal["url"] in urls and not by_hand:
            queue.withdraw(key)


def close_run(folder: Path, provenance: Provenance) -> None:
    """After a run: write the catalogues, even if nothing was delivered."""
    layout = KnowledgeBaseLayout(folder)
    with exclusive_lock(layout):
        write_catalogues(layout, provenance)
