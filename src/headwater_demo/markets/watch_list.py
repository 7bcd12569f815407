"""A watch list of the companies, with the sources about them."""

from datetime import datetime, timedelta
from typing import Any

from headwater_demo.clock import START
from headwater_demo.markets.companies import COMPANIES
from headwater_demo.markets.regulator import ARCHIVE, SEARCH
from headwater_demo.markets.wire_pages import INVESTORS

WATCHED = {"small": 10, "full": 50}
# The demo clock is independent of the real date, so the sources request everything.
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


def watch_list(size: str, start: datetime = START) -> dict[str, Any]:
    """As plain data, ready to be written as YAML, for a demo that begins at `start`."""
    entities = [
        {
            "ticker": company.ticker,
            "name": company.name,
            "legal_name": company.legal_name,
            "sector": company.sector,
            "aliases": [company.short_name],
        }
        # Every third company has to be resolved by its ticker.
        | ({"cik": company.cik} if number % 3 else {})
        for number, company in enumerate(COMPANIES[: WATCHED[size]])
    ]
    days = {
        "from": (start.date() - timedelta(days=4)).isoformat(),
        "to": (start.date() - timedelta(days=1)).isoformat(),
    }
    sources = [
        {"name": "news", "kind": "news_api", "per_company": True, "options": _ALL},
        {
            "name": "filings",
            "kind": "filings_api",
            "per_company": True,
            "options": {"releases": True, **_ALL},
        },
        {
            "name": "hourly bars",
            "kind": "market_api",
            "per_company": True,
            "options": {"dataset": "hourly", **_ALL},
        },
        {
            "name": "previous day",
            "kind": "market_api",
            "tickers": ["NGSC"],
            "options": {"dataset": "previous"},
        },
        {
            "name": "particulars",
            "kind": "market_api",
            "per_company": True,
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
