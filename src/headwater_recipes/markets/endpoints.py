"""The adapter of each source kind, with its endpoint and credential."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from headwater.model.recipe import Discover, PollSession
from headwater.model.source import Source
from headwater.sources.json_api import Credential, JsonApi
from headwater.sources.page_section import discover_page_section
from headwater_recipes.markets.sources.broker import discover_broker
from headwater_recipes.markets.sources.edgar import ARCHIVE, SEARCH, TICKERS, discover_filings
from headwater_recipes.markets.sources.market_data import discover_market_data
from headwater_recipes.markets.sources.news import discover_news

PROVIDER = "massive"
BROKER = "broker"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiEndpoints:
    """Addresses of the APIs. Each can point to any server with the same API."""

    provider: str = "https://api.massive.com"
    broker: str = "https://paper-api.alpaca.markets"
    search: str = SEARCH
    archive: str = ARCHIVE
    tickers: str = TICKERS


def discover_company_page(source: Source, now: datetime) -> PollSession:
    """A section of a page whose documents carry the ticker of their source."""
    attributes = {name: source.options[name] for name in ("ticker",) if name in source.options}
    return discover_page_section(replace(source, options={**source.options, "attributes": attributes}), now)


@dataclass(frozen=True, slots=True)
class AdapterTable:
    """The adapters of the recipe by source kind. Keys come from the environment: HEADWATER_MASSIVE_KEY for news and market
    data, HEADWATER_BROKER_KEY and HEADWATER_BROKER_SECRET for the account."""

    endpoints: ApiEndpoints = field(default_factory=ApiEndpoints)
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)

    def table(self) -> dict[str, Discover]:
        endpoints = self.endpoints
        return {
            "market_api": discover_market_data(self._provider),
            "news_api": discover_news(self._provider),
            "filings_api": discover_filings(
                search=endpoints.search, archive=endpoints.archive, tickers=endpoints.tickers
            ),
            "web_scrape": discover_company_page,
            "broker": discover_broker(self._broker),
            "macro_news": discover_news(self._provider, "macro_event"),
        }

    def _provider(self, source: Source) -> JsonApi:
        key = Credential(PROVIDER, {"Authorization": "HEADWATER_MASSIVE_KEY"}, "Bearer ", self.environment)
        return JsonApi(source.options.get("endpoint", self.endpoints.provider), source.kind, key)

    def _broker(self, source: Source) -> JsonApi:
        variables = {
            "APCA-API-KEY-ID": "HEADWATER_BROKER_KEY",
            "APCA-API-SECRET-KEY": "HEADWATER_BROKER_SECRET",
        }
        key = Credential(BROKER, variables, environment=self.environment)
        return JsonApi(source.options.get("endpoint", self.endpoints.broker), source.kind, key)
