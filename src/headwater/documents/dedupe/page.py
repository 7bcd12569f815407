"""An article prepared for comparison: its tokens, and which of them are boilerplate or dateline rather than story."""

import html
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from ahocorasick_rs import AhoCorasick, Implementation

from headwater.documents.dedupe.articles import Article
from headwater.documents.dedupe.token_batch import tokenise_pages
from headwater.documents.dedupe.tokens import (
    CHARACTER_LIMIT,
    Flags,
    Hashes,
    Places,
    SentenceRuns,
    Tokens,
)
from headwater.text.markup import strip_tags

REPEATS_AT_PUBLISHER = 3
"""A sentence that a publisher used in this many different stories is boilerplate."""

REPEATS_ANYWHERE = 12
"""The same for a sentence of any publisher."""

ALL_PUBLISHERS = ""
"""The name under which sentences of all publishers are counted."""

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
_PHRASE_MATCHER = AhoCorasick(_PHRASES, implementation=Implementation.DFA)
"""A table of a quarter of a megabyte, with which a text is read in a third of the time."""
_BYLINE_WITHIN = 300
_BYLINE = re.compile(
    r"^(?:by [a-z]|(?:por|par|von|di) [^.\n]{3,40}$"
    r"|(?:last updated?|updated?|published|actualizado|publicado|atualizado|publi\u00e9|mis \u00e0 jour|ver\u00f6ffentlicht|aktualisiert|pubblicato"
    r"|aggiornato|actualitzat|publicat)\b[^.\n]{0,40}\d)",
    re.MULTILINE,
)
_CORRECTION = re.compile(
    r"\b(?:correct(?:s|ed|ion)|misstated|clarification|rpt|refiles?|recasts?)\b", re.IGNORECASE
)


def find_boilerplate(tokens: Tokens, sentences: SentenceRuns) -> Flags:
    """One flag per sentence: its words show that it belongs to the page, not to the story."""
    flags = np.zeros(len(sentences.hashes), dtype=bool)
    offsets = list(_boilerplate_offsets(tokens.text().lower()))
    if offsets and len(flags):
        words = np.searchsorted(tokens.starts, offsets, side="right") - 1
        flags[np.maximum(np.searchsorted(sentences.starts, words, side="right") - 1, 0)] = True
    return flags


def _boilerplate_offsets(text: str) -> Iterator[int]:
    """Character offsets inside boilerplate sentences."""
    yield from (end - 1 for _, _, end in _PHRASE_MATCHER.find_matches_as_indexes(text, overlapping=True))
    yield from (match.end() - 1 for match in _BYLINE.finditer(text, 0, _BYLINE_WITHIN))


def announces_correction(text: str) -> bool:
    return _CORRECTION.search(text) is not None


_DASH = r"\s*\.?\s*(?:--?|\u2013|\u2014)\s"
_DATE = (
    r",?\s*(?:[A-Z][a-z]{2,8}\.?\s+\d{1,2}|\d{1,2}\.?\s(?:de\s)?[^\W\d_]{3,10}\.?)(?:,?\s+(?:de\s)?\d{4})?"
)
_AGENCY = r"\s*\([^()\n]{2,30}\)"
_SLASHED = r"\.?\s*/[^/\n]{2,30}/\s*(?:\.|--?|\u2013|\u2014)\s"
_UPPER_CASE_PLACE = r"[A-Z][A-Z.'/ -]{2,30}(?:,\s*[A-Z][A-Za-z. ]{1,20})?"
_PLACE = r"[A-Z][A-Za-z.'/ -]{2,30}(?:,\s*[A-Z][A-Za-z. ]{1,20})?"
_OPENING_PLACE = re.compile(r"[A-Z][a-z]+(?: [A-Z][a-z]+)?:\s")
"""`Paris: ` counts only at the very start of a text."""
_BRACKETED = rf"\([A-Z][A-Z.'/ -]{{2,30}}\){_DASH}"
_DATELINE = re.compile(
    rf"(?:{_UPPER_CASE_PLACE}(?:{_DATE})?(?:{_AGENCY})?|{_PLACE}(?:(?:{_DATE})?{_AGENCY}|{_DATE})){_DASH}"
    rf"|{_PLACE}(?:{_DATE})?{_SLASHED}|{_BRACKETED}"
)
_DATELINE_LINES = 4
_DATELINE_WITHIN = 400


