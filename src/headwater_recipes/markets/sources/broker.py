"""A broker account, read only: nothing here can place, change or cancel an order."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from headwater.model.recipe import Discover, Discovery, PollSession
from headwater.model.source import Observation, Source
from headwater.sources.json_api import ApiCall, ApiForSource, JsonApi, fetch_json, text_value
from headwater.text.dates import parse_timestamp
from headwater_recipes.markets.payload_hash import payload_hash

ORDERS_PER_PAGE = 500
ORDERS_SINCE = timedelta(days=7)
CLOSED_POSITION = {"closed": True, "qty": "0"}
MOST_DIGESTS = 5000

BrokerRecord = Mapping[str, Any]


def discover_broker(api: ApiForSource) -> Discover:
    """Polls the account, the positions, the recent orders and the market clock; every change since the last poll is an
    observation. A position that has disappeared is reported as closed."""

    def discover(source: Source, now: datetime) -> PollSession:
        broker_api = api(source)
        records: dict[tuple[str, str], BrokerRecord] = {}
        account = yield from fetch_json(broker_api, broker_api.build_request("/v2/account"))
        records |= _by_key("account", [account], "id")
        positions = yield from fetch_json(broker_api, broker_api.build_request("/v2/positions"))
        records |= _by_key("position", positions, "symbol")
        orders = yield from _orders(broker_api, now)
        records |= _by_key("order", orders, "id")
        clock = yield from fetch_json(broker_api, broker_api.build_request("/v2/clock"))
        if isinstance(clock, Mapping):
            records["clock", "market"] = {name: value for name, value in clock.items() if name != "timestamp"}
        return _discovery_from_changes(source, records, now)

    return discover


def _orders(api: JsonApi, now: datetime) -> ApiCall:
    """The orders, newest first. The API has no cursor, so the next page ends where the last one began."""
    orders: list[BrokerRecord] = []
    until: str | None = None
    after = (now - ORDERS_SINCE).strftime("%Y-%m-%dT%H:%M:%SZ")
    while True:
        request = api.build_request(
            "/v2/orders", status="all", limit=ORDERS_PER_PAGE, direction="desc", after=after, until=until
        )
        page = yield from fetch_json(api, request)
        records = [order for order in page if isinstance(order, Mapping)] if isinstance(page, list) else []
        orders += records
        earliest = text_value(records[-1].get("submitted_at")) if records else ""
        if len(records) < ORDERS_PER_PAGE or not earliest or earliest == until:
            return orders
        until = earliest


def _by_key(kind: str, records: Any, by: str) -> dict[tuple[str, str], BrokerRecord]:
    rows: Iterable[Any] = records if isinstance(records, list) else ()
    return {
        (kind, text_value(record.get(by))): dict(record)
        for record in rows
        if isinstance(record, Mapping) and text_value(record.get(by))
    }


def _discovery_from_changes(
    source: Source, records: Mapping[tuple[str, str], BrokerRecord], now: datetime
) -> Discovery:
    old_digests: Mapping[str, str] = source.watermark.get("digests", {})
    digests = {f"{kind}:{name}": payload_hash(value) for (kind, name), value in records.items()}
    observations = [
        Observation(kind=kind, name=name, at=_changed_at(value, now), value=value)
        for (kind, name), value in records.items()
        if old_digests.get(f"{kind}:{name}") != digests[f"{kind}:{name}"]
    ]
    closed_keys = [name for name in old_digests if name.startswith("position:") and name not in digests]
    observations += [
        Observation(kind="position", name=name.partition(":")[2], at=now, value=CLOSED_POSITION)
        for name in closed_keys
    ]
    stored = dict(list(digests.items())[:MOST_DIGESTS])
    return Discovery(observations=tuple(observations), watermark={"digests": stored})


def _changed_at(value: BrokerRecord, now: datetime) -> datetime:
    """An order says when it changed; every other record dates from now."""
    return parse_timestamp(value.get("updated_at")) or now
