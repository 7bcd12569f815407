"""The status of a source in a word, for the command line and the web pages."""

from collections.abc import Mapping
from typing import Any

from headwater.store.changes.source_list import REMOVED, UNLISTED


def source_status(source: Mapping[str, Any]) -> str:
    """ "ok", "new", "failing x3", "stopped", "paused", "no key", "unlisted", "removed" or "gone"."""
    if source["origin"] in {UNLISTED, REMOVED}:
        return str(source["origin"])
    if source["stop_reason"]:
        return "stopped"
    if not source["active"]:
        return "gone" if source["reason"] == "gone" else "paused"
    if source["failures"]:
        return f"failing x{source['failures']}"
    if source["reason"] == "key_missing":
        return "no key"
    return "ok" if source["last_polled_at"] else "new"
