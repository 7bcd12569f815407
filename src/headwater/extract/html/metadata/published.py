"""When a page was published and modified, if it says so: stated to machines first, to readers second."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from headwater.extract.html.metadata.dates import date_in_path, parse_date
from headwater.extract.html.metadata.evidence import Evidence
from headwater.extract.html.metadata.jsonld import types_of

_ARTICLES = re.compile(
    r"Article$|Posting$|^Report$|^Recipe$|^Question$|^QAPage$|^HowTo$|^Event$|^PodcastEpisode$|Blog$|^Course$"
)
_PAGES = frozenset({"WebPage", "AboutPage", "MedicalWebPage", "FAQPage"})
_PUBLISHED_METAS = (
    "article:published_time", "article:published", "og:article:published_time", "og:published_time", "datepublished",
    "published_time", "parsely-pub-date", "sailthru.date", "cxenseparse:publishtime", "cxenseparse:recs:publishtime",
    "dc.date.issued", "dcterms.issued", "dcterms.created", "dc.date.created", "citation_publication_date",
    "citation_online_date", "citation_date", "article.published", "article:publish_date", "og:publish_date",
    "publish_date", "publish-date", "publishdate", "pubdate", "published", "date.published", "published_at",
    "originalpublicationdate", "dc.date", "dcterms.date", "bt:pubdate", "rnews:datepublished", "date",
)  # fmt: skip
_MODIFIED_METAS = (
    "article:modified_time", "og:updated_time", "article:modified", "datemodified", "dateupdated", "last-modified",
    "dcterms.modified", "dc.date.modified", "modified_time", "lastmod", "sailthru.modified", "revised",
)  # fmt: skip
_CHANGE = re.compile(
    r"updat|modif|edited|aktualis|actualiz|mis à jour|aggiornat|revis|reviewed|copyright|©|expires|event",
    re.IGNORECASE,
)
_PUBLICATION = re.compile(
    r"publish|posted|entry-date|pubdate|created|dateline|article|post-date|veröffentlicht|publicado|publié",
    re.IGNORECASE,
)
_UPDATE = re.compile(r"updat|modif|aktualis|actualiz|mis à jour|aggiornat", re.IGNORECASE)
_MACHINE = re.compile(r"\s*\d{4}-?\d{2}-?\d{2}")
LABELLED = re.compile(
    r"(?:published|posted|veröffentlicht|publicado|publié|pubblicato)(?: on| at| am| el| le)?(?: the)?:? ",
    re.IGNORECASE,
)
_FORUM = re.compile(r"^DiscussionForumPosting$|^QAPage$|^Question$|^Comment$")
_GOODS = frozenset({"Product", "ProductGroup", "ItemPage", "CollectionPage", "IndividualProduct"})
_RANGE = re.compile(
    r"\d\s+[-\u2013—]\s+\d{1,4}[/-]|\d{4}\s*[-\u2013—]\s*[^\W\d]+\s*\d|last active|release|version|joined|registered|deadline",
    re.IGNORECASE,
)
_SHORT = 90
_NEAREST = 7
_MANY_DATES = 4
_MANY_TIMES = 12
_FEW_TIMES = 0


@dataclass(frozen=True, slots=True)
class Dated:
    when: datetime
    stated: str
    origin: str


def published(evidence: Evidence, headline: Sequence[str], url: str) -> Dated | None:
    """`headline` is the visible text around the page's headline, a block each, the nearest first."""
    stated = _first(_published(evidence, headline, url))
    shown = _first((text, "line by the headline") for text in headline[:_NEAREST] if _tells_publication(text))
    # A template's date may be that of the last export; what readers are shown cannot be older than the text.
    # In a forum the older date is the day on which a member joined.
    older = stated and shown and shown.when.date() < stated.when.date() and not _is_forum(evidence)
    return shown if older else stated


def modified(evidence: Evidence) -> Dated | None:
    return _first(_modified(evidence))


def _first(candidates: Iterator[tuple[str, str]]) -> Dated | None:
    for stated, origin in candidates:
        if (when := parse_date(stated)) is not None:
            return Dated(when, stated, origin)
    return None


def _published(evidence: Evidence, headline: Sequence[str], url: str) -> Iterator[tuple[str, str]]:
    linked = list(_linked(evidence, "datePublished", "dateCreated"))
    yield from (found for found in linked if _MACHINE.match(found[0]))
    yield from _scraps(evidence, "datePublished")
    # A date spelled for people inside linked data is a template's, often that of the last change: it comes late.
    # Site builders date every shelf of a shop; that says nothing about the goods.
    if not _is_product(evidence):
        yield from _stated(evidence, headline, url)
    yield from linked
    yield from _changes(headline)


