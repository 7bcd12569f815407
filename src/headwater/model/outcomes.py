"""Results of the parts of a recipe: what an extractor read, what a step decided, what a sink sent."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from headwater.model.document import DedupeRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractHints:
    """What is known about bytes before they are read."""

    url: str | None = None
    media_type: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What an extractor read from bytes. A field without evidence stays empty; `origins` names the evidence.

    `text` is Markdown-like (headings, lists, tables, quotes and code are kept), `plain` is the same without markup.
    `confidence` is the extractor's own estimate in 0..1; `method` and `candidates` say how the text was chosen.
    """

    text: str
    plain: str = ""
    title: str = ""
    authors: tuple[str, ...] = ()
    publisher: str = ""
    published: datetime | None = None
    modified: datetime | None = None
    canonical_url: str = ""
    language: str = ""
    description: str = ""
    keywords: tuple[str, ...] = ()
    image: str = ""
    images: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    media_type: str = ""
    method: str = ""
    confidence: float | None = None
    candidates: Mapping[str, Any] = field(default_factory=dict)
    attributes: Mapping[str, Any] = field(default_factory=dict)
    origins: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Unreadable:
    """No text. `reason` is one of: js_required, paywall, consent, login, error_page, soft_404, redirect_stub, no_text,
    requires_ocr, encrypted, unsupported, not_an_article, too_large, malformed. The engine decides what happens next."""

    reason: str
    detail: str = ""


Extract = Callable[[bytes, ExtractHints], Reading | Unreadable]


@dataclass(frozen=True, slots=True)
class Drop:
    """The record ends here, for `reason`. `of` names the original of a duplicate; `dedupe_record` is what the dedupe index
    stores of the record all the same."""

    reason: str
    of: str | None = None
    score: float | None = None
    evidence: Mapping[str, Any] = field(default_factory=dict)
    dedupe_record: DedupeRecord | None = None


@dataclass(frozen=True, slots=True)
class SetAside:
    """Not usable now, but perhaps with other code or settings: kept in quarantine with its reason, can be retried.
    `quality` is stored with the document if the step measured it."""

    reason: str
    evidence: Mapping[str, Any] = field(default_factory=dict)
    quality: float | None = None


@dataclass(frozen=True, slots=True)
class Sent:
    """A delivery that arrived; `receipt` is what the receiver answered."""

    receipt: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartlySent:
    """Some receivers have the record, others want it later. `progress` is stored and comes back in the envelope of the next
    attempt, after `delay`, so that no receiver gets the record twice."""

    progress: str
    reason: str
    detail: str = ""
    delay: timedelta = timedelta(0)
