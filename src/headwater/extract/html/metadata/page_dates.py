"""How a page orders day and month where it writes both as numbers."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from headwater.extract.html.metadata.date_labels import (
    CHANGED,
    OTHER,
    change_part,
    publication_part,
    says_published,
)
from headwater.extract.html.metadata.evidence import (
    ARTICLES,
    MarkedElement,
    PageEvidence,
    is_article,
    is_forum,
    is_product,
)
from headwater.extract.html.metadata.jsonld import types_of
from headwater.text.written_dates import (
    date_in_path,
    has_custom_order,
    has_time,
    parse_page_date,
    shown_day_first,
)

_MONTH_FIRST = frozenset({"US", "PH", "CA", "FM", "MH", "PW"})
_COUNTRIES_DAY_FIRST = ("uk", "au", "nz", "ie", "in", "za", "sg", "my", "hk", "ng", "ke")
_ENOUGH = 40


def is_day_first(evidence: PageEvidence, lines: Sequence[str], url: str) -> bool | None:
    """What the dates of the page show; else the custom of its language or country; else unknown."""
    marks = evidence.times[:_ENOUGH]
    texts = [*(mark.value for mark in marks), *(mark.text for mark in marks), *lines[:_ENOUGH]]
    numeric = [text for text in texts if has_custom_order(text)]
    if numeric:
        shown = next((order for text in numeric if (order := shown_day_first(text)) is not None), None)
        shown = _agreed(numeric, texts) if shown is None else shown
        if shown is not None:
            return shown
    return _custom(evidence.language, url)


def _agreed(numeric: Sequence[str], texts: Sequence[str]) -> bool | None:
    """The order in which a date of numbers is one that the page also states in words."""
    known = {found.date() for text in texts if (found := parse_page_date(text)) is not None}
    for text in numeric:
        readings = {order: parse_page_date(text, day_first=order) for order in (True, False)}
        fitting = [order for order, found in readings.items() if found is not None and found.date() in known]
        if len(fitting) == 1:
            return fitting[0]
    return None


def _custom(language: str, url: str) -> bool | None:
    name, _, region = language.replace("_", "-").partition("-")
    if name and name.lower() != "en":
        return True
    if region:
        return region.upper() not in _MONTH_FIRST
    country = (urlsplit(url).hostname or "").rpartition(".")[2]
    return True if country in _COUNTRIES_DAY_FIRST else None


_PAGES = frozenset({"WebPage", "AboutPage", "MedicalWebPage", "FAQPage"})
# Names of meta elements as `_plain_name` leaves them, the surest vocabularies first.
_PUBLISHED_METAS = (
    "articlepublishedtime", "datepublished", "publisheddate", "publicationdate", "publishedtime", "articlepublished", "ogarticlepublishedtime",
    "ogpublishedtime", "parselypubdate", "sailthrudate", "cxenseparsepublishtime", "cxenseparserecspublishtime",
    "dcdateissued", "dctermsissued", "dctermscreated", "dcdatecreated", "citationpublicationdate",
    "citationonlinedate", "citationdate", "prismpublicationdate", "articlepublishdate", "ogpublishdate", "publishdate",
    "dateofpublication", "pubdate", "published", "publishedat",
    "originalpublicationdate", "firstpublished", "dcdate", "dctermsdate", "btpubdate", "rnewsdatepublished", "date",
)  # fmt: skip
_MODIFIED_METAS = (
    "articlemodifiedtime", "datemodified", "modifieddate", "lastmodified", "updatedtime", "ogupdatedtime", "articlemodified", "dateupdated",
    "dctermsmodified", "dcdatemodified", "modifiedtime", "lastmod", "sailthrumodified", "revised",
)  # fmt: skip
_NAMED_PUBLICATION = re.compile(r"publish|posted|entry-date|pubdate|created|dateline|article|post-date")
_NAMED_OTHERWISE = re.compile(
    r"updat|modif|edited|revis|expire|event|card|teaser|related|recommend|widget|sidebar|comment|thumb|preview|promo"
)
_MACHINE = re.compile(r"\s*\d{4}-?\d{2}-?\d{2}")
_SHORT = 90
_SENTENCE = 200
_YEAR = re.compile(r"\d{4}")
_NEAREST = 7
_MANY_DATES = 4
_COMMON = 5
_FEW = range(1, 13)


@dataclass(frozen=True, slots=True)
class PageDate:
    when: datetime
    stated: str
    origin: str


Claim = tuple[str, str]


def publication_date(evidence: PageEvidence, headline: Sequence[str], url: str) -> PageDate | None:
    """`headline` is the visible text around the page's headline, a block each, the nearest first."""
    if _is_front_page(url):
        return None
    words = {mark.text for mark in evidence.times if mark.text}
    nearest = _dated(headline[:_NEAREST], words)
    headline = _dated(headline, words)
    day_first = is_day_first(evidence, headline, url)
    stated = _first(_published(evidence, headline, url), day_first)
    shown = _first(_shown(_own_times(evidence, headline), nearest), day_first)
    # A template's date may be that of the last export; what readers are shown cannot be older than the text.
    # In a forum the older date is the day on which a member joined.
    older = stated and shown and _is_older(shown, stated) and not is_forum(evidence)
    return shown if older else stated


