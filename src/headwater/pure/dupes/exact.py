"""Fingerprints: values that are equal when two articles, or two payloads, are the same thing.

A fingerprint carries its algorithm and version, so that several may stand side by side in one table.
"""

import hashlib
import json
import re
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from headwater.pure.dupes.articles import Article
from headwater.pure.urls import RULE_SETS, canonical

VOLATILE = frozenset(
    {"request_id", "requestid", "took", "timestamp", "generated_at", "trace_id", "elapsed", "served_at"}
)
"""Keys that differ on every call and say nothing about the content."""

LONGEST_TEXT = 1_000_000
"""Of a longer text only so many characters and its length are compared: more would take seconds."""

_NOISE = re.compile(r"[\W_]+")
# A table does to plain ASCII, in a tenth of the time, what the pattern does to everything.
_ASCII_NOISE = "".join(chr(code) if chr(code).isalnum() else " " for code in range(128))
_MARKS = re.compile("[\u0300-\u036f]+")
_SEED_NOISE = re.compile(r"[^\w\s]")


@dataclass(frozen=True, slots=True)
class Fingerprint:
    algorithm: str
    value: str


def normal_text(text: str) -> str:
    """Letters and digits in lower case without accents, one space between words."""
    if text.isascii():
        return " ".join(text.lower().translate(_ASCII_NOISE).split())
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    plain = _MARKS.sub("", plain)
    return _NOISE.sub(" ", plain).strip()


def text_print(article: Article) -> Fingerprint | None:
    """None where there is nothing to compare."""
    text = normal_text(article.body[:LONGEST_TEXT])
    if len(article.body) > LONGEST_TEXT:
        text = f"{text}\n{len(article.body)}"
    return Fingerprint("text-sha256-1", _sha256(text)) if text else None


def url_print(article: Article, rules: str = "identity-1") -> Fingerprint | None:
    return Fingerprint(f"url-{rules}", canonical(article.url, RULE_SETS[rules])) if article.url else None


def guid_print(article: Article) -> Fingerprint | None:
    return Fingerprint("guid-1", f"{article.publisher}\n{article.guid}") if article.guid else None


def title_md5_print(article: Article) -> Fingerprint | None:
    """The title hash of the feed rules: lower case, outer space removed."""
    title = article.title.strip().lower()
    return Fingerprint("title-md5", _md5(title)) if title else None


def content_md5_print(article: Article) -> Fingerprint | None:
    """The content hash of the feed rules; an article without body has none."""
    return Fingerprint("content-md5", _md5(article.body[:1000])) if article.body else None


def title_content_print(article: Article) -> Fingerprint | None:
    title, content = title_md5_print(article), content_md5_print(article)
    return Fingerprint("title-content-md5", f"{title.value}:{content.value}") if title and content else None


def seed_text_print(article: Article) -> Fingerprint | None:
    """SHA-256 over NFKD, lower case, word characters and single spaces."""
    text = " ".join(_SEED_NOISE.sub("", unicodedata.normalize("NFKD", article.body.lower())).split())
    return Fingerprint("text-sha256-seed-g", _sha256(text)) if text else None


def payload_hash(payload: Any, volatile: Collection[str] = VOLATILE) -> str:
    """SHA-256 of a decoded answer in canonical form: sorted keys, volatile ones left out at any depth."""
    return _sha256(
        json.dumps(_steady(payload, volatile), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    )


def _steady(value: Any, volatile: Collection[str]) -> Any:
    if isinstance(value, Mapping):
        return {
            str(key): _steady(inner, volatile)
            for key, inner in value.items()
            if str(key).lower() not in volatile
        }
    if isinstance(value, list | tuple):
        return [_steady(inner, volatile) for inner in value]
    return value


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _md5(text: str) -> str:
    return hashlib.md5(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()
