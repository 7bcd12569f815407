"""The words of two houses for the same things, chosen by one setting: the namespace."""

import re
from dataclasses import dataclass

from headwater.model.recipe import CapturedPayload, ObjectLayout

NEUTRAL = "app"


@dataclass(frozen=True, slots=True)
class ResourceNames:
    """Names of queues and buckets under a namespace. `app` speaks the neutral dialect; every other one says plainly
    what is in a bucket."""

    namespace: str = NEUTRAL

    @property
    def neutral(self) -> bool:
        return self.namespace == NEUTRAL

    def queue(self, name: str) -> str:
        return f"{self.namespace}:queue:{name}"

    def bucket(self, source_type: str) -> str:
        """Where raw payloads of a kind of source lie. Kinds that the two houses name no place for have one of their
        own."""
        neutral, plain = BUCKETS.get(source_type, ("raw-other", "raw-other"))
        return f"{self.namespace}-{neutral if self.neutral else plain}"

    @property
    def normalised(self) -> str:
        return f"{self.namespace}-normalized"

    def source_type(self, kind: str) -> str:
        return "execution_api" if kind == "broker" and self.neutral else kind

    @property
    def decisions(self) -> str:
        return "execution_decisions" if self.neutral else "trading_decisions"


# source type: (neutral, plain)
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


def object_layout(words: ResourceNames) -> ObjectLayout:
    def raw(payload: CapturedPayload) -> str:
        name = "raw.json" if payload.page == 1 else f"raw-{payload.page}.json"
        return (
            f"{words.bucket(payload.kind)}/{words.source_type(payload.kind)}/{_label(payload.label)}/"
            f"{payload.at:%Y/%m/%d}/{payload.run}/{name}"
        )

    def part(kind: str, label: str | None, document: str, name: str) -> str:
        return f"{words.normalised}/{words.source_type(kind)}/{_label(label)}/{document}/{name}"

    return ObjectLayout(raw=raw, part=part)


def _label(label: str | None) -> str:
    """A ticker may hold a dot or a slash, which a path must not."""
    return UNSAFE.sub("-", label) if label else NO_LABEL
