"""A list of companies to watch, with what there is to ask about them here."""

from typing import Any

from headwater_demo.clock import START
from headwater_demo.markets.companies import COMPANIES
from headwater_demo.markets.regulator import ARCHIVE, SEARCH
from headwater_demo.markets.wire_pages import INVESTORS

WATCHED = {"small": 10, "full": 50}
# The clock of the demo stands where it stands, whatever year it is elsewhere: everything is asked for.
_ALL = {"first_days": 3650}

ENDPOINTS = {
    "provider": "https://api.massive.example",
    "broker": "https://broker.example",
    "search": f"https://{SEARCH}",
    "archive": f"https://{ARCHIVE}/Archives/edgar/data",
    "tickers": f"https://{ARCHIVE}/files/company_tickers.json",
}
KEYS = {
    "HEADWATER_MASSIVE_KEY": "demo-key",
    "HEADWATER_BROKER_KEY": "demo-key",
    "HEADWATER_BROKER_SECRET": "demo-secret",
}


def watch_list(size: str) -> dict[str, Any]:
    """As plain data, ready to be written as YAML."""
    entities = [
        {
            "ticker": one.ticker,
            "name": one.name,
            "legal_name": one.legal_name,
            "sector": one.sector,
            "aliases": [one.short_name],
        }
        # Every third has to be looked up by its ticker.
        | ({"cik": one.cik} if number % 3 else {})
        for number, one in enumerate(COMPANIES[: WATCHED[size]])
    ]
    days = {"from": (START.date().replace(day=9)).isoformat(), "to": START.date().replace(day=12).isoformat()}
    sources = [
        {"name": "news", "kind": "news_api", "each": True, "options": _ALL},
        {"name": "filings", "kind": "filings_api", "each": True, "options": {"releases": True, **_ALL}},
        {"name": "hourly bars", "kind": "market_api", "each": True, "options": {"dataset": "hourly", **_ALL}},
        {
            "name": "previous day",
            "kind": "market_api",
            "tickers": ["NGSC"],
            "options": {"dataset": "previous"},
        },
        {
            "name": "particulars",
            "kind": "market_api",
            "each": True,
            "every": "1d",
            "options": {"dataset": "details"},
        },
        {"name": "daily bars of all", "kind": "market_api", "options": {"dataset": "grouped", **days}},
        {"name": "macro news", "kind": "macro_news", "options": {"query": {"ticker.any_of": "SPY"}, **_ALL}},
        {
            "name": "investors' page",
            "kind": "web_scrape",
            "tickers": ["NGSC"],
            "url": f"https://{INVESTORS}/",
            "options": {"selector": "#news"},
        },
        {"name": "account", "kind": "broker"},
    ]
    return {"entities": entities, "sources": sources}
