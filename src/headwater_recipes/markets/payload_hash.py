"""A hash of an API answer that does not change when only volatile fields differ."""

import hashlib
import json
from collections.abc import Collection, Mapping
from typing import Any

VOLATILE = frozenset(
    {"request_id", "requestid", "took", "timestamp", "generated_at", "trace_id", "elapsed", "served_at"}
)
"""Keys that differ on every call and say nothing about the content."""


def payload_hash(payload: Any, volatile: Collection[str] = VOLATILE) -> str:
    """SHA-256 of a decoded answer in canonical form: sorted keys, volatile ones left out at any depth."""
    content = _without_volatile(payload, volatile)
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _without_volatile(value: Any, volatile: Collection[str]) -> Any:
    if isinstance(value, Mapping):
        return {
            str(key): _without_volatile(inner, volatile)
            for key, inner in value.items()
            if str(key).lower() not in volatile
        }
    if isinstance(value, list | tuple):
        return [_without_volatile(inner, volatile) for inner in value]
    return value
