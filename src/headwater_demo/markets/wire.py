"""The news wire: its articles about companies, and when the provider listed them."""

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

from headwater_demo.article import title_slug
from headwater_demo.markets.companies import COMPANIES, Company
from headwater_demo.markets.phrases import COMPANY, ECONOMY
from headwater_demo.prose.cast import person_name
from headwater_demo.prose.english import ENGLISH
from headwater_demo.prose.grammar import expand
from headwater_demo.prose.text import Phrases

WIRES = ("harbourwire.example", "quayreport.example", "ledgerdesk.example")
NAMES = {
    "harbourwire.example": "Harbour Wire",
    "quayreport.example": "Quay Report",
    "ledgerdesk.example": "Ledger Desk",
}
DAYS = {"small": 1, "full": 2}
FACTS_PER_ARTICLE = 9
ECONOMY_PER_DAY = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispatch:
    """An article on the wire. `listed_at` is when the provider lists it, which may be later than its own time."""

    id: str
    host: str
    path: str
    title: str
    author: str
    description: str
    keywords: tuple[str, ...]
    paragraphs: tuple[str, ...]
    published: datetime
    listed_at: datetime
    tickers: tuple[str, ...] = ()

    @property
    def url(self) -> str:
        return f"https://www.{self.host}{self.path}"


def first_dispatches(seed: int, size: str, start: datetime) -> list[Dispatch]:
    """The articles that exist when the demo starts: each company once a day, every fifth together with another company,
    pairs in the same second, and some that are listed late."""
    dispatches: list[Dispatch] = []
    for day in range(DAYS[size]):
        opens = start - timedelta(days=day + 1)
        for position, company in enumerate(COMPANIES):
            other = COMPANIES[(position + 1) % len(COMPANIES)] if position % 5 == 0 else None
            # Pairs share a second; a strict watermark would lose the second article.
            published = opens + timedelta(minutes=23 * (position // 2), seconds=position // 10)
            late = timedelta(minutes=70) if position % 17 == 3 else timedelta(0)
            dispatches.append(company_dispatch(company, other, published, seed=seed, late=late))
        hours = (opens + timedelta(hours=5 * number, minutes=11) for number in range(ECONOMY_PER_DAY))
        dispatches += [economy_dispatch(published, seed=seed) for published in hours]
    return dispatches


def company_dispatch(
    company: Company, other: Company | None, published: datetime, *, seed: int, late: timedelta = timedelta(0)
) -> Dispatch:
    chance = Random(f"{seed}:{company.ticker}:{published.isoformat()}")
    cast = _cast(chance) | {"company": company.name, "short": company.short_name}
    tickers = (company.ticker, other.ticker) if other else (company.ticker,)
    mention = (
        f" {other.name}, which works with {company.short_name} in {cast['city']}, said that nothing changes for its own customers."
        if other
        else ""
    )
    return _dispatch(COMPANY, cast, published, chance, tickers=tickers, tail=mention, late=late)


def economy_dispatch(published: datetime, *, seed: int) -> Dispatch:
    chance = Random(f"{seed}:economy:{published.isoformat()}")
    return _dispatch(ECONOMY, _cast(chance), published, chance)


def _cast(chance: Random) -> dict[str, str]:
    city, other = chance.sample(ENGLISH.cities, 2)
    return {"city": city, "other_city": other, "person": person_name(chance)}


def _dispatch(
    phrases: Phrases,
    cast: dict[str, str],
    published: datetime,
    chance: Random,
    *,
    tickers: tuple[str, ...] = (),
    tail: str = "",
    late: timedelta = timedelta(0),
) -> Dispatch:
    headline, lead = chance.choice(phrases.openings)
    title = expand(headline, cast, ENGLISH, published, chance)
    opening = expand(lead, cast, ENGLISH, published, chance)
    facts = [
        expand(fact, cast, ENGLISH, published, chance)
        for fact in chance.sample(phrases.facts, FACTS_PER_ARTICLE)
    ]
    middle = [f"{first} {second} {third}" for first, second, third in zip(*[iter(facts)] * 3, strict=True)]
    identity = hashlib.sha256(f"{title}:{published.isoformat()}:{tickers}".encode()).hexdigest()
    return Dispatch(
        id=identity,
        host=chance.choice(WIRES),
        path=f"/{published:%Y/%m/%d}/{title_slug(title)}-{identity[:6]}",
        title=title,
        author=cast["person"],
        description=opening,
        keywords=tuple(chance.sample(phrases.keywords, 2)),
        paragraphs=(opening, middle[0], middle[1] + tail, middle[2]),
        published=published,
        listed_at=published + late,
        tickers=tickers,
    )
