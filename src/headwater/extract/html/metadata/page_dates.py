"""How a page orders day and month where it writes both as numbers."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
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

_PAGE_TYPES = frozenset({"WebPage", "AboutPage", "MedicalWebPage", "FAQPage"})
# Names of meta elements as `_plain_date_name` leaves them, the surest vocabularies first.
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
_COMMON_NAMES = 5
_DATE_METAS = frozenset({*_PUBLISHED_METAS, *_MODIFIED_METAS})
_COMMON_ENDINGS = (*_PUBLISHED_METAS[:_COMMON_NAMES], *_MODIFIED_METAS[:_COMMON_NAMES])
_NAMED_PUBLICATION = re.compile(r"publish|posted|entry-date|pubdate|created|dateline|article|post-date")
_NAMED_OTHER = re.compile(
    r"updat|modif|edited|revis|expire|event|card|teaser|related|recommend|widget|sidebar|comment|thumb|preview|promo"
)
_MACHINE = re.compile(r"\s*\d{4}-?\d{2}-?\d{2}")
_SHORT = 90
_SENTENCE = 200
_YEAR = re.compile(r"\d\d\d\d")  # found faster than \d{4}
_NEAREST = 7
_MANY_DATES = 4
_FEW_TIMES = range(1, 13)
_MONTH_FIRST = frozenset({"US", "PH", "CA", "FM", "MH", "PW"})
_COUNTRIES_DAY_FIRST = ("uk", "au", "nz", "ie", "in", "za", "sg", "my", "hk", "ng", "ke")
_MOST_TEXTS = 40


@dataclass(frozen=True, slots=True)
class PageDate:
    """A date of the page, the text that states it, and where that text stands."""

    when: datetime
    stated: str
    origin: str


Claim = tuple[str, str]
"""A text that may hold the date, and its origin."""


def publication_date(evidence: PageEvidence, headline: Sequence[str], url: str) -> PageDate | None:
    """`headline` holds the lines around the page's headline, the nearest first."""
    if _is_front_page(url):
        return None
    time_texts = {mark.text for mark in evidence.times if mark.text}
    nearest = _lines_with_dates(headline[:_NEAREST], time_texts)
    headline = _lines_with_dates(headline, time_texts)
    day_first = is_day_first(evidence, headline, url)
    declared_date = _first_date(_publication_claims(evidence, headline, url), day_first)
    if declared_date is None or is_forum(evidence):
        return declared_date
    visible_date = _first_date(_headline_claims(_own_times(evidence, headline), nearest), day_first)
    # A template's date may be that of the last export. The date that readers see cannot be older than the text.
    # In a forum the older date is the day on which a member joined.
    return visible_date if visible_date and _is_older(visible_date, declared_date) else declared_date


def _lines_with_dates(lines: Iterable[str], words: Iterable[str]) -> list[str]:
    """The lines that may hold a date: with a year, or with the text of a time element. Once each."""
    unique_lines = dict.fromkeys(lines)
    return [
        text
        for text in unique_lines
        if len(text) <= _SENTENCE and (_YEAR.search(text) or any(word in text for word in words))
    ]


def _is_older(date: PageDate, other: PageDate) -> bool:
    """Whether it is older by a day or more; the same moment in two time zones is not."""
    same_moment = has_time(date.stated) and date.when == other.when
    return not same_moment and date.when.date() < other.when.date()


def modification_date(evidence: PageEvidence) -> PageDate | None:
    return _first_date(_modification_claims(evidence), None)


def _first_date(claims: Iterable[Claim], day_first: bool | None) -> PageDate | None:
    for text, origin in claims:
        if (when := parse_page_date(text, day_first=day_first)) is not None:
            return PageDate(when, text, origin)
    return None


