"""The broker: an account that may only be read."""

import json
from typing import Any

from headwater_demo.markets.market import DemoMarket
from headwater_demo.site import JSON, Site, SiteRequest, SiteResponse

HOST = "broker.example"


def brokerage(market: DemoMarket) -> Site:
    return Site(HOST, lambda request: _answer(market, request))


def _answer(market: DemoMarket, request: SiteRequest) -> SiteResponse:
    key = market.keys.find(request.headers.get("apca-api-key-id", ""))
    if key is None or request.headers.get("apca-api-secret-key") != "demo-secret":
        return _json_response({"code": 40110000, "message": "request is not authorized"}, 401)
    if not key.admit(request.now):
        return _json_response({"code": 42910000, "message": "rate limit exceeded"}, 429)
    if request.method != "GET":
        return _json_response({"code": 40310000, "message": "this account must only be read"}, 403)
    answers = {
        "/v2/account": _account,
        "/v2/positions": _positions,
        "/v2/orders": _orders,
        "/v2/clock": _clock,
    }
    if request.path not in answers:
        return _json_response({"code": 40410000, "message": "not found"}, 404)
    return _json_response(answers[request.path](request))


def _json_response(payload: Any, status: int = 200) -> SiteResponse:
    limits = {"X-RateLimit-Limit": "200", "X-RateLimit-Remaining": "199"}
    return SiteResponse(
        status=status, body=json.dumps(payload).encode(), media_type=JSON, headers=limits, as_is=True
    )


def _account(_request: SiteRequest) -> Any:
    return {"id": "5f1c0d52-0000-4a11-9b0f-1d00bb11cc22", "status": "ACTIVE", "currency": "USD", "cash": "10412.18", "equity": "10994.78", "buying_power": "20824.36", "trading_blocked": False}  # fmt: skip


def _positions(_request: SiteRequest) -> Any:
    return [
        {"asset_id": "7b1f0a52-0000-4d11-9b0f-aa00bb11cc22", "symbol": "NGSC", "qty": "12", "side": "long", "avg_entry_price": "45.10", "market_value": "582.60", "current_price": "48.55"},
    ]  # fmt: skip


def _orders(request: SiteRequest) -> Any:
    order = {"id": "61e69015-0000-4b5d-8b3b-0c33aa11dd22", "symbol": "NGSC", "qty": "12", "filled_qty": "12", "side": "buy", "type": "limit", "limit_price": "45.20", "status": "filled", "submitted_at": "2026-11-12T15:02:11.123456789Z", "updated_at": "2026-11-12T15:02:12.987654321Z"}  # fmt: skip
    after, until = request.query.get("after", ""), request.query.get("until", "9999")
    return [order] if after < order["submitted_at"] < until else []


def _clock(request: SiteRequest) -> Any:
    stamp = request.now.strftime("%Y-%m-%dT%H:%M:%S.123456789-00:00")
    return {"timestamp": stamp, "is_open": False, "next_open": "2026-11-16T09:30:00-05:00", "next_close": "2026-11-16T16:00:00-05:00"}  # fmt: skip
