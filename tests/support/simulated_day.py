"""A day of fifty companies under a clock that jumps, and what must hold for it."""

import os
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from unittest.mock import patch

import structlog
import yaml
from sqlalchemy import select
from tests.support.simulated_network import START, SentRequest, SimulatedFetcher, SteppedClock

from headwater.app import App
from headwater.engine.context import JobContext
from headwater.engine.network import NetworkLoop
from headwater.fetch.settings import FetchSettings
from headwater.model.jobs import Job, Task
from headwater.settings.settings import Settings
from headwater.store.connect import read_transaction
from headwater.store.schema.flow import leads, polls, sources
from headwater_demo.markets.companies import COMPANIES
from headwater_demo.markets.market import DemoMarket
from headwater_demo.markets.watch_list import ENDPOINTS, KEYS
from headwater_recipes.markets.definition import FETCH_LIMITS, POLL_SECONDS, WATCH_LIST, configure

SHORTEST_STEP = timedelta(seconds=1)
PER_KEY = 45


@dataclass
class Day:
    """What happened: requests in order, polls by source, and when each article appeared."""

    length: timedelta
    requests: list[SentRequest]
    polls: dict[str, list[tuple[float, str, bool]]]
    kinds: dict[str, str]
    every: dict[str, float]
    appeared: dict[str, float]
    first_seen: dict[str, float]


def run_day(folder: Path, length: timedelta) -> Day:
    """Simulate that much time; an article about one of the companies appears every seven minutes."""
    watch, market = SteppedClock(), DemoMarket(seed=3, size="small", start=START)
    watch_list = yaml.safe_load(WATCH_LIST.read_text(encoding="utf-8"))
    path = folder / "watch.yaml"
    path.write_text(yaml.safe_dump(watch_list), encoding="utf-8")
    recipe = configure(path, {"endpoints": ENDPOINTS})
    app = App(Settings(data=str(folder / "data"), contact="sim@headwater.example"), clock=watch)
    fetcher = SimulatedFetcher(
        watch,
        market,
        FetchSettings(
            contact="sim@headwater.example",
            rate=0,
            concurrency=400,
            hosts=FETCH_LIMITS.hosts,
            per_minute_by_kind=FETCH_LIMITS.per_minute_by_kind,
        ),
    )
    app.register(recipe)
    context = JobContext(
        owner="day", recipes={"markets": recipe}, store=app.store, archive=app.archive, clock=watch,
        log=structlog.get_logger(), fetcher=fetcher, sinks={},
    )  # fmt: skip
    network, appeared, next_article = NetworkLoop(context, [Job("markets", Task.POLL)]), {}, START
    while watch.now < START + length:
        if watch.now >= next_article:
            article = market.publish(
                now=watch.now,
                tickers=[COMPANIES[len(appeared) * 7 % 50].ticker],
                late_minutes=len(appeared) % 3,
            )
            appeared[article.id], next_article = watch.seconds(), next_article + timedelta(minutes=7)
        while network.step(timedelta(0)) or fetcher.ready:
            pass
        watch.now = min(max(_next(network, app), watch.now + SHORTEST_STEP), next_article)
    day = _summarise(app, fetcher, length, appeared)
    app.store.engine.dispose()
    return day


def _next(network: NetworkLoop, app: App):
    """When anything is due again: a row, or a poll that waits for its rate limit."""
    waiting = [
        poll.retry_at for pool in network.polls.values() for poll in pool.polls.values() if poll.retry_at
    ]
    return min([app.store.next_due("markets")[Task.POLL], *waiting])


def _summarise(app: App, fetcher: SimulatedFetcher, length: timedelta, appeared: dict[str, float]) -> Day:
    polls_by_source: dict[str, list[tuple[float, str, bool]]] = defaultdict(list)
    with read_transaction(app.store.engine) as connection:
        for row in connection.execute(select(polls).order_by(polls.c.ended_at)).mappings():
            if row["ended_at"]:
                polls_by_source[row["source_id"]].append(
                    (row["ended_at"].timestamp(), row["error"] or "", bool(row["warnings"]))
                )
        rows = connection.execute(select(sources)).mappings().all()
        first_seen = {
            row["identity"]: row["first_seen_at"].timestamp()
            for row in connection.execute(select(leads)).mappings()
        }
    every = {row["id"]: row["trigger_seconds"] or POLL_SECONDS[row["kind"]] for row in rows}
    return Day(
        length,
        fetcher.requests,
        polls_by_source,
        {row["id"]: row["kind"] for row in rows},
        every,
        appeared,
        first_seen,
    )


@contextmanager
def simulated_day(folder: Path, length: timedelta) -> Iterator[Day]:
    """A day, or part of one, with the keys of the demo in the environment."""
    with patch.dict(os.environ, KEYS):
        yield run_day(folder, length)


def most_in_a_minute(moments: list[float]) -> int:
    return max(
        (at - bisect_left(moments, moment - 59.999) + 1 for at, moment in enumerate(moments)), default=0
    )


def check_budgets(day: Day) -> None:
    for kind, most in FETCH_LIMITS.per_minute_by_kind.items():
        moments = [request.at for request in day.requests if request.kind == kind]
        assert moments, kind
        assert most_in_a_minute(moments) <= most, kind
    keyed = [request.at for request in day.requests if request.credential == "massive"]
    assert most_in_a_minute(keyed) <= PER_KEY


def check_cadences(day: Day) -> None:
    """Every source is polled on time: later only by its rate limit, and sooner only to continue a poll that was cut
    short."""
    for source, source_polls in day.polls.items():
        successful = [(at, cut_short) for at, error, cut_short in source_polls if not error]
        assert all(error in {"", "rate_limited"} for _, error, _ in source_polls)
        assert successful, day.kinds[source]
        gaps = [(later - earlier, cut_short) for (earlier, cut_short), (later, _) in pairwise(successful)]
        assert all(gap >= day.every[source] or cut_short for gap, cut_short in gaps), day.kinds[source]
        assert all(gap <= day.every[source] + 200 for gap, _ in gaps), (day.kinds[source], max(gaps))
        assert successful[0][0] <= START.timestamp() + 900, day.kinds[source]


def check_nothing_is_lost_or_requested_twice(day: Day) -> None:
    end = START.timestamp() + day.length.total_seconds()
    due = {article for article, at in day.appeared.items() if at < end - 900}
    assert due <= day.first_seen.keys()
    late = [day.first_seen[article] - day.appeared[article] for article in due]
    assert max(late) <= 300 + 200
    grouped = Counter(request.url for request in day.requests if "/grouped/" in request.url)
    assert set(grouped.values()) == {1}
    assert len({request.url for request in day.requests if "/v3/reference" in request.url}) == 50
