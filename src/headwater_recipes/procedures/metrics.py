"""What a run came to: how far documents got, how complete they are, and what went wrong, by kind."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from headwater_recipes.procedures.completeness import TARGET, histogram
from headwater_recipes.procedures.files.ledgers import status_of

FAILURES = ("fetch_failed", "extraction_failed", "normalization_failed", "unexpected_language")


def metrics(
    found: Sequence[Mapping[str, Any]], fetched: int, catalogue: Mapping[str, Any], waiting: int
) -> dict[str, Any]:
    """discovered, fetched, extracted, normalised, stored; the histogram of completeness; errors by category."""
    states = Counter(status_of(row) for row in found)
    reached = [row for row in found if row["document_state"] in {"kept", "dropped", "duplicate", "aside"}]
    unread = states["extraction_failed"]
    scores = [
        one["completeness_score"] for one in catalogue["documents"] if one["completeness_score"] is not None
    ]
    good = sum(score >= TARGET for score in scores)
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