def _publication_claims(evidence: PageEvidence, headline: Sequence[str], url: str) -> Iterator[Claim]:
    linked_dates = list(_linked_data_claims(evidence, "datePublished", "dateCreated"))
    yield from (claim for claim in linked_dates if _MACHINE.match(claim[0]))
    yield from _broken_data_claims(evidence, "datePublished")
    # A date in words inside linked data comes from a template, often that of the last change: it comes late.
    # Site builders date every category of a shop; that says nothing about the products.
    if not is_product(evidence):
        yield from _declared_claims(evidence, url)
        yield from _labelled_claims(headline)
        if is_article(evidence) or not _lists_dates(headline):
            yield from _visible_claims(evidence, headline)
    yield from linked_dates
    yield from _change_claims(headline)


def _declared_claims(evidence: PageEvidence, url: str) -> Iterator[Claim]:
    yield from _meta_claims(evidence, _PUBLISHED_METAS)
    yield from _property_claims(evidence)
    if (when := date_in_path(urlsplit(url).path)) is not None:
        yield when.date().isoformat(), "address"


def _meta_claims(evidence: PageEvidence, names: tuple[str, ...]) -> Iterator[Claim]:
    claims_by_name: dict[str, list[tuple[str, str]]] = {}
    for name, values in evidence.metas.items():
        if plain_name := _plain_date_name(name):
            claims_by_name.setdefault(plain_name, []).extend((value, name) for value in values)
    for name in names:
        for value, name_on_page in claims_by_name.get(name, ()):
            yield value, f"meta {name_on_page}"
    # Sites put prefixes of their own before the common names.
    for name, claims in claims_by_name.items():
        if name not in names and name.endswith(names[:_COMMON_NAMES]):
            yield from ((value, f"meta {name_on_page}") for value, name_on_page in claims)


@lru_cache(maxsize=1_000)
def _plain_date_name(name: str) -> str:
    """The letters and digits of a name that may be that of a date; most are not, and their values need not be looked at."""
    plain_name = "".join(filter(str.isalnum, name))
    return plain_name if plain_name in _DATE_METAS or plain_name.endswith(_COMMON_ENDINGS) else ""


def _labelled_claims(headline: Sequence[str]) -> Iterator[Claim]:
    """Lines that say when the page was published, if they agree."""
    lines = [part for text in headline if says_published(text) and (part := publication_part(text))]
    if len({when.date() for text in lines if (when := parse_page_date(text)) is not None}) == 1:
        yield from ((text, "labelled line") for text in lines)


def _is_front_page(url: str) -> bool:
    """A front page has no publication date: the dates on it are those of its news."""
    parts = urlsplit(url)
    return (
        bool(url)
        and not parts.query
        and parts.path.strip("/") in ("", "index.html", "index.php", "news", "blog")
    )


def _lists_dates(headline: Sequence[str]) -> bool:
    """Whether there are many dates by the headline: those are of other pages."""
    dates = {
        when.date()
        for text in headline
        if len(text) <= _SHORT and (when := parse_page_date(text)) is not None
    }
    return len(dates) >= _MANY_DATES


def _property_claims(evidence: PageEvidence) -> Iterator[Claim]:
    """Answers and comments are marked like the question they follow: the oldest is the page's own."""
    marks = [mark for name in ("datepublished", "datecreated") for mark in evidence.properties.get(name, ())]
    dated_marks = [
        (when, mark) for mark in marks if (when := parse_page_date(mark.value or mark.text)) is not None
    ]
    if dated_marks:
        mark = min(dated_marks, key=lambda pair: pair[0])[1]
        yield mark.value or mark.text, f"itemprop {mark.name}"


def _broken_data_claims(evidence: PageEvidence, key: str) -> Iterator[Claim]:
    """The value of a key in linked data that is not valid JSON."""
    for text in evidence.broken_data:
        if match := re.search(rf'"{key}"\s*:\s*"([^"]{{6,40}})"', text):
            yield match[1], f"json-ld {key}"


def _change_claims(headline: Sequence[str]) -> Iterator[Claim]:
    """Dates of changes by the headline, for a page that states no older one."""
    yield from (
        (part, "line by the headline, of an update") for text in headline if (part := change_part(text))
    )


def _linked_data_claims(evidence: PageEvidence, *keys: str) -> Iterator[Claim]:
    for key in keys:
        for entry in evidence.linked_data:
            if isinstance(entry.get(key), str):
                kinds = types_of(entry)
                if any(ARTICLES.search(kind) for kind in kinds):
                    yield entry[key], f"json-ld {kinds[0]}.{key}"


