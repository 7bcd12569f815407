"""Articles as the dedupe rules see them, their exact fingerprints, and what the rules decide.

A fingerprint names its algorithm and version, so that several can be stored in one table.
"""

import hashlib
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from headwater.text.folding import fold_text
from headwater.text.urls import URL_RULES_BY_NAME, canonical_url

Relation = Literal["duplicate", "related", "new"]

UNDATED = datetime.max.replace(tzinfo=UTC)
"""Articles without a date count as later than all others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """`published_at` has a time zone; None if the date is unknown. `partial`: the body is only what a source provided of the
    text, such as a summary."""

    id: str
    body: str
    title: str = ""
    url: str = ""
    guid: str = ""
    publisher: str = ""
    published_at: datetime | None = None
    partial: bool = False


def publication_order(article: Article) -> tuple[bool, datetime, str]:
    """A sort key: whole texts first, each from the earliest to the latest, deterministic."""
    return article.partial, article.published_at or UNDATED, article.id


@dataclass(frozen=True, slots=True, kw_only=True)
class PairVerdict:
    """How the later of two articles relates to the earlier one, and why."""

    relation: Relation
    rule: str
    score: float
    evidence: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """`duplicate_of` is the original of the group, never another copy. `superseded` are stored documents with a part of the
    text, of which this article is the whole."""

    id: str
    duplicate_of: str | None = None
    related_to: tuple[str, ...] = ()
    superseded: tuple[str, ...] = ()
    rule: str = ""
    score: float = 0.0
    evidence: Mapping[str, Any] = field(default_factory=dict)


MAX_CHARACTERS = 1_000_000
"""Of a longer text only this many characters and its length are compared, because more would take seconds."""

_PUNCTUATION = re.compile(r"[^\w\s]")


@dataclass(frozen=True, slots=True)
class ArticleFingerprint:
    algorithm: str
    value: str


def text_fingerprint(article: Article) -> ArticleFingerprint | None:
    """A hash of the normalised text; None for an empty text."""
    text = fold_text(article.body[:MAX_CHARACTERS])
    if len(article.body) > MAX_CHARACTERS:
        text = f"{text}\n{len(article.body)}"
    return ArticleFingerprint("text-sha256-1", _sha256(text)) if text else None


def url_fingerprint(article: Article, url_rules: str = "identity-1") -> ArticleFingerprint | None:
    return (
        ArticleFingerprint(f"url-{url_rules}", canonical_url(article.url, URL_RULES_BY_NAME[url_rules]))
        if article.url
        else None
    )


def guid_fingerprint(article: Article) -> ArticleFingerprint | None:
    return ArticleFingerprint("guid-1", f"{article.publisher}\n{article.guid}") if article.guid else None


def _title_md5(article: Article) -> ArticleFingerprint | None:
    """The title hash of the feed rules: lower case, surrounding space removed."""
    normalised = article.title.strip().lower()
    return ArticleFingerprint("title-md5", _md5(normalised)) if normalised else None


def _content_md5(article: Article) -> ArticleFingerprint | None:
    """The content hash of the feed rules; None for an article without body."""
    return ArticleFingerprint("content-md5", _md5(article.body[:1000])) if article.body else None


def title_content_fingerprint(article: Article) -> ArticleFingerprint | None:
    title, content = _title_md5(article), _content_md5(article)
    return (
        ArticleFingerprint("title-content-md5", f"{title.value}:{content.value}")
        if title and content
        else None
    )


def nfkd_text_fingerprint(article: Article) -> ArticleFingerprint | None:
    """SHA-256 over NFKD, lower case, word characters and single spaces."""
    text = " ".join(_PUNCTUATION.sub("", unicodedata.normalize("NFKD", article.body.lower())).split())
    return ArticleFingerprint("text-sha256-nfkd", _sha256(text)) if text else None


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _md5(text: str) -> str:
    return hashlib.md5(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()
