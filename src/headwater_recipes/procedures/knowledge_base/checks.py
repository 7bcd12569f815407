"""Checks of the knowledge base: which files have drifted from their pages, and which are invalid."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from headwater.text.dates import parse_iso_date
from headwater.text.urls import canonical_url
from headwater_recipes.procedures.citation_policy import judge_citation
from headwater_recipes.procedures.knowledge_base.layout import SEAL
from headwater_recipes.procedures.registry.portals import packaged_registry
from headwater_recipes.procedures.retrieval.files import load_documents, unfindable_documents
from headwater_recipes.procedures.schema import schema_problems
from headwater_recipes.procedures.url_rules import PROCEDURE_URL_RULES

DRIFT_AFTER = timedelta(days=90)
STALE_FROM = 0.5


def drift_of(
    last_verified: datetime | None, now: datetime, *, changed: bool = False, missing: bool = False
) -> tuple[str, float]:
    """(status, score): missing (the page is gone), drifted (the page changed, or was not checked for 90 days), stale (not
    checked for 45 days), current. The score is days since the last check over 90."""
    if missing or last_verified is None:
        return "missing", 1.0
    score = round(max(timedelta(0), now - last_verified) / DRIFT_AFTER, 3)
    if changed or score > 1:
        return "drifted", score
    return ("stale" if score > STALE_FROM else "current"), score


def drift_report(folder: Path, leads: Sequence[Mapping[str, Any]], now: datetime) -> list[dict[str, Any]]:
    """The drift of every file. `leads` say when each page was last fetched."""
    pages = {canonical_url(row["url"], PROCEDURE_URL_RULES): row for row in leads}
    rows = []
    for stem, document in load_documents(folder):
        url = str(document.get("source_url") or document.get("fuente_url") or "")
        page = pages.get(canonical_url(url, PROCEDURE_URL_RULES))
        verified = parse_iso_date(
            str(
                document.get("verified_at")
                or document.get("fecha_verificacion")
                or document.get("extracted_at")
            )
        )
        fetched = page.get("updated_at") if page else None
        last = max((time for time in (verified, fetched) if time is not None), default=None)
        missing = page is not None and page["state"] in {"quarantined", "dropped"}
        changed = page is not None and page["document_state"] in {"aside", "quarantined"}
        status, score = drift_of(last, now, changed=changed, missing=missing)
        rows.append(
            {
                "id": stem,
                "status": status,
                "score": score,
                "last_verified_at": last.isoformat() if last else None,
            }
        )
    return rows


def check_knowledge_base(folder: Path) -> dict[str, Any]:
    """The problems of every file. Curated files follow an older form, so only what the assistant needs is checked."""
    problems: list[dict[str, str]] = []
    documents = list(load_documents(folder)) if folder.is_dir() else []
    for stem, document in documents:
        messages = (
            schema_problems(document)
            if SEAL in document
            else [f"{name} is missing" for name in ("keywords", "nombre") if not document.get(name)]
        )
        if document.get("tramite", stem) != stem:
            messages.append(f"the file is named {stem}, but its field tramite is {document['tramite']}")
        url = str(document.get("fuente_url") or "")
        if url and not (verdict := judge_citation(url, packaged_registry())).allowed:
            messages.append(f"its address may not be cited: {verdict.rule}")
        problems += [{"file": f"{stem}.json", "problem": message} for message in messages]
    problems += [
        {"file": f"{stem}.json", "problem": f"a search for its name finds {other} instead"}
        for stem, other in unfindable_documents(folder)
    ]
    return {"files": len(documents), "problems": problems}
