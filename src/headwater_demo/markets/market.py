"""The state of the demo's markets: articles about companies, and the keys that may request them."""

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
    """`burst` is how many requests per second the regulator accepts (None: any number)."""

    def __init__(self, *, seed: int, size: str, start: datetime) -> None:
        self.seed, self.start = seed, start
        self.keys = KeyTable()
        self.burst: int | None = None
        self.dispatches = first_dispatches(seed, size, start)
        self.request_counts: Counter[str] = Counter()

    def response_id(self, request: SiteRequest) -> str:
        """A new id for each response, even to the same request; it depends only on the request and how often it was made."""
        question = f"{request.host}{request.path}?{urlencode(sorted(request.query.items()))}"
        self.request_counts[question] += 1
        return sha256(f"{question} {self.request_counts[question]}".encode()).hexdigest()[:32]

    def listed(self, now: datetime) -> list[Dispatch]:
        """The dispatches that the provider lists by now, oldest first."""
        return sorted(
            (dispatch for dispatch in self.dispatches if dispatch.listed_at <= now),
            key=lambda dispatch: (dispatch.published, dispatch.id),
        )

    def at(self, host: str, path: str, now: datetime) -> Dispatch | None:
        dispatches = (
            dispatch for dispatch in self.dispatches if dispatch.host == host and dispatch.path == path
        )
        return next((dispatch for dispatch in dispatches if dispatch.published <= now), None)

    def publish(
        self, *, now: datetime, tickers: list[str], late_minutes: float = 0, **fields: Any
    ) -> Dispatch:
        """A new article, published `late_minutes` before it is listed, which is now."""
        published = now - timedelta(minutes=late_minutes)
        if tickers:
            company = BY_TICKER[tickers[0]]
            other = BY_TICKER[tickers[1]] if len(tickers) > 1 else None
            dispatch = company_dispatch(company, other, published, seed=self.seed + len(self.dispatches))
        else:
            dispatch = economy_dispatch(published, seed=self.seed + len(self.dispatches))
        changes: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()
        }
        dispatch = replace(dispatch, listed_at=now, tickers=tuple(tickers), **changes)
        self.dispatches.append(dispatch)
        return dispatch