def dateline_length(text: str) -> int:
    """The length of bylines and dateline at the start; 0 without a dateline."""
    offset = 0
    for line in text[:_DATELINE_WITHIN].split("\n")[:_DATELINE_LINES]:
        match = _DATELINE.match(line) or (None if offset else _OPENING_PLACE.match(line))
        if match:
            return offset + match.end()
        offset += len(line) + 1
    return 0


_MAX_READ = 4 * CHARACTER_LIMIT
"""Characters read; of the stripped text only the first `CHARACTER_LIMIT` characters count."""


def strip_markup(text: str) -> str:
    text = strip_tags(text[:_MAX_READ], block="\n")
    return html.unescape(text) if "&" in text else text


@dataclass(frozen=True)
class ArticlePage:
    """What only a comparison needs is computed when it is first asked for: most articles are compared with none."""

    article: Article
    title: Tokens
    body: Tokens
    sentences: SentenceRuns

    @cached_property
    def is_boilerplate(self) -> Flags:
        return find_boilerplate(self.body, self.sentences)

    @cached_property
    def is_number(self) -> Flags:
        return self.body.is_number()

    @cached_property
    def is_capital(self) -> Flags:
        return self.body.is_capital()

    @cached_property
    def is_name(self) -> Flags:
        return _name_flags(self.title, self.body, self.sentences, self.is_capital & ~self.is_number)

    @cached_property
    def story(self) -> Places:
        """The words outside boilerplate and dateline."""
        return _shown(self, self.is_boilerplate)

    @cached_property
    def dateline(self) -> int:
        """The number of words in bylines and dateline."""
        return int(np.searchsorted(self.body.starts, dateline_length(self.body.text())))


AROUND = 8
"""Words shown on either side of a difference."""


@dataclass(frozen=True)
class TokenView:
    """The tokens that count, with their positions in the body of the page. What they are is looked up when it is first asked
    for: most pairs of articles turn out to share too few words."""

    page: ArticlePage
    positions: Places

    @cached_property
    def hashes(self) -> Hashes:
        return self.page.body.hashes[self.positions]

    @cached_property
    def is_number(self) -> Flags:
        return self.page.is_number[self.positions]

    @cached_property
    def is_capital(self) -> Flags:
        return self.page.is_capital[self.positions]

    @cached_property
    def is_name(self) -> Flags:
        return self.page.is_name[self.positions]

    def __len__(self) -> int:
        return len(self.positions)

    def words(self, start: int, end: int) -> list[str]:
        return [self.page.body.word(position) for position in self.positions[start:end].tolist()]

    def passage(self, start: int, end: int) -> str:
        """These words with those around them, as the text has them."""
        places = self.positions[max(0, start - AROUND) : end + AROUND]
        if not len(places):
            return ""
        return " ".join(self.page.body.text_between(int(places[0]), int(places[-1])).split())


def page_of(article: Article) -> ArticlePage:
    return pages_of([article])[0]


def pages_of(articles: Sequence[Article]) -> list[ArticlePage]:
    pairs = [(strip_markup(article.title), strip_markup(article.body)) for article in articles]
    return [
        ArticlePage(article, *tokens) for article, tokens in zip(articles, tokenise_pages(pairs), strict=True)
    ]


def _name_flags(title: Tokens, body: Tokens, sentences: SentenceRuns, is_capital: Flags) -> Flags:
    """Which words are names: capitalised inside a sentence, or at its start if the title or another sentence has them, too."""
    is_inside = is_capital.copy()
    is_inside[sentences.starts] = False
    named = {*title.stems.tolist(), *body.stems[is_inside].tolist()}
    is_inside[is_capital] = [stem in named for stem in body.stems[is_capital].tolist()]
    return is_inside


def story_view(page: ArticlePage, repeated: Collection[int]) -> TokenView:
    """The page without boilerplate, dateline and repeated sentences."""
    if not repeated or not (places := _places_of(repeated, page.sentences)):
        return TokenView(page, page.story)
    hidden = page.is_boilerplate.copy()
    hidden[places] = True
    return TokenView(page, _shown(page, hidden))


def _places_of(repeated: Collection[int], sentences: SentenceRuns) -> list[int]:
    return [place for place, sentence in enumerate(sentences.hashes) if sentence in repeated]


def _shown(page: ArticlePage, hidden: Flags) -> Places:
    is_shown = np.repeat(~hidden, page.sentences.lengths)
    is_shown[: page.dateline] = False
    return np.flatnonzero(is_shown)


def whole_view(page: ArticlePage) -> TokenView:
    """The page with its boilerplate, but without the dateline."""
    return TokenView(page, np.arange(page.dateline, len(page.body)))
