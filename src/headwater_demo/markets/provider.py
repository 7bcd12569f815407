"""The data provider: news, price bars and company details by key, with quotas, pages and a new id in every response."""

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any
from urllib.parse import parse_qsl, urlencode

from headwater_demo.markets.companies import BY_TICKER, COMPANIES
from headwater_demo.markets.market import DemoMarket
from headwater_demo.markets.prices import daily, hourly, last_day
from headwater_demo.markets.wire import NAMES, Dispatch
from headwater_demo.site import JSON, Site, SiteRequest, SiteResponse

HOST = "api.massive.example"
NEWS = "/v2/reference/news"
DEFAULT_LIMIT, MAX_LIMIT = 10, 1000


def provider(market: DemoMarket) -> Site:
    def answer(request: SiteRequest) -> SiteResponse:
        response = _answer(market, request)
        body = {**json.loads(response.body), "request_id": market.response_id(request)}
        return replace(response, body=json.dumps(body).encode())

    return Site(HOST, answer)


def _answer(market: DemoMarket, request: SiteRequest) -> SiteResponse:
    value = request.headers.get("authorization", "").removeprefix("Bearer ") or request.query.get(
        "apiKey", ""
    )
    key = market.keys.find(value)
    if request.method != "GET":
        return json_response({"status": "ERROR", "error": "Method not allowed"}, 405)
    if key is None:
        return json_response({"status": "ERROR", "error": "Unknown API Key"}, 401)
    if not key.admit(request.now):
        return json_response(
            {"status": "ERROR", "error": "You've exceeded the maximum requests per minute."}, 429
        )
    if request.path.startswith(key.closed or ("\0",)):
        return json_response(
            {"status": "NOT_AUTHORIZED", "message": "You are not entitled to this data."}, 403
        )
    if request.path == NEWS:
        return _news(market, request)
    parts = request.path.strip("/").split("/")
    if parts[:3] == ["v2", "aggs", "ticker"]:
        return _aggregates(parts[3:], request)
    if parts[:3] == ["v2", "aggs", "grouped"]:
        return _grouped(parts[-1], request.now)
    if parts[:3] == ["v3", "reference", "tickers"]:
        return _particulars(parts[-1])
    return json_response({"status": "NOT_FOUND", "message": "Not found."}, 404)


def json_response(payload: Mapping[str, Any], status: int = 200) -> SiteResponse:
    return SiteResponse(status=status, body=json.dumps(payload).encode(), media_type=JSON)


def _news(market: DemoMarket, request: SiteRequest) -> SiteResponse:
    query = dict(request.query)
    position = 0
    if "cursor" in query:
        try:
            query = dict(parse_qsl(base64.urlsafe_b64decode(query["cursor"].encode()).decode()))
        except (binascii.Error, ValueError):
            return json_response({"status": "ERROR", "error": "Invalid cursor"}, 400)
        position = int(query.pop("position"))
    limit = min(int(query.get("limit", DEFAULT_LIMIT)), MAX_LIMIT)
    matching = [dispatch for dispatch in market.listed(request.now) if _matches(dispatch, query)]
    if query.get("order", "desc") == "desc":
        matching.reverse()
    page = matching[position : position + limit]
    answer: dict[str, Any] = {
        "results": [_article(dispatch) for dispatch in page],
        "status": "OK",
        "count": len(page),
    }
    if position + limit < len(matching):
        cursor = urlencode({**query, "limit": limit, "position": position + limit})
        encoded = base64.urlsafe_b64encode(cursor.encode()).decode()
        # Like the real provider: its own host, written with the port.
        answer["next_url"] = f"https://{HOST}:443{NEWS}?cursor={encoded}"
    return json_response(answer)


def _matches(dispatch: Dispatch, query: Mapping[str, str]) -> bool:
    ticker = query.get("ticker")
    if ticker and ticker not in dispatch.tickers:
        return False
    if "ticker.any_of" in query and dispatch.tickers:
        return False  # funds for the whole market have articles without a company
    published = dispatch.published.replace(microsecond=0)
    bounds = {
        name.partition(".")[2]: _moment(query[name]) for name in query if name.startswith("published_utc.")
    }
    checks = {
        "gte": lambda bound: published >= bound,
        "gt": lambda bound: published > bound,
        "lte": lambda bound: published <= bound,
        "lt": lambda bound: published < bound,
    }
    return all(checks[name](bound) for name, bound in bounds.items())


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _article(dispatch: Dispatch) -> dict[str, Any]:
    homepage = f"https://www.{dispatch.host}/"
    insights = [
        {"ticker": ticker, "sentiment": "neutral", "sentiment_reasoning": "Reported without judgement."}
        for ticker in dispatch.tickers
    ]
    return {
        "id": dispatch.id,
        "publisher": {
            "name": NAMES.get(dispatch.host, dispatch.host),
            "homepage_url": homepage,
            "logo_url": f"{homepage}logo.svg",
        },
        "title": dispatch.title,
        "author": dispatch.author,
        "published_utc": dispatch.published.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "article_url": f"{dispatch.url}?utm_source=provider",
        "tickers": list(dispatch.tickers) or ["SPY"],
        "description": dispatch.description,
        "keywords": list(dispatch.keywords),
        "insights": insights,
    }


def _aggregates(parts: list[str], request: SiteRequest) -> SiteResponse:
    ticker, now = parts[0], request.now
    is_listed = ticker in BY_TICKER
    if parts[1:] == ["prev"]:
        bar = daily(ticker, last_day(now), now) if is_listed else None
        return _bars(ticker, [bar | {"T": ticker}] if bar else [])
    if len(parts) != 6 or parts[1] != "range":
        return json_response({"status": "NOT_FOUND", "message": "Not found."}, 404)
    first, last = date.fromisoformat(parts[4]), date.fromisoformat(parts[5])
    if not is_listed:
        return _bars(ticker, [])
    if parts[3] == "hour":
        return _bars(ticker, list(hourly(ticker, max(first, now.date() - timedelta(days=7)), last, now)))
    days = (first + timedelta(days=n) for n in range(min((last - first).days + 1, 30)))
    return _bars(ticker, [bar for day in days if (bar := daily(ticker, day, now, stamped="midnight"))])


def _bars(ticker: str, bars: list[dict[str, Any]]) -> SiteResponse:
    """Without data, `results` is absent."""
    answer: dict[str, Any] = {
        "queryCount": len(bars),
        "resultsCount": len(bars),
        "adjusted": True,
        "status": "OK",
    }
    if ticker:
        answer["ticker"] = ticker
    return json_response(answer | ({"results": bars, "count": len(bars)} if bars else {}))


def _grouped(day: str, now: datetime) -> SiteResponse:
    trading_day = date.fromisoformat(day)
    daily_bars = ((company.ticker, daily(company.ticker, trading_day, now)) for company in COMPANIES)
    return _bars("", [bar | {"T": ticker} for ticker, bar in daily_bars if bar])


def _particulars(ticker: str) -> SiteResponse:
    company = BY_TICKER.get(ticker)
    if company is None:
        return json_response({"status": "NOT_FOUND", "message": "Ticker not found."}, 404)
    results = {
        "ticker": ticker,
        "name": company.legal_name,
        "market": "stocks",
        "locale": "us",
        "active": True,
        "currency_name": "usd",
        "cik": company.cik,
        "sic_description": company.sector.upper(),
        "homepage_url": f"https://www.{company.short_name.lower()}.example",
    }
    return json_response({"status": "OK", "results": results})
