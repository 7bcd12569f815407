"""The metadata of a page from its evidence, each field with its origin. A field without evidence stays empty."""

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
from headwater.model.document import FROM_ADDRESS
from headwater.text.charset import fix_encoding
from headwater.text.letters import replace_surrogates
from headwater.text.written_dates import has_time

_LANGUAGE = re.compile(r"^[a-zA-Z]{2,3}(?:[-_][a-zA-Z0-9]{2,8}+)*+$")
_WEB = ("http://", "https://")
_MOST_WORDS = 50
_SEPARATOR = re.compile(r"(?<!\s)\s++[|\-\u2013—·•:»«/\\]\s+|(?:(?<!\s)\s++)?[|»]\s*")
_WORD = re.compile(r"[^\W_]+")
_LEAST_SHARE = 0.45
_MOST_HEADINGS = 5
_LONGEST_TITLE = 300


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
    """`headline` holds the lines around the page's headline; `url` is where the page was found, if known."""
    metadata = PageMetadata()
    entries_by_id = by_id(evidence.linked_data)
    canonical, origin = _canonical(evidence, url)
    metadata.put("canonical_url", canonical, origin)
    address = canonical or url
    title, origin = title_of(evidence)
    metadata.put("title", _clean(title), origin)
    names, origin = authors_of(evidence, entries_by_id, headline)
    metadata.put("authors", tuple(_clean(name) for name in names), origin)
    metadata.put("publisher", *_publisher(evidence, entries_by_id, address))
    _put_date(metadata, "published", publication_date(evidence, headline, url or address))
    _put_date(metadata, "modified", modification_date(evidence))
    metadata.put("language", *_language(evidence))
    metadata.put("description", *_description(evidence))
    metadata.put("image", *_image(evidence, BaseUrl(address)))
    words, origin = _keywords(evidence)
    metadata.put("keywords", words, origin)
    _put_attributes(metadata, evidence)
    return metadata


def _clean(text: str) -> str:
    return fix_encoding(replace_surrogates(" ".join(unescape(text).split())))


def _put_date(metadata: PageMetadata, name: str, date: PageDate | None) -> None:
    if date is not None:
        metadata.put(name, date.when, date.origin)
        metadata.attributes[f"{name}_stated"] = replace_surrogates(date.stated)[:80]
        if not has_time(date.stated):
            metadata.attributes[f"{name}_precision"] = "day"


def _canonical(evidence: PageEvidence, url: str) -> tuple[str, str]:
    candidates = [(href, "link canonical") for href in evidence.links.get("canonical", ())]
    candidates += [(value, "og:url") for value in evidence.metas.get("og:url", ())]
    for href, origin in candidates:
        if (joined := BaseUrl(url).absolute(href)) is not None:
            return joined, origin
    return "", ""


def _publisher(
    evidence: PageEvidence, entries_by_id: Mapping[str, Mapping[str, Any]], url: str
) -> tuple[str, str]:
    if name := evidence.meta("og:site_name"):
        return _clean(name), "og:site_name"
    for entry in evidence.linked_data:
        if "publisher" in entry and (names := names_of(entry["publisher"], entries_by_id)):
            return _clean(names[0]), f"json-ld {(*types_of(entry), '')[0]}.publisher"
    for name in ("publisher", "dc.publisher", "citation_publisher", "application-name"):
        if (value := evidence.meta(name)) and not value.startswith(_WEB):
            return _clean(value), f"meta {name}"
    host = urlsplit(url).hostname or ""
    return host.removeprefix("www."), FROM_ADDRESS


def _language(evidence: PageEvidence) -> tuple[str, str]:
    candidates = (
        (evidence.language, "html lang"),
        (evidence.meta("content-language", "language", "dc.language"), "meta language"),
        (evidence.meta("og:locale"), "og:locale"),
    )
    for value, origin in candidates:
        value = value.split(",")[0].strip().replace("_", "-")  # noqa: PLW2901  -- one clean-up step
        if _LANGUAGE.match(value):
            return value, origin
    return "", ""


def _description(evidence: PageEvidence) -> tuple[str, str]:
    for name in ("description", "og:description", "twitter:description", "dc.description"):
        if value := evidence.meta(name):
            return _clean(value), f"meta {name}"
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
        if words := _split_keywords(evidence.metas.get(name, ())):
            return words, f"meta {name}"
    for entry in evidence.linked_data:
        if "keywords" in entry and (words := _split_keywords(strings_of(entry["keywords"]))):
            return words, "json-ld keywords"
    return (), ""


def _split_keywords(values: Iterable[str]) -> tuple[str, ...]:
    words = [_clean(word) for value in values for word in re.split(r"[,;\uff0c、]", value)]
    return tuple(dict.fromkeys(word for word in words if word))[:_MOST_WORDS]


def _put_attributes(metadata: PageMetadata, evidence: PageEvidence) -> None:
    tags = [
        _clean(value) for name in ("article:tag", "og:article:tag") for value in evidence.metas.get(name, ())
    ]
    values: dict[str, Any] = {
        "tags": tuple(dict.fromkeys(tag for tag in tags if tag))[:_MOST_WORDS],
        "section": _clean(evidence.meta("article:section")),
        "kind": _clean(evidence.meta("og:type")),
        "schema": tuple(dict.fromkeys(kind for entry in evidence.linked_data for kind in types_of(entry)))[
            :20
        ],
        "alternates": tuple(evidence.links.get("alternate", ()))[:10],
    }
    metadata.attributes.update({name: value for name, value in values.items() if value})


def title_of(evidence: PageEvidence) -> tuple[str, str]:
    """The title and its origin: the headline that readers see where the head of the page confirms it."""
    og_title = evidence.meta("og:title", "twitter:title", "dc.title", "citation_title")
    site = evidence.meta("og:site_name", "application-name")
    own_title = without_site(og_title or evidence.title, site)
    own_titles = [own_title, without_site(evidence.title, site)]
    heading = _confirmed_heading(evidence.headings[:_MOST_HEADINGS], [evidence.title, og_title], own_titles)
    if heading:
        return heading, "h1"
    if own_title:
        return own_title, "og:title" if og_title else "title"
    return (evidence.headings[0], "h1") if evidence.headings else ("", "")


def without_site(title: str, site: str) -> str:
    """The longest part of a title that is not the name of the site."""
    parts = [part for part in _SEPARATOR.split(title) if part]
    own_parts = [part for part in parts if _words(part) != _words(site)]
    return max(own_parts or parts, key=len) if len(parts) > 1 else title


def _confirmed_heading(headings: Iterable[str], titles: list[str], own_titles: list[str]) -> str:
    """The heading that shares most words with the titles, if it shares enough."""
    best, most = "", 0.0
    in_titles, in_own_titles = list(map(_words, titles)), list(map(_words, own_titles))
    for heading in headings:
        words = _words(heading)
        share = max(
            max((_share(words, others) for others in in_titles), default=0.0),
            max((_share(others, words) for others in in_own_titles), default=0.0),
        )
        if share > most and len(heading) < _LONGEST_TITLE:
            best, most = heading, share
    return best if most >= _LEAST_SHARE else ""


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))


def _share(words: set[str], other_words: set[str]) -> float:
    return len(words & other_words) / len(words) if words else 0.0
