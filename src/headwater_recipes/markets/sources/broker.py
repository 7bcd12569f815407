"""A broker's account, looked at and never touched: there is no way here to place, change or cancel an order."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from headwater.model.recipe import Discover, Discovery, PollSession
from headwater.model.source import Observation, Source
from headwater.sources.json_api import ApiCall, JsonApi, fetch_json, parse_timestamp, text_value
from headwater_recipes.markets.payload_hash import payload_hash

ORDERS_AT_ONCE = 500
OLD_ORDERS = timedelta(days=7)
CLOSED = {"closed": True, "qty": "0"}
MOST_REMEMBERED = 5000

BrokerApiOf = Callable[[Source], JsonApi]
BrokerRecord = Mapping[str, Any]


def discover_broker(api: BrokerApiOf) -> Discover:
    """Looks at the account, the positions, the orders of the last days and the market's clock; whatever changed since
    the last look is an observation. A position that is gone is told as closed."""

    def discover(source: Source, now: datetime) -> PollSession:
        asked = api(source)
        seen: dict[tuple[str, str], BrokerRecord] = {}
        account = yield from fetch_json(asked, asked.build_request("/v2/account"))
        seen |= _named("account", [account], "id")
        positions = yield from fetch_json(asked, asked.build_request("/v2/positions"))
        seen |= _named("position", positions, "symbol")
        orders = yield from _orders(asked, now)
        seen |= _named("order", orders, "id")
        clock = yield from fetch_json(asked, asked.build_request("/v2/clock"))
        if isinstance(clock, Mapping):
            seen["clock", "market"] = {name: value for name, value in clock.items() if name != "timestamp"}
        return _compared(source, seen, now)

    return discover


def _orders(api: JsonApi, now: datetime) -> ApiCall:
    """Newest first, page by page: there is no cursor, so the next page ends where the last one began."""
    found: list[BrokerRecord] = []
    until: str | None = None
    after = (now - OLD_ORDERS).strftime("%Y-%m-%dT%H:%M:%SZ")
    while True:
        build_request = api.build_request(
            "/v2/orders", status="all", limit=ORDERS_AT_ONCE, direction="desc", after=after, until=until
        )
        page = yield from fetch_json(api, build_request)
        records = [one for one in page if isinstance(one, Mapping)] if isinstance(page, list) else []
        found += records
        earliest = text_value(records[-1].get("submitted_at")) if records else ""
        if len(records) < ORDERS_AT_ONCE or not earliest or earliest == until:
            return found
        until = earliest


def _named(kind: str, records: Any, by: str) -> dict[tuple[str, str], BrokerRecord]:
    rows: Iterable[Any] = records if isinstance(records, list) else ()
    return {
        (kind, text_value(one.get(by))): dict(one)
        for one in rows
        if isinstance(one, Mapping) and text_value(one.get(by))
    }


def _compared(source: Source, seen: Mapping[tuple[str, str], BrokerRecord], now: datetime) -> Discovery:
    known: Mapping[str, str] = source.watermark.get("digests", {})
    told = {f"{kind}:{name}": payload_hash(value) for (kind, name), value in seen.items()}
    changed = [
        Observation(kind=kind, name=name, at=_moment(value, now), value=value)
        for (kind, name), value in seen.items()
        if known.get(f"{kind}:{name}") != told[f"{kind}:{name}"]
    ]
    gone = [name for name in known if name.startswith("position:") and name not in told]
    changed += [
        Observation(kind="position", name=name.partition(":")[2], at=now, value=CLOSED) for name in gone
    ]
    kept = dict(list(told.items())[:MOST_REMEMBERED])
    return Discovery(observations=tuple(changed), watermark={"digests": kept})


def _moment(value: BrokerRecord, now: datetime) -> datetime:
    """An order says when it changed; everything else is as of now."""
    return parse_timestamp(value.get("updated_at")) or now
