from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """Exactly what came over the wire: the unit of provenance, where `replay` starts.

    The bytes lie in the archive, in `pack` from `start` on; this record says how they came and `sha256` what they
    must be. `policy` tells which rule allowed the request.
    """

    id: str
    lead: str
    url: str
    final_url: str
    status: int
    headers: Mapping[str, str]
    media_type: str
    sha256: str
    size: int
    fetched_at: datetime
    elapsed_ms: int = 0
    policy: Mapping[str, Any] = field(default_factory=dict)
    pack: str = ""
    start: int = 0
