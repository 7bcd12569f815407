"""A cycle over 250 feeds with politeness, by the real clock: `python -m benchmarks.polite_cycle [--feeds 250] [--entries 10]`.

Every feed has a host of its own on a loopback server; half of them bring only teasers, so that their pages are fetched, too. One feed
in fifty answers 503. The rate is the default: one request per second and host, robots.txt included. One process does everything.
Limits: less than ten minutes, more than 95 % of the feeds and of the pages read, less than 512 MB. The last line is one JSON object.
"""

import argparse
import json
import resource
import sys
import tempfile
import time
from collections import Counter
from datetime import timedelta
from urllib.parse import urlsplit

from sqlalchemy import Column, Connection, func, select

from benchmarks.cycle.engine import RECIPE, feed_source
from benchmarks.cycle.world import World
from benchmarks.loopback import Answer, serving
from headwater.app import App
from headwater.extract.sandbox.pool import close_all
from headwater.runtime.inline import run_inline
from headwater.settings.settings import Settings
from headwater.store.connect import read_transaction
from headwater.store.schema.flow import documents, leads, polls

MOST_SECONDS, LEAST_SHARE, MOST_MEGABYTES = 600, 0.95, 512
FAILING = 50
HORIZON = timedelta(seconds=10)


def _counts(connection: Connection, column: Column[str]) -> dict[str, int]:
    return {row[0]: row[1] for row in connection.execute(select(column, func.count()).group_by(column))}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--feeds", type=int, default=250)
    parser.add_argument("--entries", type=int, default=10)
    options = parser.parse_args()
    world = World(options.feeds, options.entries, ())
    failing = {urlsplit(world.feed_url(n)).hostname for n in range(0, options.feeds, FAILING)}
    requests: Counter[str] = Counter()

    def answer(host: str, path: str) -> Answer:
        requests[host] += 1
        if path == "/robots.txt":
            return 404, {}, b""
        if host in failing:
            return 503, {}, b""
        body, media_type = world.body(f"https://{host}{path}")
        return 200, {"Content-Type": media_type}, body

    with tempfile.TemporaryDirectory() as folder, serving(answer) as base:
        hosts = {urlsplit(world.feed_url(n)).hostname or "": base for n in range(options.feeds)}
        app = App(Settings(data=folder, hosts=hosts, log_level="error"))
        app.store.register([feed_source(world, number) for number in range(options.feeds)], app.clock())
        context = app.context("bench", fetching=True)
        start = time.monotonic()
        ended = run_inline(context, [RECIPE], horizon=HORIZON, longest=timedelta(seconds=MOST_SECONDS))
        seconds = time.monotonic() - start
        assert context.fetcher is not None
        context.fetcher.close()
        close_all()
        with read_transaction(app.store.engine) as connection:
            completed = set(
                connection.scalars(select(polls.c.source_id).where(polls.c.status == "completed").distinct())
            )
            lead_states = _counts(connection, leads.c.state)
            pages = _counts(connection, documents.c.page)
        app.store.engine.dispose()
    megabytes = (
        max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        // 1024
    )
    feed_share = len(completed) / options.feeds
    read = sum(count for page, count in pages.items() if page in {"read", "not_needed"})
    page_share = read / max(1, sum(lead_states.values()))
    print(
        f"{options.feeds} feeds, {sum(requests.values())} requests, at most {max(requests.values())} to a host"
    )
    print(f"leads {lead_states}, pages {pages}")
    within = {
        "time": ended and seconds < MOST_SECONDS,
        "feeds": feed_share > LEAST_SHARE,
        "pages": page_share > LEAST_SHARE,
        "memory": megabytes < MOST_MEGABYTES,
    }
    figures = {
        "benchmark": "polite_cycle",
        "feeds": options.feeds,
        "seconds": round(seconds, 1),
        "feeds_read": round(feed_share, 4),
        "items_read": round(page_share, 4),
        "peak_memory_mb": megabytes,
        "within": within,
    }
    print(json.dumps(figures))
    return 0 if all(within.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
