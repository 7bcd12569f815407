"""The page's own title: the headline that readers see where the head of the page confirms it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from html import unescape
from typing import Any
from urllib.parse import urlsplit

from headwater.extract.html.links import BaseUrl
from headwater.extract.html.metadata.authors import authors_of
from headwater.extract.html.metadata.evidence import PageEvidence
from headwater.extract.html.metadata.jsonld import by_id, names_of, strings_of, types_of
from headwater.extract.html.metadata.page_dates import PageDate, modification_date, publication_date
from headwater.text.charset import fix_encoding, replace_surrogates
from headwater.text.written_dates import has_time

_SEPARATOR = re.compile(r"\s+[|\-\u2013—·•:»«/\\]\s+|\s*[|»]\s*")
_WORD = re.compile(r"[^\W_]+")
_CONFIRMED = 0.45
_HEADINGS = 5
_LONGEST = 300


def title_of(evidence: PageEvidence) -> tuple[str, str]:
    """The title and its origin."""
    opened = evidence.meta("og:title", "twitter:title", "dc.title", "citation_title")
    site = evidence.meta("og:site_name", "application-name")
    stripped = without_site(opened or evidence.title, site)
    claims = [stripped, without_site(evidence.title, site)]
    heading = _confirmed(evidence.headings[:_HEADINGS], [evidence.title, opened], claims)
    if heading:
        return heading, "h1"
    if stripped:
        return stripped, "og:title" if opened else "title"
    return (evidence.headings[0], "h1") if evidence.headings else ("", "")


def without_site(title: str, site: str) -> str:
    """The part of a title that is not the name of the site: the longest, the site's own left out."""
    parts = [part for part in _SEPARATOR.split(title) if part]
    others = [part for part in parts if _words(part) != _words(site)]
    return max(others or parts, key=len) if len(parts) > 1 else title


def _confirmed(headings: Iterable[str], said: list[str], claims: list[str]) -> str:
    best, most = "", 0.0
    for heading in headings:
        words = _words(heading)
        share = max(
            max((_share(words, _words(text)) for text in said), default=0.0),
            max((_share(_words(text), words) for text in claims), default=0.0),
        )
        if share > most and len(heading) < _LONGEST:
            best, most = heading, share
    return best if most >= _CONFIRMED else ""


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))


def _share(words: set[str], others: set[str]) -> float:
    return len(words & others) / len(words) if words else 0.0


_LANGUAGE = re.compile(r"^[a-zA-Z]{2,3}(?:[-_][a-zA-Z0-9]{2,8})*$")
_WEB = ("http://", "https://")
_MOST_WORDS = 50


@dataclass(slots=True)
class PageMetadata:
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
    attributes: dict[str, Any] = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)

    def put(self, name: str, value: object, origin: str) -> None:
        if value:
            setattr(self, name, value)
            self.origins[name] = origin


def page_metadata(evidence: PageEvidence, headline: Sequence[str], url: str) -> PageMetadata:
    """`headline` is the visible text around the page's headline; `url` where the page was found, if known."""
    found = PageMetadata()
    known = by_id(evidence.linked_data)
    canonical, origin = _canonical(evidence, url)
    found.put("canonical_url", canonical, origin)
    address = canonical or url
    title, origin = title_of(evidence)
    found.put("title", _tidy(title), origin)
    names, origin = authors_of(evidence, known, headline)
    found.put("authors", tuple(_tidy(name) for name in names), origin)
    found.put("publisher", *_publisher(evidence, known, address))
    _put_date(found, "published", publication_date(evidence, headline, url or address))
    _put_date(found, "modified", modification_date(evidence))
    found.put("language", *_language(evidence))
    found.put("description", *_description(evidence))
    found.put("image", *_image(evidence, BaseUrl(address)))
    words, origin = _keywords(evidence)
    found.put("keywords", words, origin)
    _put_attributes(found, evidence)
    return found


def _tidy(text: str) -> str:
    return fix_encoding(replace_surrogates(" ".join(unescape(text).split())))


