"""An article made ready for comparison, and the same without its furniture."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from headwater.pure.dupes.articles import Article
from headwater.pure.dupes.boilerplate import furniture
from headwater.pure.dupes.dateline import dateline_length
from headwater.pure.dupes.markup import unmarked
from headwater.pure.dupes.sentences import Sentences, sentences
from headwater.pure.dupes.tokens import Flags, Hashes, Places, Tokens, tokenise_pair


@dataclass(frozen=True, slots=True)
class Page:
    article: Article
    title: Tokens
    body: Tokens
    parts: Sentences
    furniture: Flags
    number: Flags
    capital: Flags
    dateline: int


@dataclass(frozen=True, slots=True)
class View:
    """The tokens that count. `places` are their positions in the page's body."""

    page: Page
    places: Places
    hashes: Hashes
    number: Flags
    capital: Flags

    def __len__(self) -> int:
        return len(self.hashes)

    def words(self, start: int, end: int) -> list[str]:
        return [self.page.body.word(place) for place in self.places[start:end].tolist()]


def page_of(article: Article) -> Page:
    title, body = tokenise_pair(unmarked(article.title), unmarked(article.body))
    parts = sentences(body)
    return Page(
        article=article,
        title=title,
        body=body,
        parts=parts,
        furniture=furniture(body, parts),
        number=body.number(),
        capital=body.capital(),
        dateline=int(np.searchsorted(body.starts, dateline_length(body.text()))),
    )


def story(page: Page, repeated: Collection[int]) -> View:
    """The page without furniture, dateline and the sentences known to be repeated."""
    hidden = page.furniture.copy()
    if repeated:
        hidden |= np.fromiter((part in repeated for part in page.parts.hashes), dtype=bool, count=len(hidden))
    shown = np.repeat(~hidden, page.parts.lengths)
    shown[: page.dateline] = False
    return _view(page, np.flatnonzero(shown))


def whole(page: Page) -> View:
    """With its furniture, but without the dateline."""
    return _view(page, np.arange(page.dateline, len(page.body)))


def _view(page: Page, places: Places) -> View:
    return View(page, places, page.body.hashes[places], page.number[places], page.capital[places])
