"""The three ledgers beside the procedures: what was found, what was fetched, what is there."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from headwater.model.capture import Capture
from headwater.model.recipe import Provenance
from headwater.pure.responses import header
from headwater.pure.urls import SEED_P, canonical
from headwater_recipes.procedures.files.layout import Layout, as_json, domain_of, read_json, write
from headwater_recipes.procedures.files.seal import is_ours
from headwater_recipes.procedures.registry.registry import packaged

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


def write_ledgers(layout: Layout, provenance: Provenance) -> None:
    """Each a function of the rows and the files, so that writing them again changes nothing."""
    found = provenance.found(RECIPE)
    kinds = {canonical(row["url"], SEED_P): row["kind"] for row in found}
    write(layout.ledger("discovery_queue"), as_json(discovery_queue(found)))
    write(layout.ledger("fetch_log"), as_json(fetch_log(provenance.fetched(RECIPE))))
    write(layout.ledger("ingestion_catalog"), as_json(catalogue(layout, kinds)))


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
            "etag": header(one.headers, "etag") or None,
            "last_modified": header(one.headers, "last-modified") or None,
        }
        for one in captures
    ]
    return {"total": len(fetches), "fetches": fetches}


def catalogue(layout: Layout, kinds: Mapping[str, str]) -> dict[str, Any]:
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
    owner = packaged().owner(url) if url else None
    ours = is_ours(told)
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
        "ingestion_method": kinds.get(canonical(url, SEED_P), "crawl")
        if told.get("headwater_seal")
        else "seed",
    }