def _dated(lines: Iterable[str], words: Iterable[str]) -> list[str]:
    """Lines that may hold a date: with a year, or with the words of a time element. Once each."""
    found = dict.fromkeys(lines)
    return [
        text
        for text in found
        if len(text) <= _SENTENCE and (_YEAR.search(text) or any(word in text for word in words))
    ]


def _is_older(one: PageDate, other: PageDate) -> bool:
    """By a day or more; the same moment in two time zones is none of both."""
    same_moment = has_time(one.stated) and one.when == other.when
    return not same_moment and one.when.date() < other.when.date()


def modification_date(evidence: PageEvidence) -> PageDate | None:
    return _first(_modified(evidence), None)


def _first(claims: Iterable[Claim], day_first: bool | None) -> PageDate | None:
    for stated, origin in claims:
        if (when := parse_page_date(stated, day_first=day_first)) is not None:
            return PageDate(when, stated, origin)
    return None


def _published(evidence: PageEvidence, headline: Sequence[str], url: str) -> Iterator[Claim]:
    linked = list(_linked(evidence, "datePublished", "dateCreated"))
    yield from (found for found in linked if _MACHINE.match(found[0]))
    yield from _scraps(evidence, "datePublished")
    # A date spelled for people inside linked data is a template's, often that of the last change: it comes late.
    # Site builders date every shelf of a shop; that says nothing about the goods.
    if not is_product(evidence):
        yield from _stated(evidence, url)
        yield from _labelled(headline)
        if is_article(evidence) or not _lists_dates(headline):
            yield from _visible(evidence, headline)
    yield from linked
    yield from _changes(headline)


def _stated(evidence: PageEvidence, url: str) -> Iterator[Claim]:
    yield from _metas(evidence, _PUBLISHED_METAS)
    yield from _oldest_property(evidence)
    if (when := date_in_path(urlsplit(url).path)) is not None:
        yield when.date().isoformat(), "address"


def _metas(evidence: PageEvidence, names: tuple[str, ...]) -> Iterator[Claim]:
    plain: dict[str, list[tuple[str, str]]] = {}
    for name, values in evidence.metas.items():
        plain.setdefault(_plain_name(name), []).extend((value, name) for value in values)
    for name in names:
        for value, written in plain.get(name, ()):
            yield value, f"meta {written}"
    # Sites put names of their own before those that everyone uses.
    for name, claims in plain.items():
        if name.endswith(names[:_COMMON]) and name not in names:
            yield from ((value, f"meta {written}") for value, written in claims)


def _plain_name(name: str) -> str:
    return "".join(filter(str.isalnum, name))


def _labelled(headline: Sequence[str]) -> Iterator[Claim]:
    """A line that says when the page was published, when no other says otherwise."""
    lines = [part for text in headline if says_published(text) and (part := publication_part(text))]
    if len({when.date() for text in lines if (when := parse_page_date(text)) is not None}) == 1:
        yield from ((text, "labelled line") for text in lines)


