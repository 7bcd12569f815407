"""The three catalogues of the knowledge base (discovered, fetched, stored), and the metrics of a run."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from headwater.fetch.responses import header_value
from headwater.model.http import Capture
from headwater.model.recipe import Provenance
from headwater.text.urls import canonical_url
from headwater_recipes.procedures.knowledge_base.layout import (
    KnowledgeBaseLayout,
    domain_of,
    is_generated,
    read_json,
    stable_json,
    write_if_changed,
)
from headwater_recipes.procedures.registry.portals import packaged_registry
from headwater_recipes.procedures.scores import TARGET_SCORE, histogram
from headwater_recipes.procedures.url_rules import PROCEDURE_URL_RULES

RECIPE = "procedures"
SECTIONS = (
    "descripcion", "requisitos", "documentos_necesarios", "plazos", "tasas", "cuantias", "base_legal", "como_solicitar",
    "donde_solicitar", "datos_importantes",
)  # fmt: skip
DATED = re.compile(r"\d{4}-\d{2}")
STATES = {
    "http": "fetch_failed",
    "low_quality": "extraction_failed",
    "too_few_words": "extraction_failed",
    "no_text": "extraction_failed",
    "requires_ocr": "extraction_failed",
    "language_not_allowed": "unexpected_language",
}
FAILURES = ("fetch_failed", "extraction_failed", "normalization_failed", "unexpected_language")


def write_catalogues(layout: KnowledgeBaseLayout, provenance: Provenance) -> None:
    """Write all catalogues. They depend only on rows and files, so writing them again changes nothing."""
    leads = provenance.leads(RECIPE)
    kinds = {canonical_url(row["url"], PROCEDURE_URL_RULES): row["kind"] for row in leads}
    write_if_changed(layout.catalogue("discovery_queue"), stable_json(discovery_queue(leads)))
    write_if_changed(
        layout.catalogue("fetch_log"), stable_json(fetch_log(provenance.fetched_captures(RECIPE)))
    )
    write_if_changed(layout.catalogue("ingestion_catalog"), stable_json(ingestion_catalogue(layout, kinds)))


def discovery_queue(leads: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    urls = [
        {
            "url": row["url"],
            "source": row["source"],
            "method": row["kind"],
            "lastmod": row["version"] if DATED.match(row["version"] or "") else None,
            "discovered_at": row["first_seen_at"].isoformat(),
            "status": status_of(row),
            "reason": row["document_reason"] or row["reason"],
        }
        for row in leads
    ]
    return {"total": len(urls), "urls": urls}


def status_of(row: Mapping[str, Any]) -> str:
    """queued, fetch_failed, extraction_failed, unexpected_language, duplicate, skipped or stored."""
    document, lead = row["document_state"], row["state"]
    reason = str(row["document_reason"] or "")
    if document == "kept":
        return "stored"
    if document == "duplicate" or lead == "duplicate":
        return "duplicate"
    if document in {"aside", "quarantined"}:
        return STATES.get(reason, "normalization_failed")
    if document == "dropped":
        return "skipped"
    return "fetch_failed" if lead in {"quarantined", "dropped"} else "queued"


def fetch_log(captures: Sequence[Capture]) -> dict[str, Any]:
    fetches = [
        {
            "url": capture.url,
            "final_url": capture.final_url,
            "status": capture.status,
            "media_type": capture.media_type,
            "sha256": capture.sha256,
            "size": capture.size,
            "fetched_at": capture.fetched_at.isoformat(),
            "elapsed_ms": capture.elapsed_ms,
            "etag": header_value(capture.headers, "etag") or None,
            "last_modified": header_value(capture.headers, "last-modified") or None,
        }
        for capture in captures
    ]
    return {"total": len(fetches), "fetches": fetches}


def ingestion_catalogue(layout: KnowledgeBaseLayout, kinds: Mapping[str, str]) -> dict[str, Any]:
    """Every file of the knowledge base, curated ones included."""
    folder = layout.procedure("x").parent
    files = sorted(folder.glob("*.json")) if folder.is_dir() else []
    documents = [
        _entry(path.stem, document, kinds)
        for path in files
        if isinstance(document := read_json(path), Mapping)
    ]
    times = [entry["extracted_at"] for entry in documents if entry["extracted_at"]]
    return {
        "last_updated": max(times, default=None),
        "total_documents": len(documents),
        "documents": documents,
    }


def _entry(stem: str, document: Mapping[str, Any], kinds: Mapping[str, str]) -> dict[str, Any]:
    url = str(document.get("source_url") or document.get("fuente_url") or "")
    owner = packaged_registry().owner(url) if url else None
    generated = is_generated(document)
    return {
        "tramite_id": stem,
        "source_url": url,
        "source_domain": domain_of(url),
        "source_type": document.get("source_type") or (owner.jurisdiction if owner else None),
        "extracted_at": document.get("extracted_at"),
        "last_verified_at": document.get("verified_at")
        or document.get("fecha_verificacion")
        or document.get("extracted_at"),
        "content_hash": document.get("content_hash"),
        "word_count": document.get("word_count"),
        "section_count": sum(document.get(name) not in (None, "", [], {}) for name in SECTIONS),
        "completeness_score": document.get("completeness_score"),
        "verification_status": "auto" if generated else "manual",
        "ingestion_method": kinds.get(canonical_url(url, PROCEDURE_URL_RULES), "crawl")
        if document.get("headwater_seal")
        else "seed",
    }


def run_metrics(
    leads: Sequence[Mapping[str, Any]], fetched: int, catalogue: Mapping[str, Any], waiting: int
) -> dict[str, Any]:
    """Counts by stage (discovered, fetched, extracted, normalised, stored), completeness, and errors by category."""
    states = Counter(status_of(row) for row in leads)
    processed = [row for row in leads if row["document_state"] in {"kept", "dropped", "duplicate", "aside"}]
    failed = states["extraction_failed"]
    scores = [
        entry["completeness_score"]
        for entry in catalogue["documents"]
        if entry["completeness_score"] is not None
    ]
    complete = sum(score >= TARGET_SCORE for score in scores)
    return {
        "discovered": len(leads),
        "fetched": fetched,
        "extracted": len(processed) - failed,
        "normalised": states["stored"],
        "stored": catalogue["total_documents"],
        "waiting_for_review": waiting,
        "completeness": {
            "histogram": histogram(scores),
            "average": round(sum(scores) / len(scores), 3) if scores else None,
            "share_of_target": round(complete / len(scores), 3) if scores else None,
        },
        "skipped": states["skipped"],
        "duplicates": states["duplicate"],
        "errors": {name: states[name] for name in FAILURES if states[name]},
    }
