"""The cost of a market article, end to end: CPU from the provider's response to the queue of the next program.

The real recipe, store, archive, steps and queue sink on SQLite, over a news wire in memory; the cost of the wire is
measured and subtracted. Fetching the page is not included, reading it is. Limit: 15 ms per article.
"""

import argparse
import json
import os
import resource
import tempfile
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import yaml

from headwater.app import App
from headwater.engine.context import JobContext
from headwater.engine.engine import Engine
from headwater.logs import configure_logs
from headwater.model.http import Failure, Request, Response
from headwater.model.jobs import Job, Task
from headwater.settings.settings import Settings
from headwater_demo.markets.companies import COMPANIES
from headwater_demo.markets.market import DemoMarket
from headwater_demo.markets.provider import provider
from headwater_demo.markets.watch_list import ENDPOINTS, KEYS, watch_list
from headwater_demo.markets.wire_pages import wire_sites
from headwater_demo.site import SiteRequest
from headwater_recipes.markets.definition import configure

LIMIT_MS = 15.0
START = datetime(2026, 11, 13, 9, 0, tzinfo=UTC)
TASKS = (Task.POLL, Task.FETCH, Task.REFINE, Task.DELIVER)


@dataclass
class Wire:
    """A fetcher that returns every response at once; `seconds` is the CPU time of generating them."""

    market: DemoMarket
    responses: deque[tuple[str, Response | Failure]] = field(default_factory=deque)
    seconds: float = 0.0

    def __post_init__(self) -> None:
        self.sites = {site.host: site for site in (provider(self.market), *wire_sites(self.market))}

    def room(self) -> int:
        return 200 - len(self.responses)

    def submit(self, token: str, request: Request) -> None:
        start = time.process_time()
        parts = urlsplit(request.url)
        headers = {name.lower(): value for name, value in {**request.headers, **request.secrets}.items()}
        site_request = SiteRequest(
            host=parts.hostname or "",
            path=parts.path,
            query=dict(parse_qsl(parts.query)),
            headers=headers,
            now=START,
        )
        site_response = self.sites[site_request.host].answer(site_request)
        response = Response(
            url=request.url,
            status=site_response.status,
            headers={"content-type": site_response.media_type},
            body=site_response.body,
            media_type=site_response.media_type.partition(";")[0],
        )
        self.responses.append((token, response))
        self.seconds += time.process_time() - start

    def collect(self, limit: int, wait: timedelta) -> Sequence[tuple[str, Response | Failure]]:
        del wait
        return [self.responses.popleft() for _ in range(min(limit, len(self.responses)))]

    def close(self) -> None: ...


def build_context(folder: str, articles: int) -> tuple[App, JobContext, Wire]:
    market = DemoMarket(seed=11, size="small", start=START)
    market.dispatches.clear()
    for number in range(articles):
        company = COMPANIES[number % len(COMPANIES)]
        market.publish(now=START - timedelta(seconds=40 * (articles - number)), tickers=[company.ticker])
    lines = [{"name": "news", "kind": "news_api", "each": True, "options": {"limit": 100, "first_days": 30}}]
    path = Path(folder, "watch.yaml")
    path.write_text(yaml.safe_dump(watch_list("full") | {"sources": lines}), encoding="utf-8")
    recipe = configure(path, {"endpoints": ENDPOINTS})
    app = App(Settings(data=folder), clock=lambda: START)
    app.register(recipe)
    wire = Wire(market)
    context = JobContext(
        owner="bench",
        recipes={"markets": recipe},
        store=app.store,
        archive=app.archive,
        clock=app.clock,
        log=configure_logs("console", "error"),
        fetcher=wire,
        sinks=app.sinks,
    )
    return app, context, wire


def drain(context: JobContext, wire: Wire) -> dict[str, float]:
    """CPU seconds per task until nothing is left."""
    engine, spent, busy = Engine(context), dict.fromkeys(TASKS, 0.0), True
    while busy:
        busy = False
        for task in TASKS:
            start, wire_before = time.process_time(), wire.seconds
            busy |= engine.run(Job("markets", task)) > 0
            spent[task] += time.process_time() - start - (wire.seconds - wire_before)
    return {task.value: seconds for task, seconds in spent.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--articles", type=int, default=1000)
    options = parser.parse_args()
    os.environ.update(KEYS)
    with tempfile.TemporaryDirectory() as folder:
        _, warm, warm_wire = build_context(folder, 20)  # what is loaded once does not count
        drain(warm, warm_wire)
        warm.store.engine.dispose()
    with tempfile.TemporaryDirectory() as folder:
        app, context, wire = build_context(folder, options.articles)
        spent = drain(context, wire)
        counts = app.catalogue.status("markets", START)["documents"]
        app.store.engine.dispose()
    assert sum(counts.values()) == options.articles, counts
    each = {task: round(1000 * seconds / options.articles, 3) for task, seconds in spent.items()}
    total = round(sum(each.values()), 3)
    print(" ".join(f"{task:>8}" for task in each) + "    total   (CPU ms per article)")
    print(" ".join(f"{cost:8.3f}" for cost in each.values()) + f" {total:8.3f}")
    figures = {
        "cpu_ms_per_article": total,
        **{f"cpu_ms_{task}": cost for task, cost in each.items()},
        "articles": options.articles,
        "documents": dict(counts),
        "peak_memory_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "within": {"cost": total <= LIMIT_MS},
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
