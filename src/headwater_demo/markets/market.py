"""Everything that is told about the companies, and who may ask for it."""

from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any
from urllib.parse import urlencode

from headwater_demo.markets.companies import BY_TICKER
from headwater_demo.markets.keys import KeyTable
from headwater_demo.markets.wire import Dispatch, company_dispatch, economy_dispatch, first_dispatches
from headwater_demo.site import SiteRequest


class DemoMarket:
    """The state of the markets part of the demo. `burst` is how many requests a second the regulator bears (None: any
    number); `orders` and `positions` are the broker's."""

    def __init__(self, *, seed: int, size: str, start: datetime) -> None:
        self.seed, self.start = seed, start
        self.keys = KeyTable()
        self.burst: int | None = None
        self.dispatches = first_dispatches(seed, size, start)
        self.asked: Counter[str] = Counter()

    def fresh(self, request: SiteRequest) -> str:
        """Another word for each answer, be the question the same; whoever asks the same questions in another order gets
        the same words."""
        question = f"{request.host}{request.path}?{urlencode(sorted(request.query.items()))}"
        self.asked[question] += 1
        return sha256(f"{question} {self.asked[question]}".encode()).hexdigest()[:32]

    def listed(self, now: datetime) -> list[Dispatch]:
        """What the provider lists by now, oldest first."""
        return sorted(
            (one for one in self.dispatches if one.listed_at <= now), key=lambda one: (one.published, one.id)
        )

    def at(self, host: str, path: str, now: datetime) -> Dispatch | None:
        found = (one for one in self.dispatches if one.host == host and one.path == path)
        return next((one for one in found if one.published <= now), None)

    def publish(self, *, now: datetime, tickers: list[str], late_minutes: float = 0, **told: Any) -> Dispatch:
        """A new article, published `late_minutes` before it is listed, which is now."""
        published = now - timedelta(minutes=late_minutes)
        if tickers:
            company = BY_TICKER[tickers[0]]
            other = BY_TICKER[tickers[1]] if len(tickers) > 1 else None
            made = company_dispatch(company, other, published, seed=self.seed + len(self.dispatches))
        else:
            made = economy_dispatch(published, seed=self.seed + len(self.dispatches))
        changes: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in told.items()
        }
        made = replace(made, listed_at=now, tickers=tuple(tickers), **changes)
        self.dispatches.append(made)
        return made
