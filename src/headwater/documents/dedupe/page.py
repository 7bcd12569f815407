"""What a page says on every page: furniture known by its words, and sentences that a publisher keeps repeating."""

import html
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np
from ahocorasick_rs import AhoCorasick

from headwater.documents.dedupe.articles import Article
from headwater.documents.dedupe.tokens import (
    CHARACTER_LIMIT,
    Flags,
    Hashes,
    Places,
    SentenceRuns,
    Tokens,
    sentence_runs,
    tokenise_pair,
)

REPEATS_AT_PUBLISHER = 3
"""A sentence that a publisher used in so many different stories is furniture."""

REPEATS_ANYWHERE = 12
"""The same for a sentence seen at any publisher."""

ALL_PUBLISHERS = ""
"""Counts under this name are those over all publishers."""

_PHRASES = tuple(
    """
    all rights reserved|copyright|\u00a9|subscribe|subscription|newsletter|sign up|signing up|cookies| on facebook|follow us
    advertisement|sponsored|story continues|read also|also read|read more|read next|see also|most popular|most read
    you may also like|more from|recommended for you|trending now|terms of use|terms of service|terms and conditions
    privacy policy|manage preferences|comments are|community guidelines|share this|click here|download our|app store
    push notifications|join our|become a member|unlimited access|cancel any time|support independent|log in to
    contributed to this report|contributed to this story|reporting by|editing by|edited by|min read|minute read
    may not be published|may not be reproduced|not be redistributed|has not been edited|first appeared on|republished
    investment advice|views expressed|opinions expressed|disclaimer|data is delayed|file photo|getty images
    share this story|reproduction without|our correspondent\n|staff writer\n|staff reporter\n
    todos los derechos|suscr\u00edbete|suscr\u00edbase|bolet\u00edn de noticias|nuestro bolet\u00edn|compartir en|s\u00edguenos|pol\u00edtica de privacidad
    todos os direitos|assine |leia tamb\u00e9m|compartilhe|siga-nos|pol\u00edtica de privacidade|tots els drets|subscriu-te
    tous droits|abonnez-vous|inscrivez-vous|partager l|lire aussi|suivez-nous|alle rechte|abonnieren|teilen sie|artikel teilen
    lesen sie auch|tutti i diritti|iscriviti|leggi anche|seguici|condividi|minutos de lectura|nachdruck
    correction:|corrects |report a correction|earlier version of this|previous version of this|forward-looking statement
    """.replace("\n    ", "|")
    .strip("|")
    .split("|")
)
_SEARCH = AhoCorasick(_PHRASES)
_HEADING = 300
_BYLINE = re.compile(
    r"^(?:by [a-z]|(?:por|par|von|di) [^.\n]{3,40}$"
    r"|(?:last updated?|updated?|published|actualizado|publicado|atualizado|publi\u00e9|mis \u00e0 jour|ver\u00f6ffentlicht|aktualisiert|pubblicato"
    r"|aggiornato|actualitzat|publicat)\b[^.\n]{0,40}\d)",
    re.MULTILINE,
)
_CORRECTION = re.compile(r"\bcorrect(?:s|ed|ion)\b|\bmisstated\b|\bclarification\b", re.IGNORECASE)


def find_boilerplate(tokens: Tokens, parts: SentenceRuns) -> Flags:
    """One flag per sentence: its words alone show that it belongs to the page, not to the story."""
    found = np.zeros(len(parts.hashes), dtype=bool)
    places = list(_boilerplate_places(tokens.text().lower()))
    if places and len(found):
        words = np.searchsorted(tokens.starts, places, side="right") - 1
        found[np.maximum(np.searchsorted(parts.starts, words, side="right") - 1, 0)] = True
    return found


def _boilerplate_places(text: str) -> Iterator[int]:
    """Offsets inside the sentences concerned."""
    yield from (end - 1 for _, _, end in _SEARCH.find_matches_as_indexes(text, overlapping=True))
    yield from (match.end() - 1 for match in _BYLINE.finditer(text, 0, _HEADING))


def announces_correction(text: str) -> bool:
    return _CORRECTION.search(text) is not None


