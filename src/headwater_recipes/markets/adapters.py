"""Which adapter looks at which kind of source, where, and with which key."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from headwater.discover.api.asking import Api
from headwater.discover.api.broker import broker
from headwater.discover.api.credential import Credential
from headwater.discover.api.filings import SEARCH, TICKERS, filings
from headwater.discover.api.market import market
from headwater.discover.api.news import news
from headwater.discover.scrape import discover_scrape
from headwater.model.recipe import Discover
from headwater.model.source import Source
from headwater.pure.filings import ARCHIVE

PROVIDER = "massive"
BROKER = "broker"


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoints:
    """Addresses, all of which can be pointed at any server that answers in the same way."""

    provider: str = "https://api.massive.com"
    broker: str = "https://paper-api.alpaca.markets"
    search: str = SEARCH
    archive: str = ARCHIVE
    tickers: str = TICKERS


@dataclass(frozen=True, slots=True)
class Adapters:
    """The dispatch table of the recipe. Keys come from the environment: HEADWATER_MASSIVE_KEY for news and market
    data, HEADWATER_BROKER_KEY and HEADWATER_BROKER_SECRET for the account."""

    endpoints: Endpoints = field(default_factory=Endpoints)
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)

    def table(self) -> dict[str, Discover]:
        here = self.endpoints
        return {
            "market_api": market(self._provider),
            "news_api": news(self._provider),
            "filings_api": filings(search=here.search, archive=here.archive, tickers=here.tickers),
            "web_scrape": discover_scrape,
            "broker": broker(self._broker),
            "macro_news": news(self._provider, "macro_event"),
        }

    def _provider(self, source: Source) -> Api:
        key = Credential(PROVIDER, {"Authorization": "HEADWATER_MASSIVE_KEY"}, "Bearer ", self.environment)
        return Api(source.options.get("endpoint", self.endpoints.provider), source.kind, key)

    def _broker(self, source: Source) -> Api:
        variables = {
            "APCA-API-KEY-ID": "HEADWATER_BROKER_KEY",
            "APCA-API-SECRET-KEY": "HEADWATER_BROKER_SECRET",
        }
        key = Credential(BROKER, variables, environment=self.environment)
        return Api(source.options.get("endpoint", self.endpoints.broker), source.kind, key)
