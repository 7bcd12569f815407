"""Names of objects: raw payloads by kind, company, day and run; normalised texts by kind, company and document."""

import re

from headwater.model.layout import Layout, Payload
from headwater_recipes.markets.vocabulary import Vocabulary

NOBODY = "_global"
UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")


def layout(words: Vocabulary) -> Layout:
    def raw(payload: Payload) -> str:
        name = "raw.json" if payload.page == 1 else f"raw-{payload.page}.json"
        return (
            f"{words.bucket(payload.kind)}/{words.source_type(payload.kind)}/{_label(payload.label)}/"
            f"{payload.at:%Y/%m/%d}/{payload.run}/{name}"
        )

    def part(kind: str, label: str | None, document: str, name: str) -> str:
        return f"{words.normalised}/{words.source_type(kind)}/{_label(label)}/{document}/{name}"

    return Layout(raw=raw, part=part)


def _label(label: str | None) -> str:
    """A ticker may hold a dot or a slash, which a path must not."""
    return UNSAFE.sub("-", label) if label else NOBODY
