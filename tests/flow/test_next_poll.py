"""What a server says about freshness decides when it is polled again, within bounds."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import structlog
from tests.support.poll_sessions import NOW, answer, context_for, make_recipe, make_source, run

from headwater.engine.context import JobContext
from headwater.model.http import Failure, Request, Response
from headwater.model.recipe import Discover
from headwater.model.source import Source, Trigger
from headwater.sources.feeds.poll import discover_feed
from headwater.sources.seeds import discover_seeds
from headwater.store.changes.operations import Operations
from headwater.store.connect import read_transaction
from headwater.store.schema.flow import leads, polls, sources

FEED = "http://wire.example/feed"
RSS = (
    "<rss version='2.0'><channel><title>Wire</title>{ttl}"
    "<item><title>One</title><guid>1</guid><description>Short.</description></item></channel></rss>"
)


@dataclass
class CannedFetcher:
    """A fetcher that answers everything at once, from one function."""

    reply: Callable[[Request], Response | Failure]
    requests: list[Request] = field(default_factory=list)
    pending: list[tuple[str, Response | Failure]] = field(default_factory=list)

    def room(self) -> int:
        return 100

    def submit(self, token: str, request: Request) -> None:
        self.requests.append(request)
        self.pending.append((token, self.reply(request)))

    def collect(self, limit: int, wait: timedelta) -> Sequence[tuple[str, Response | Failure]]:
        del wait
        results, self.pending = self.pending[:limit], self.pending[limit:]
        return results

    def close(self) -> None: ...


@dataclass
class PreparedPoll:
    context: JobContext
    network: CannedFetcher
    clock: list[datetime]

    def row(self, table: Any) -> Mapping[str, Any]:
        with read_transaction(self.context.store.engine) as connection:  # type: ignore[attr-defined]
            return connection.execute(table.select()).mappings().one()

    def wait(self) -> timedelta:
        return self.row(sources)["due_at"] - self.clock[0]


@contextmanager
def prepare_poll(
    folder: Path, discover: Discover, source: Source, reply: Callable[[Request], Response | Failure]
) -> Iterator[PreparedPoll]:
    clock = [NOW]
    with context_for(folder, "http://127.0.0.1:9", make_recipe(discover, source), lambda: clock[0]) as (
        _,
        context,
    ):
        assert context.fetcher is not None
        context.fetcher.close()
        network = CannedFetcher(reply)
        yield PreparedPoll(replace(context, fetcher=network), network, clock)


def _feed(headers: Mapping[str, str], ttl: str = "", status: int = 200) -> Callable[[Request], Response]:
    def reply(request: Request) -> Response:
        body = RSS.format(ttl=ttl) if status == 200 else ""
        response = answer(request, body, status=status, media_type="application/rss+xml")
        return replace(response, headers={**response.headers, **headers})

    return reply


@pytest.mark.parametrize(
    ("headers", "ttl", "hours"),
    [
        ({}, "", 1),
        ({"cache-control": "max-age=60"}, "", 1),
        ({"cache-control": "max-age=7200"}, "", 2),
        ({"expires": "Fri, 13 Nov 2026 12:00:00 GMT"}, "", 3),
        ({"cache-control": "no-store", "expires": "Fri, 13 Nov 2026 12:00:00 GMT"}, "", 1),
        ({"cache-control": "max-age=31536000, immutable"}, "", 4),
        ({}, "<ttl>300</ttl>", 5),
        ({}, "<ttl>999999</ttl>", 24),
        ({"cache-control": "max-age=7200"}, "<ttl>300</ttl>", 5),
    ],
)
def test_c12_the_next_poll_waits_as_long_as_the_answer_is_fresh(
    tmp_path: Path, headers: dict[str, str], ttl: str, hours: int
):
    with prepare_poll(tmp_path, discover_feed, make_source("feed", FEED), _feed(headers, ttl)) as poll:
        run(poll.context)
        assert poll.wait() == timedelta(hours=hours)


def test_an_interval_of_the_source_is_obeyed_whatever_the_feed_asks_for(tmp_path: Path):
    source = make_source("feed", FEED, trigger=Trigger(every=timedelta(minutes=10)))
    with prepare_poll(
        tmp_path, discover_feed, source, _feed({"cache-control": "max-age=7200"}, "<ttl>60</ttl>")
    ) as poll:
        run(poll.context)
        assert poll.wait() == timedelta(minutes=10)


def test_the_ttl_of_an_unchanged_feed_still_holds_and_a_304_may_state_its_freshness(tmp_path: Path):
    with prepare_poll(
        tmp_path, discover_feed, make_source("feed", FEED), _feed({}, "<ttl>300</ttl>")
    ) as poll:
        run(poll.context)
        for headers, hours in (({}, 5), ({"cache-control": "max-age=14400"}, 5)):
            poll.clock[0] += timedelta(hours=hours)
            poll.network.reply = _feed(headers, status=304)
            run(poll.context)
            assert poll.wait() == timedelta(hours=5)
        assert len(poll.network.requests) == 3


def test_a_revisited_page_is_not_requested_while_it_is_fresh(tmp_path: Path):
    text = "<title>Fresh</title><p>" + "A sentence about the harbour and its ships. " * 30
    fresh = {"cache_control": "max-age=604800"}
    options = {"urls": ["http://a.example/"], "recheck_every": "2h"}
    source = make_source("seeds", "", options=options, trigger=Trigger(every=timedelta(days=3)))
    with prepare_poll(tmp_path, discover_seeds, source, lambda r: answer(r, text, **fresh)) as poll:
        run(poll.context)
        poll.clock[0] += timedelta(hours=3)
        Operations(poll.context.store.engine).wake("trial", poll.clock[0])  # type: ignore[attr-defined]
        run(poll.context)
        assert len(poll.network.requests) == 1
        assert poll.row(leads)["due_at"] == NOW + timedelta(days=1)
        poll.clock[0] += timedelta(hours=22)
        run(poll.context)
        assert len(poll.network.requests) == 2


@pytest.mark.parametrize("reason", ["rate_limited", "offline"])
def test_r34_a_poll_that_is_held_back_is_no_failure_in_rows_or_log(tmp_path: Path, reason: str):
    held_back = Failure(reason, "no host can be reached", delay=timedelta(minutes=1))
    with prepare_poll(tmp_path, discover_feed, make_source("feed", FEED), lambda _: held_back) as poll:
        with structlog.testing.capture_logs() as logs:
            for _ in range(12):
                run(poll.context)
                poll.clock[0] += timedelta(minutes=1)
        assert len(poll.network.requests) == 12
        assert [line for line in logs if line["log_level"] != "debug"] == []
        row = poll.row(sources)
        assert (row["failures"], row["stop_reason"], row["reason"]) == (0, None, reason)
        assert _poll_count(poll) == 0
        poll.network.reply = _feed({})
        run(poll.context)
        assert (poll.row(sources)["reason"], _poll_count(poll)) == (None, 1)


def _poll_count(poll: PreparedPoll) -> int:
    with read_transaction(poll.context.store.engine) as connection:  # type: ignore[attr-defined]
        return len(connection.execute(polls.select()).all())
