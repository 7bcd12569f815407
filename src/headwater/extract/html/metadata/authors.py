"""The authors of a page: names in its metadata first, the byline second."""

import re
from collections.abc import Iterable, Iterator, Mapping
from html import unescape
from itertools import chain
from typing import Any

from headwater.extract.html.metadata.evidence import MarkedElement, PageEvidence
from headwater.extract.html.metadata.jsonld import by_id, names_of, types_of
from headwater.text.written_dates import parse_page_date

_WORK_TYPES = re.compile(
    r"Article$|Posting$|^Report$|^Recipe$|^Question$|^HowTo$|^WebPage$|^PodcastEpisode$|^Review$|Blog$|^Book$|^CreativeWork$"
)
_METAS = (
    "author", "article:author", "og:article:author", "article:author_name", "parsely-author", "sailthru.author",
    "dc.creator", "dcterms.creator", "citation_author", "cxenseparse:author", "byl", "rbauthors", "authors",
    "twitter:creator:name", "book:author", "og:author",
)  # fmt: skip
_BYLINE_START = re.compile(
    r"^(?:(?:written|posted|published|reviewed|created|started)\s+)?(?:by|von|por|par|di|door|af|av|autor|author|auteur|texte|words|text)(?:\s*[:|]\s*|\s+)",
    re.IGNORECASE,
)
_BYLINE_END = re.compile(
    r"(?:(?<!\s)\s++)?(?:[|•·»⋅]|(?<=\s)[-\u2013—]\s|\bon\s+\w+\s+\d|\bupdated\b|\bpublished\b|\bposted\b|\bis an?\b|\babout the author\b|\d{1,2}[./:]|\b\d{4}\b|,\s*\w+\s+\d{1,2},|@|\().*$",
    re.IGNORECASE | re.DOTALL,
)
_SEPARATOR = re.compile(
    r"(?:(?<!\s)\s++)?(?:;|\band\b|\bund\b|\by\b|\bet\b|&|(?<=\s)/\s)\s*|,\s+(?=[^\W\d_]+\s+[^\W\d_])"
)
_NOT_A_NAME = re.compile(
    r"https?:|www\.|[<>{}\[\]=#]|\d{3}|^(?:admin|administrator|none|null|undefined|unknown|anonymous|guest|n/?a|the author|authors?|posts?|by|follow|share|comments?|profile|view.*|read.*|all posts.*|see.*|more.*)$",
    re.IGNORECASE,
)
_MOST_WORDS = 7
_MOST = 10


def authors_of(
    evidence: PageEvidence, entries_by_id: Mapping[str, Mapping[str, Any]], headline: Iterable[str]
) -> tuple[tuple[str, ...], str]:
    """The names and their origin. `headline` is the visible text around the page's headline."""
    all_candidates = (_stated_candidates(evidence, entries_by_id), _visible_candidates(evidence, headline))
    for candidates, origin in chain.from_iterable(all_candidates):
        names = _clean(candidates)
        if names:
            return tuple(names[:_MOST]), origin
    return (), ""


def states_authors(evidence: PageEvidence) -> bool:
    """Whether they are named for programs, so that nothing that readers see would be looked at."""
    stated = _stated_candidates(evidence, by_id(evidence.linked_data))
    return any(_clean(candidates) for candidates, _ in stated)


def _stated_candidates(
    evidence: PageEvidence, entries_by_id: Mapping[str, Mapping[str, Any]]
) -> Iterator[tuple[list[str], str]]:
    for entry in evidence.linked_data:
        kinds = types_of(entry)
        if "author" in entry and any(_WORK_TYPES.search(kind) for kind in kinds) and "Review" not in kinds:
            yield names_of(entry["author"], entries_by_id), f"json-ld {kinds[0]}.author"
    for name in _METAS:
        yield evidence.metas.get(name, []), f"meta {name}"
    if "by" in evidence.meta("twitter:label1").lower().split():
        yield evidence.metas.get("twitter:data1", []), "meta twitter:data1"


def _visible_candidates(evidence: PageEvidence, headline: Iterable[str]) -> Iterator[tuple[list[str], str]]:
    yield from _marked_candidates(evidence)
    for text in headline:
        if _BYLINE_START.match(text) and len(text) < 80:
            yield [text], "byline"


def _marked_candidates(evidence: PageEvidence) -> Iterator[tuple[list[str], str]]:
    for mark in evidence.properties.get("author", [])[:1]:
        yield [mark.text], "itemprop author"
    for test, origin in ((_is_author_link, "author link"), (_is_byline, "byline")):
        for mark in evidence.bylines:
            if test(mark):
                yield [mark.text], origin


def _is_author_link(mark: MarkedElement) -> bool:
    return "link" in mark.name.split() and ("author" in mark.name.split() or "/author" in mark.value)


def _is_byline(mark: MarkedElement) -> bool:
    return bool(re.search(r"byline|author[-_]?name|author$|(?:^|[\s_-])author(?:\s|$)", mark.name))


def _clean(candidates: Iterable[str]) -> list[str]:
    names: list[str] = []
    for candidate in candidates:
        text = unescape(candidate)
        if "@" in text or parse_page_date(text.split(",")[0]) is not None:
            continue
        text = _BYLINE_END.sub("", _BYLINE_START.sub("", " ".join(text.split()).strip(" ,;:-"))).strip(
            " ,;:-"
        )
        for part in _SEPARATOR.split(text):
            name = part.strip(" ,;:-")
            if _is_name(name) and name.casefold() not in {other.casefold() for other in names}:
                names.append(name)
    return names


def _is_name(text: str) -> bool:
    return (
        1 < len(text) < 60
        and len(text.split()) <= _MOST_WORDS
        and not _NOT_A_NAME.search(text)
        and any(map(str.isalpha, text))
    )
