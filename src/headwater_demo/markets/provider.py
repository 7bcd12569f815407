"""The data provider: news, bars and particulars by key, with quotas, pages and a fresh id in every answer."""

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


def provider(floor: DemoMarket) -> Site:
    def answer(request: SiteRequest) -> SiteResponse:
        given = _answer(floor, request)
        body = {**json.loads(given.body), "request_id": floor.fresh(request)}
        return replace(given, body=json.dumps(body).encode())

    return Site(HOST, answer)


def _answer(floor: DemoMarket, request: SiteRequest) -> SiteResponse:
    value = request.headers.get("authorization", "").removeprefix("Bearer ") or request.query.get(
        "apiKey", ""
    )
    key = floor.keys.find(value)
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
        return _news(floor, request)
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


def _news(floor: DemoMarket, request: SiteRequest) -> SiteResponse:
    query = dict(request.query)
    position = 0
    if "cursor" in query:
        try:
            query = dict(parse_qsl(base64.urlsafe_b64decode(query["cursor"].encode()).decode()))
        except (binascii.Error, ValueError):
            return json_response({"status": "ERROR", "error": "Invalid cursor"}, 400)
        position = int(query.pop("position"))
    limit = min(int(query.get("limit", DEFAULT_LIMIT)), MAX_LIMIT)
    found = [one for one in floor.listed(request.now) if _matches(one, query)]
    if query.get("order", "desc") == "desc":
        found.reverse()
    page = found[position : position + limit]
    answer: dict[str, Any] = {"results": [_article(one) for one in page], "status": "OK", "count": len(page)}
    if position + limit < len(found):
        cursor = urlencode({**query, "limit": limit, "position": position + limit})
        packed = base64.urlsafe_b64encode(cursor.encode()).decode()
        # As the real one does: its own host, spelled with its port.
        answer["next_url"] = f"https://{HOST}:443{NEWS}?cursor={packed}"
    return json_response(answer)


def _matches(one: Dispatch, query: Mapping[str, str]) -> bool:
    ticker = query.get("ticker")
    if ticker and ticker not in one.tickers:
        return False
    if "ticker.any_of" in query and one.tickers:
        return (
            False  # funds that stand for the whole market: what is told of them is about nobody in particular
        )
    published = one.published.replace(microsecond=0)
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
    found = datetime.fromisoformat(text)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _article(one: Dispatch) -> dict[str, Any]:
    home = f"https://www.{one.host}/"
    insights = [
        {"ticker": ticker, "sentiment": "neutral", "sentiment_reasoning": "Reported without judgement."}
        for ticker in one.tickers
    ]
    return {
        "id": one.id,
        "publisher": {"name": NAMES[one.host], "homepage_url": home, "logo_url": f"{home}logo.svg"},
        "title": one.title,
        "author": one.author,
        "published_utc": one.published.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "article_url": f"{one.url}?utm_source=provider",
        "tickers": list(one.tickers) or ["SPY"],
        "description": one.description,
        "keywords": list(one.keywords),
        "insights": insights,
    }


def _aggregates(parts: list[str], request: SiteRequest) -> SiteResponse:
    ticker, now = parts[0], request.now
    known = ticker in BY_TICKER
    if parts[1:] == ["prev"]:
        bar = daily(ticker, last_day(now), now) if known else None
        return _bars(ticker, [bar | {"T": ticker}] if bar else [])
    if len(parts) != 6 or parts[1] != "range":
        return json_response({"status": "NOT_FOUND", "message": "Not found."}, 404)
    first, last = date.fromisoformat(parts[4]), date.fromisoformat(parts[5])
    if not known:
        return _bars(ticker, [])
    if parts[3] == "hour":
        return _bars(ticker, list(hourly(ticker, max(first, now.date() - timedelta(days=7)), last, now)))
    days = (first + timedelta(days=n) for n in range(min((last - first).days + 1, 30)))
    return _bars(ticker, [bar for day in days if (bar := daily(ticker, day, now, stamped="midnight"))])


def _bars(ticker: str, bars: list[dict[str, Any]]) -> SiteResponse:
    """Without data there is no `results` at all."""
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
    wanted = date.fromisoformat(day)
    found = ((one.ticker, daily(one.ticker, wanted, now)) for one in COMPANIES)
    return _bars("", [bar | {"T": ticker} for ticker, bar in found if bar])


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
