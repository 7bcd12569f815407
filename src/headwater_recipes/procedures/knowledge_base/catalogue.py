"""The three ledgers beside the procedures: what was found, what was fetched, what is there."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from headwater.fetch.responses import header_value
from headwater.model.http import Capture
from headwater.model.recipe import Provenance
from headwater.text.urls import SEED_P_RULES, canonical_url
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


def write_catalogues(layout: KnowledgeBaseLayout, provenance: Provenance) -> None:
    """Each a function of the rows and the files, so that writing them again changes nothing."""
    found = provenance.leads(RECIPE)
    kinds = {canonical_url(row["url"], SEED_P_RULES): row["kind"] for row in found}
    write_if_changed(layout.ledger("discovery_queue"), stable_json(discovery_queue(found)))
    write_if_changed(layout.ledger("fetch_log"), stable_json(fetch_log(provenance.fetched_captures(RECIPE))))
    write_if_changed(layout.ledger("ingestion_catalog"), stable_json(ingestion_catalogue(layout, kinds)))


def discovery_queue(found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
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
        for row in found
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
            "url": one.url,
            "final_url": one.final_url,
            "status": one.status,
            "media_type": one.media_type,
            "sha256": one.sha256,
            "size": one.size,
            "fetched_at": one.fetched_at.isoformat(),
            "elapsed_ms": one.elapsed_ms,
            "etag": header_value(one.headers, "etag") or None,
            "last_modified": header_value(one.headers, "last-modified") or None,
        }
        for one in captures
    ]
    return {"total": len(fetches), "fetches": fetches}


def ingestion_catalogue(layout: KnowledgeBaseLayout, kinds: Mapping[str, str]) -> dict[str, Any]:
    """Every file of the knowledge base, curated ones as well."""
    folder = layout.procedure("x").parent
    files = sorted(folder.glob("*.json")) if folder.is_dir() else []
    documents = [
        _entry(path.stem, told, kinds) for path in files if isinstance(told := read_json(path), Mapping)
    ]
    moments = [one["extracted_at"] for one in documents if one["extracted_at"]]
    return {
        "last_updated": max(moments, default=None),
        "total_documents": len(documents),
        "documents": documents,
    }


def _entry(stem: str, told: Mapping[str, Any], kinds: Mapping[str, str]) -> dict[str, Any]:
    url = str(told.get("source_url") or told.get("fuente_url") or "")
    owner = packaged_registry().owner(url) if url else None
    ours = is_generated(told)
    return {
        "tramite_id": stem,
        "source_url": url,
        "source_domain": domain_of(url),
        "source_type": told.get("source_type") or (owner.jurisdiction if owner else None),
        "extracted_at": told.get("extracted_at"),
        "last_verified_at": told.get("verified_at")
        or told.get("fecha_verificacion")
        or told.get("extracted_at"),
        "content_hash": told.get("content_hash"),
        "word_count": told.get("word_count"),
        "section_count": sum(told.get(name) not in (None, "", [], {}) for name in SECTIONS),
        "completeness_score": told.get("completeness_score"),
        "verification_status": "auto" if ours else "manual",
        "ingestion_method": kinds.get(canonical_url(url, SEED_P_RULES), "crawl")
        if told.get("headwater_seal")
        else "seed",
    }


FAILURES = ("fetch_failed", "extraction_failed", "normalization_failed", "unexpected_language")


def run_metrics(
    found: Sequence[Mapping[str, Any]], fetched: int, catalogue: Mapping[str, Any], waiting: int
) -> dict[str, Any]:
    """discovered, fetched, extracted, normalised, stored; the histogram of completeness; errors by category."""
    states = Counter(status_of(row) for row in found)
    reached = [row for row in found if row["document_state"] in {"kept", "dropped", "duplicate", "aside"}]
    unread = states["extraction_failed"]
    scores = [
        one["completeness_score"] for one in catalogue["documents"] if one["completeness_score"] is not None
    ]
    good = sum(score >= TARGET_SCORE for score in scores)
    return {
        "discovered": len(found),
        "fetched": fetched,
        "extracted": len(reached) - unread,
        "normalised": states["stored"],
        "stored": catalogue["total_documents"],
        "waiting_for_review": waiting,
        "completeness": {
            "histogram": histogram(scores),
            "average": round(sum(scores) / len(scores), 3) if scores else None,
            "share_of_target": round(good / len(scores), 3) if scores else None,
        },
        "skipped": states["skipped"],
        "duplicates": states["duplicate"],
        "errors": {name: states[name] for name in FAILURES if states[name]},
    }