def _labelled(headline: Sequence[str]) -> Iterator[tuple[str, str]]:
    """A line that says when the page was published, when no other says otherwise."""
    lines = [text for text in headline if LABELLED.match(text) and _tells_publication(text)]
    if len({when.date() for text in lines if (when := parse_date(text)) is not None}) == 1:
        yield from ((text, "labelled line") for text in lines)


def _is_front_page(url: str, path: str) -> bool:
    return bool(url) and path.strip("/") in ("", "index.html", "index.php", "news", "blog")


def _lists_dates(headline: Sequence[str]) -> bool:
    """Many dates by the headline are those of other pages."""
    found = {
        when.date() for text in headline if len(text) <= _SHORT and (when := parse_date(text)) is not None
    }
    return len(found) >= _MANY_DATES


def _is_forum(evidence: Evidence) -> bool:
    return any(_FORUM.search(kind) for entry in evidence.linked_data for kind in types_of(entry))


def _is_product(evidence: Evidence) -> bool:
    return any(kind in _GOODS for entry in evidence.linked_data for kind in types_of(entry)) or evidence.meta(
        "og:type"
    ).lower().startswith(("product", "og:product"))


def _stated(evidence: Evidence, headline: Sequence[str], url: str) -> Iterator[tuple[str, str]]:
    for name in _PUBLISHED_METAS:
        for value in evidence.metas.get(name, ()):
            yield value, f"meta {name}"
    yield from _oldest_property(evidence)
    path = urlsplit(url).path
    if (when := date_in_path(path)) is not None:
        yield when.date().isoformat(), "address"
    if _is_front_page(url, path):
        return
    yield from _labelled(headline)
    if _is_article(evidence) or not _lists_dates(headline):
        yield from _visible(evidence, headline)


def _oldest_property(evidence: Evidence) -> Iterator[tuple[str, str]]:
    """Answers and comments are marked like the question they follow: the oldest is the page's own."""
    marks = [mark for name in ("datepublished", "datecreated") for mark in evidence.properties.get(name, ())]
    dated = [(when, mark) for mark in marks if (when := parse_date(mark.value or mark.text)) is not None]
    if dated:
        mark = min(dated, key=lambda pair: pair[0])[1]
        yield mark.value or mark.text, f"itemprop {mark.name}"


def _scraps(evidence: Evidence, key: str) -> Iterator[tuple[str, str]]:
    """The value of a key in linked data that is not valid JSON."""
    for text in evidence.broken_data:
        if found := re.search(rf'"{key}"\s*:\s*"([^"]{{6,40}})"', text):
            yield found[1], f"json-ld {key}"


def _changes(headline: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The only date by the headline, though it is that of a change: the page states no older one."""
    for text in headline:
        if len(text) <= _SHORT and _UPDATE.search(text):
            yield text, "line by the headline, of an update"


def _linked(evidence: Evidence, *keys: str) -> Iterator[tuple[str, str]]:
    for key in keys:
        for entry in evidence.linked_data:
            kinds = types_of(entry)
            if isinstance(entry.get(key), str) and any(_ARTICLES.search(kind) for kind in kinds):
                yield entry[key], f"json-ld {kinds[0]}.{key}"


def _is_article(evidence: Evidence) -> bool:
    said = evidence.meta("og:type").lower()
    return said.startswith(("article", "blog", "news")) or any(
        _ARTICLES.search(kind) for entry in evidence.linked_data for kind in types_of(entry)
    )


def _visible(evidence: Evidence, headline: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Time elements, elements called a date, and short lines by the headline; never one that tells of a change."""
    times = [mark for mark in evidence.times if not _CHANGE.search(mark.name)]
    for mark in times:
        if _PUBLICATION.search(mark.name) and not _CHANGE.search(mark.text):
            yield mark.value or mark.text, "time element"
    for text in headline:
        if _tells_publication(text):
            yield from (
                (mark.value, "time element")
                for mark in times
                if mark.value and mark.text and mark.text in text
            )
            yield text, "line by the headline"
    if 0 < len(times) <= (_MANY_TIMES if _is_article(evidence) else _FEW_TIMES):
        yield times[0].value or times[0].text, "time element"


def _tells_publication(text: str) -> bool:
    return len(text) <= _SHORT and not _CHANGE.search(text) and not _RANGE.search(text)


def _modified(evidence: Evidence) -> Iterator[tuple[str, str]]:
    yield from _linked(evidence, "dateModified")
    for name in _MODIFIED_METAS:
        for value in evidence.metas.get(name, ()):
            yield value, f"meta {name}"
    for found in evidence.properties.get("datemodified", [])[:1]:
        yield found.value or found.text, "itemprop datemodified"
    for entry in evidence.linked_data:
        if isinstance(entry.get("dateModified"), str) and not _PAGES.isdisjoint(types_of(entry)):
            yield entry["dateModified"], "json-ld WebPage.dateModified"
    for mark in evidence.times:
        if _CHANGE.search(mark.name) or _CHANGE.search(mark.text):
            yield mark.value or mark.text, "time element"
