"""How each file stands against its page: when that was last seen, and what became of it."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from headwater.pure.urls import SEED_P, canonical
from headwater_recipes.procedures.governance.drift import drift
from headwater_recipes.procedures.search import load


def standing(folder: Path, found: Sequence[Mapping[str, Any]], now: datetime) -> list[dict[str, Any]]:
    """`found` are the leads with when they were last looked at."""
    pages = {canonical(row["url"], SEED_P): row for row in found}
    rows = []
    for stem, told in load(folder):
        url = str(told.get("source_url") or told.get("fuente_url") or "")
        page = pages.get(canonical(url, SEED_P))
        seen = _moment(told.get("verified_at") or told.get("fecha_verificacion") or told.get("extracted_at"))
        looked = page.get("updated_at") if page else None
        last = max((one for one in (seen, looked) if one is not None), default=None)
        gone = page is not None and page["state"] in {"quarantined", "dropped"}
        changed = page is not None and page["document_state"] in {"aside", "quarantined"}
        status, score = drift(last, now, changed=changed, missing=gone)
        rows.append(
            {
                "id": stem,
                "status": status,
                "score": score,
                "last_verified_at": last.isoformat() if last else None,
            }
        )
    return rows


def _moment(text: Any) -> datetime | None:
    try:
        found = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