def _is_front_page(url: str) -> bool:
    """A site's front page is never published: the dates on it are those of its news."""
    parts = urlsplit(url)
    return (
        bool(url)
        and not parts.query
        and parts.path.strip("/") in ("", "index.html", "index.php", "news", "blog")
    )


def _lists_dates(headline: Sequence[str]) -> bool:
    """Many dates by the headline are those of other pages."""
    found = {
        when.date()
        for text in headline
        if len(text) <= _SHORT and (when := parse_page_date(text)) is not None
    }
    return len(found) >= _MANY_DATES


def _oldest_property(evidence: PageEvidence) -> Iterator[Claim]:
    """Answers and comments are marked like the question they follow: the oldest is the page's own."""
    marks = [mark for name in ("datepublished", "datecreated") for mark in evidence.properties.get(name, ())]
    dated = [(when, mark) for mark in marks if (when := parse_page_date(mark.value or mark.text)) is not None]
    if dated:
        mark = min(dated, key=lambda pair: pair[0])[1]
        yield mark.value or mark.text, f"itemprop {mark.name}"


def _scraps(evidence: PageEvidence, key: str) -> Iterator[Claim]:
    """The value of a key in linked data that is not valid JSON."""
    for text in evidence.broken_data:
        if found := re.search(rf'"{key}"\s*:\s*"([^"]{{6,40}})"', text):
            yield found[1], f"json-ld {key}"


def _changes(headline: Sequence[str]) -> Iterator[Claim]:
    """The only date by the headline, though it is that of a change: the page states no older one."""
    yield from (
        (part, "line by the headline, of an update") for text in headline if (part := change_part(text))
    )


def _linked(evidence: PageEvidence, *keys: str) -> Iterator[Claim]:
    for key in keys:
        for entry in evidence.linked_data:
            kinds = types_of(entry)
            if isinstance(entry.get(key), str) and any(ARTICLES.search(kind) for kind in kinds):
                yield entry[key], f"json-ld {kinds[0]}.{key}"


def _visible(evidence: PageEvidence, headline: Sequence[str]) -> Iterator[Claim]:
    """Time elements, and short lines by the headline; never one that tells of a change or of another page."""
    times = _own_times(evidence, headline)
    for mark in times:
        if _NAMED_PUBLICATION.search(mark.name):
            yield mark.value or mark.text, "time element"
    yield from _shown(times, headline)
    if is_article(evidence) and len({(mark.value or mark.text)[:10] for mark in times}) in _FEW:
        yield times[0].value or times[0].text, "time element"


def _own_times(evidence: PageEvidence, headline: Iterable[str]) -> list[MarkedElement]:
    """Without those that are called or said to be a change, or that stand in a line that tells of one."""
    changes = "\n".join(
        text[found.start() :] for text in headline if (found := CHANGED.search(text)) is not None
    )
    return [
        mark
        for mark in evidence.times
        if not (_NAMED_OTHERWISE.search(mark.name) or _tells_otherwise(mark.text))
        and not (mark.text and mark.text in changes)
    ]


def _tells_otherwise(text: str) -> bool:
    return bool(CHANGED.search(text) or OTHER.search(text))


def _shown(times: Sequence[MarkedElement], headline: Iterable[str]) -> Iterator[Claim]:
    """Short lines by the headline; where a time element stands in one, its value for machines comes first."""
    for text in headline:
        if part := publication_part(text):
            yield from (
                (mark.value, "time element")
                for mark in times
                if mark.value and mark.text and mark.text in part
            )
            yield part, "line by the headline"


def _modified(evidence: PageEvidence) -> Iterator[Claim]:
    yield from _linked(evidence, "dateModified")
    yield from _metas(evidence, _MODIFIED_METAS)
    for found in evidence.properties.get("datemodified", [])[:1]:
        yield found.value or found.text, "itemprop datemodified"
    for entry in evidence.linked_data:
        if isinstance(entry.get("dateModified"), str) and not _PAGES.isdisjoint(types_of(entry)):
            yield entry["dateModified"], "json-ld WebPage.dateModified"
    for mark in evidence.times:
        if CHANGED.search(mark.name) or CHANGED.search(mark.text):
            yield mark.value or mark.text, "time element"
