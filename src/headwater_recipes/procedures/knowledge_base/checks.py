"""Whether a file is still true: how long ago its page was last seen unchanged, and whether it is there at all."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from headwater.text.dates import parse_iso_date
from headwater.text.urls import SEED_P_RULES, canonical_url
from headwater_recipes.procedures.citation_policy import judge_citation
from headwater_recipes.procedures.knowledge_base.layout import SEAL
from headwater_recipes.procedures.registry.portals import packaged_registry
from headwater_recipes.procedures.retrieval.files import load_documents, unfindable_documents
from headwater_recipes.procedures.schema import schema_problems

DRIFT_AFTER = timedelta(days=90)
STALE_FROM = 0.5


def drift_of(
    last_verified: datetime | None, now: datetime, *, changed: bool = False, missing: bool = False
) -> tuple[str, float]:
    """(status, score): missing (the page is gone), drifted (its page changed, or nobody looked for 90 days), stale
    (nobody looked for half of that), current. The score is days without a look over 90."""
    if missing or last_verified is None:
        return "missing", 1.0
    score = round(max(timedelta(0), now - last_verified) / DRIFT_AFTER, 3)
    if changed or score > 1:
        return "drifted", score
    return ("stale" if score > STALE_FROM else "current"), score


def drift_report(folder: Path, found: Sequence[Mapping[str, Any]], now: datetime) -> list[dict[str, Any]]:
    """`found` are the leads with when they were last looked at."""
    pages = {canonical_url(row["url"], SEED_P_RULES): row for row in found}
    rows = []
    for stem, told in load_documents(folder):
        url = str(told.get("source_url") or told.get("fuente_url") or "")
        page = pages.get(canonical_url(url, SEED_P_RULES))
        seen = parse_iso_date(
            str(told.get("verified_at") or told.get("fecha_verificacion") or told.get("extracted_at"))
        )
        looked = page.get("updated_at") if page else None
        last = max((one for one in (seen, looked) if one is not None), default=None)
        gone = page is not None and page["state"] in {"quarantined", "dropped"}
        changed = page is not None and page["document_state"] in {"aside", "quarantined"}
        status, score = drift_of(last, now, changed=changed, missing=gone)
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
    """Every file's problems. Files that people wrote follow an older form: those are only asked for what the reader
    needs."""
    found = []
    documents = list(load_documents(folder)) if folder.is_dir() else []
    for stem, told in documents:
        complaints = (
            schema_problems(told)
            if SEAL in told
            else [f"{name} is missing" for name in ("keywords", "nombre") if not told.get(name)]
        )
        if told.get("tramite", stem) != stem:
            complaints.append(f"its name says {stem}, its field tramite {told['tramite']}")
        url = str(told.get("fuente_url") or "")
        if url and not (verdict := judge_citation(url, packaged_registry())).allowed:
            complaints.append(f"its address may not be cited: {verdict.rule}")
        found += [{"file": f"{stem}.json", "problem": one} for one in complaints]
    found += [
        {"file": f"{stem}.json", "problem": f"its own name finds {other} instead"}
        for stem, other in unfindable_documents(folder)
    ]
    return {"files": len(documents), "problems": found}
