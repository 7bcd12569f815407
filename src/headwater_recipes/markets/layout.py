"""Names of queues, buckets and objects under a namespace.

Raw payloads are named by source kind, company, day and run; normalised texts by source kind, company and document.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from headwater.model.recipe import CapturedPayload, ObjectLayout, ParsedDocument

NEUTRAL = "app"
# source kind: (neutral name, plain name)
BUCKETS = {
    "market_api": ("raw-data", "raw-market"),
    "news_api": ("raw-content", "raw-news"),
    "macro_news": ("raw-content", "raw-news"),
    "filings_api": ("raw-filings", "raw-filings"),
    "web_scrape": ("raw-pages", "raw-pages"),
    "broker": ("raw-execution", "raw-broker"),
}
NO_LABEL = "_global"
UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class ResourceNames:
    """Names of queues and buckets. The namespace `app` uses neutral names; every other one names what a bucket holds."""

    namespace: str = NEUTRAL

    @property
    def neutral(self) -> bool:
        return self.namespace == NEUTRAL

    def queue(self, name: str) -> str:
        return f"{self.namespace}:queue:{name}"

    def bucket(self, source_type: str) -> str:
        """The bucket for raw payloads of a source kind. Unknown kinds share one."""
        neutral, plain = BUCKETS.get(source_type, ("raw-other", "raw-other"))
        return f"{self.namespace}-{neutral if self.neutral else plain}"

    @property
    def normalised(self) -> str:
        return f"{self.namespace}-normalized"

    def source_type(self, kind: str) -> str:
        return "execution_api" if kind == "broker" and self.neutral else kind


def object_layout(names: ResourceNames) -> ObjectLayout:
    def raw(payload: CapturedPayload) -> str:
        name = "raw.json" if payload.page == 1 else f"raw-{payload.page}.json"
        return (
            f"{names.bucket(payload.kind)}/{names.source_type(payload.kind)}/{_label(payload.options)}/"
            f"{payload.at:%Y/%m/%d}/{payload.poll_id}/{name}"
        )

    def part(document: ParsedDocument, name: str) -> str:
        folder = f"{names.normalised}/{names.source_type(document.kind)}/{_label(document.attributes)}"
        return f"{folder}/{document.id}/{name}"

    return ObjectLayout(raw=raw, part=part)


def _label(fields: Mapping[str, Any]) -> str:
    """The ticker, which may contain a dot or a slash; a path must not."""
    ticker = fields.get("ticker")
    return UNSAFE.sub("-", ticker) if ticker else NO_LABEL
