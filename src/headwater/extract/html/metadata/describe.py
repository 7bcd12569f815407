"""Fields of a reading from the evidence, each with its origin. A field without evidence stays empty."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from html import unescape
from typing import Any
from urllib.parse import urlsplit

from headwater.extract.html.addresses import Base
from headwater.extract.html.decode import repair, scrub
from headwater.extract.html.metadata.authors import authors_of
from headwater.extract.html.metadata.dates import has_time
from headwater.extract.html.metadata.evidence import Evidence
from headwater.extract.html.metadata.jsonld import by_id, names_of, strings_of, types_of
from headwater.extract.html.metadata.published import Dated, modified, published
from headwater.extract.html.metadata.title import title_of

_LANGUAGE = re.compile(r"^[a-zA-Z]{2,3}(?:[-_][a-zA-Z0-9]{2,8})*$")
_WEB = ("http://", "https://")
_MOST_WORDS = 50


@dataclass(slots=True)
class Described:
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


def describe(evidence: Evidence, headline: Sequence[str], url: str) -> Described:
    """`headline` is the visible text around the page's headline; `url` where the page was found, if known."""
    found = Described()
    known = by_id(evidence.linked_data)
    canonical, origin = _canonical(evidence, url)
    found.put("canonical_url", canonical, origin)
    address = canonical or url
    title, origin = title_of(evidence)
    found.put("title", _tidy(title), origin)
    names, origin = authors_of(evidence, known, headline)
    found.put("authors", tuple(_tidy(name) for name in names), origin)
    found.put("publisher", *_publisher(evidence, known, address))
    _put_date(found, "published", published(evidence, headline, url or address))
    _put_date(found, "modified", modified(evidence))
    found.put("language", *_language(evidence))
    found.put("description", *_description(evidence))
    found.put("image", *_image(evidence, Base(address)))
    words, origin = _keywords(evidence)
    found.put("keywords", words, origin)
    _put_attributes(found, evidence)
    return found


def _tidy(text: str) -> str:
    return repair(scrub(" ".join(unescape(text).split())))


def _put_date(found: Described, name: str, dated: Dated | None) -> None:
    if dated is not None:
        found.put(name, dated.when, dated.origin)
        found.attributes[f"{name}_stated"] = scrub(dated.stated)[:80]
        if not has_time(dated.stated):
            found.attributes[f"{name}_precision"] = "day"


def _canonical(evidence: Evidence, url: str) -> tuple[str, str]:
    candidates = [(href, "link canonical") for href in evidence.links.get("canonical", ())]
    candidates += [(value, "og:url") for value in evidence.metas.get("og:url", ())]
    for href, origin in candidates:
        if (joined := Base(url).absolute(href)) is not None:
            return joined, origin
    return "", ""


def _publisher(evidence: Evidence, known: Mapping[str, Mapping[str, Any]], url: str) -> tuple[str, str]:
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


def _language(evidence: Evidence) -> tuple[str, str]:
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


def _description(evidence: Evidence) -> tuple[str, str]:
    for name in ("description", "og:description", "twitter:description", "dc.description"):
        if value := evidence.meta(name):
            return _tidy(value), f"meta {name}"
    return "", ""


def _image(evidence: Evidence, base: Base) -> tuple[str, str]:
    for name in ("og:image", "og:image:url", "og:image:secure_url", "twitter:image", "twitter:image:src"):
        if (value := evidence.meta(name)) and (joined := base.absolute(value)):
            return joined, f"meta {name}"
    for entry in evidence.linked_data:
        for value in strings_of(entry.get("image") or []):
            if joined := base.absolute(value):
                return joined, "json-ld image"
    return "", ""


def _keywords(evidence: Evidence) -> tuple[tuple[str, ...], str]:
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


def _put_attributes(found: Described, evidence: Evidence) -> None:
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