def _put_date(found: PageMetadata, name: str, dated: PageDate | None) -> None:
    if dated is not None:
        found.put(name, dated.when, dated.origin)
        found.attributes[f"{name}_stated"] = replace_surrogates(dated.stated)[:80]
        if not has_time(dated.stated):
            found.attributes[f"{name}_precision"] = "day"


def _canonical(evidence: PageEvidence, url: str) -> tuple[str, str]:
    candidates = [(href, "link canonical") for href in evidence.links.get("canonical", ())]
    candidates += [(value, "og:url") for value in evidence.metas.get("og:url", ())]
    for href, origin in candidates:
        if (joined := BaseUrl(url).absolute(href)) is not None:
            return joined, origin
    return "", ""


def _publisher(evidence: PageEvidence, known: Mapping[str, Mapping[str, Any]], url: str) -> tuple[str, str]:
    if name := evidence.meta("og:site_name"):
        return _tidy(name), "og:site_name"
    for entry in evidence.linked_data:
        if "publisher" in entry and (names := names_of(entry["publisher"], known)):
            return _tidy(names[0]), f"json-ld {(*types_of(entry), '')[0]}.publisher"
    for name in ("publisher", "dc.publisher", "citation_publisher", "application-name"):
        if (value := evidence.meta(name)) and not value.startswith(_WEB):
            return _tidy(value), f"meta {name}"
    host = urlsplit(url).hostname or ""
    return host.removeprefix("www."), "address"


def _language(evidence: PageEvidence) -> tuple[str, str]:
    candidates = (
        (evidence.language, "html lang"),
        (evidence.meta("content-language", "language", "dc.language"), "meta language"),
        (evidence.meta("og:locale"), "og:locale"),
    )
    for value, origin in candidates:
        value = value.split(",")[0].strip().replace("_", "-")  # noqa: PLW2901  -- one tidy step
        if _LANGUAGE.match(value):
            return value, origin
    return "", ""


def _description(evidence: PageEvidence) -> tuple[str, str]:
    for name in ("description", "og:description", "twitter:description", "dc.description"):
        if value := evidence.meta(name):
            return _tidy(value), f"meta {name}"
    return "", ""


def _image(evidence: PageEvidence, base: BaseUrl) -> tuple[str, str]:
    for name in ("og:image", "og:image:url", "og:image:secure_url", "twitter:image", "twitter:image:src"):
        if (value := evidence.meta(name)) and (joined := base.absolute(value)):
            return joined, f"meta {name}"
    for entry in evidence.linked_data:
        for value in strings_of(entry.get("image") or []):
            if joined := base.absolute(value):
                return joined, "json-ld image"
    return "", ""


def _keywords(evidence: PageEvidence) -> tuple[tuple[str, ...], str]:
    for name in ("keywords", "news_keywords", "parsely-tags", "sailthru.tags", "citation_keywords"):
        if words := _listed(evidence.metas.get(name, ())):
            return words, f"meta {name}"
    for entry in evidence.linked_data:
        if "keywords" in entry and (words := _listed(strings_of(entry["keywords"]))):
            return words, "json-ld keywords"
    return (), ""


def _listed(values: Iterable[str]) -> tuple[str, ...]:
    words = [_tidy(word) for value in values for word in re.split(r"[,;\uff0c、]", value)]
    return tuple(dict.fromkeys(word for word in words if word))[:_MOST_WORDS]


def _put_attributes(found: PageMetadata, evidence: PageEvidence) -> None:
    tags = [
        _tidy(value) for name in ("article:tag", "og:article:tag") for value in evidence.metas.get(name, ())
    ]
    values: dict[str, Any] = {
        "tags": tuple(dict.fromkeys(tag for tag in tags if tag))[:_MOST_WORDS],
        "section": _tidy(evidence.meta("article:section")),
        "kind": _tidy(evidence.meta("og:type")),
        "schema": tuple(dict.fromkeys(kind for entry in evidence.linked_data for kind in types_of(entry)))[
            :20
        ],
        "alternates": tuple(evidence.links.get("alternate", ()))[:10],
    }
    found.attributes.update({name: value for name, value in values.items() if value})