_DASH = r"\s*\.?\s*(?:--?|\u2013|\u2014)\s"
_DATE = (
    r",?\s*(?:[A-Z][a-z]{2,8}\.?\s+\d{1,2}|\d{1,2}\.?\s(?:de\s)?[^\W\d_]{3,10}\.?)(?:,?\s+(?:de\s)?\d{4})?"
)
_AGENCY = r"\s*\([^()\n]{2,30}\)"
_SLASHED = r"\.?\s*/[^/\n]{2,30}/\s*(?:\.|--?|\u2013|\u2014)\s"
_SHOUTED = r"[A-Z][A-Z.'/ -]{2,30}(?:,\s*[A-Z][A-Za-z. ]{1,20})?"
_SPOKEN = r"[A-Z][A-Za-z.'/ -]{2,30}(?:,\s*[A-Z][A-Za-z. ]{1,20})?"
_FIRST = re.compile(r"[A-Z][a-z]+(?: [A-Z][a-z]+)?:\s")
"""`Paris: ` opens a text; further down such a word belongs to it."""
_BRACKETED = rf"\([A-Z][A-Z.'/ -]{{2,30}}\){_DASH}"
_DATELINE = re.compile(
    rf"(?:{_SHOUTED}(?:{_DATE})?(?:{_AGENCY})?|{_SPOKEN}(?:(?:{_DATE})?{_AGENCY}|{_DATE})){_DASH}"
    rf"|{_SPOKEN}(?:{_DATE})?{_SLASHED}|{_BRACKETED}"
)
_LINES = 4
_HEAD = 400


def dateline_length(text: str) -> int:
    """How many characters at the beginning are bylines and a dateline; 0 for no dateline."""
    start = 0
    for line in text[:_HEAD].split("\n")[:_LINES]:
        match = _DATELINE.match(line) or (None if start else _FIRST.match(line))
        if match:
            return start + match.end()
        start += len(line) + 1
    return 0


_READ = 4 * CHARACTER_LIMIT
"""So much of a text is looked at; of what remains only the first `CHARACTER_LIMIT` characters count anyway."""

_BLOCKS = r"p|br|div|li|ul|ol|h[1-6]|tr|table|section|article|blockquote|figure|figcaption|hr|header|footer"
_INLINE = r"a|b|i|u|em|strong|span|small|sup|sub|img|td|th|font|cite|time"
# By name, because a wire writes its tickers between the same brackets.
_BREAK = re.compile(rf"</?(?:{_BLOCKS})(?:\s[^<>]{{0,500}})?/?>", re.IGNORECASE)
_TAG = re.compile(rf"</?(?:{_INLINE})(?:\s[^<>]{{0,500}})?/?>", re.IGNORECASE)


def strip_markup(text: str) -> str:
    text = text[:_READ]
    if "<" in text:
        text = _TAG.sub("", _BREAK.sub("\n", text))
    return html.unescape(text) if "&" in text else text


@dataclass(frozen=True, slots=True)
class ArticlePage:
    article: Article
    title: Tokens
    body: Tokens
    parts: SentenceRuns
    is_boilerplate: Flags
    number: Flags
    capital: Flags
    dateline: int


@dataclass(frozen=True, slots=True)
class TokenView:
    """The tokens that count. `places` are their positions in the page's body."""

    page: ArticlePage
    places: Places
    hashes: Hashes
    number: Flags
    capital: Flags

    def __len__(self) -> int:
        return len(self.hashes)

    def words(self, start: int, end: int) -> list[str]:
        return [self.page.body.word(place) for place in self.places[start:end].tolist()]


def page_of(article: Article) -> ArticlePage:
    title, body = tokenise_pair(strip_markup(article.title), strip_markup(article.body))
    parts = sentence_runs(body)
    return ArticlePage(
        article=article,
        title=title,
        body=body,
        parts=parts,
        is_boilerplate=find_boilerplate(body, parts),
        number=body.number(),
        capital=body.capital(),
        dateline=int(np.searchsorted(body.starts, dateline_length(body.text()))),
    )


def story_view(page: ArticlePage, repeated: Collection[int]) -> TokenView:
    """The page without furniture, dateline and the sentences known to be repeated."""
    hidden = page.is_boilerplate.copy()
    if repeated:
        hidden |= np.fromiter((part in repeated for part in page.parts.hashes), dtype=bool, count=len(hidden))
    shown = np.repeat(~hidden, page.parts.lengths)
    shown[: page.dateline] = False
    return _view(page, np.flatnonzero(shown))


def whole_view(page: ArticlePage) -> TokenView:
    """With its furniture, but without the dateline."""
    return _view(page, np.arange(page.dateline, len(page.body)))


def _view(page: ArticlePage, places: Places) -> TokenView:
    return TokenView(page, places, page.body.hashes[places], page.number[places], page.capital[places])