def _visible_claims(evidence: PageEvidence, headline: Sequence[str]) -> Iterator[Claim]:
    """Time elements and short lines by the headline, without those about a change or another page."""
    times = _own_times(evidence, headline)
    for mark in times:
        if _NAMED_PUBLICATION.search(mark.name):
            yield mark.value or mark.text, "time element"
    yield from _headline_claims(times, headline)
    if is_article(evidence) and len({(mark.value or mark.text)[:10] for mark in times}) in _FEW_TIMES:
        yield times[0].value or times[0].text, "time element"


def _own_times(evidence: PageEvidence, headline: Iterable[str]) -> list[MarkedElement]:
    """The time elements without those whose name, text or line is about a change."""
    changes = "\n".join(
        text[match.start() :] for text in headline if (match := CHANGED.search(text)) is not None
    )
    return [
        mark
        for mark in evidence.times
        if not (_NAMED_OTHER.search(mark.name) or _is_other_date(mark.text))
        and not (mark.text and mark.text in changes)
    ]


def _is_other_date(text: str) -> bool:
    return bool(CHANGED.search(text) or OTHER.search(text))


def _headline_claims(times: Sequence[MarkedElement], headline: Iterable[str]) -> Iterator[Claim]:
    """Short lines by the headline. Where a line contains a time element, the value of that element comes first."""
    for text in headline:
        if part := publication_part(text):
            yield from (
                (mark.value, "time element")
                for mark in times
                if mark.value and mark.text and mark.text in part
            )
            yield part, "line by the headline"


def _modification_claims(evidence: PageEvidence) -> Iterator[Claim]:
    yield from _linked_data_claims(evidence, "dateModified")
    yield from _meta_claims(evidence, _MODIFIED_METAS)
    for mark in evidence.properties.get("datemodified", [])[:1]:
        yield mark.value or mark.text, "itemprop datemodified"
    for entry in evidence.linked_data:
        if isinstance(entry.get("dateModified"), str) and not _PAGE_TYPES.isdisjoint(types_of(entry)):
            yield entry["dateModified"], "json-ld WebPage.dateModified"
    for mark in evidence.times:
        if CHANGED.search(mark.name) or CHANGED.search(mark.text):
            yield mark.value or mark.text, "time element"


def is_day_first(evidence: PageEvidence, lines: Sequence[str], url: str) -> bool | None:
    """Whether 5/6/2024 is the fifth of June: by the other dates of the page, else by the custom of its language or country,
    else unknown."""
    marks = evidence.times[:_MOST_TEXTS]
    texts = [*(mark.value for mark in marks), *(mark.text for mark in marks), *lines[:_MOST_TEXTS]]
    numeric = [text for text in texts if has_custom_order(text)]
    if numeric:
        order_shown = next((order for text in numeric if (order := shown_day_first(text)) is not None), None)
        order_shown = _order_by_agreement(numeric, texts) if order_shown is None else order_shown
        if order_shown is not None:
            return order_shown
    return _order_by_custom(evidence.language, url)


def _order_by_agreement(numeric: Sequence[str], texts: Sequence[str]) -> bool | None:
    """The order in which a date in numbers equals one that the page also states in words."""
    other_dates = {date.date() for text in texts if (date := parse_page_date(text)) is not None}
    for text in numeric:
        readings = {order: parse_page_date(text, day_first=order) for order in (True, False)}
        orders = [
            order for order, date in readings.items() if date is not None and date.date() in other_dates
        ]
        if len(orders) == 1:
            return orders[0]
    return None


def _order_by_custom(language: str, url: str) -> bool | None:
    name, _, region = language.replace("_", "-").partition("-")
    if name and name.lower() != "en":
        return True
    if region:
        return region.upper() not in _MONTH_FIRST
    country = (urlsplit(url).hostname or "").rpartition(".")[2]
    return True if country in _COUNTRIES_DAY_FIRST else None
