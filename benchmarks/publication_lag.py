"""How long an article takes from publication to being searchable, in a simulated day of the demo.

    python -m benchmarks.publication_lag [--hours 24]

The demo internet publishes as always; recipes, polling intervals and politeness are those of an installation. The clock runs at
its normal speed while there is work and jumps to the next due row when there is none, so waits for rate limits and the time
of the work count as they are. Articles from before the day are the backlog and do not count.

A feed that names a `ttl`, or that publishes rarely, is polled less often than its recipe says, unless the source has an interval of
its own. So there are two figures: what a document took longer than the interval that was planned for its source, and what it
took longer than the interval of the recipe. Limit, per recipe: the 95th percentile of the first is at most 60 seconds.
The last line is one JSON object.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import select

from headwater.app import App
from headwater.cli.demo import demo_settings
from headwater.extract.sandbox.pool import close_all
from headwater.model.jobs import State
from headwater.model.schedule import effective_trigger, polling_interval
from headwater.runtime.inline import run_inline
from headwater.runtime.registration import register_recipe
from headwater.settings.settings import Settings
from headwater.store.connect import read_transaction
from headwater.store.rows import source_from
from headwater.store.schema.flow import documents, leads, polls, sources
from headwater_demo.clock import START
from headwater_demo.internet import Internet, running
from headwater_demo.markets.watch_list import KEYS

RECIPES = ("crypto", "news")
"""Those that poll several times a day."""
MOST_SECONDS_LATE = 60.0
LONGEST_BURST = timedelta(minutes=5)


@dataclass
class JumpingClock:
    """Runs at normal speed, and jumps."""

    start: datetime = START
    born: float = field(default_factory=time.monotonic)

    def __call__(self) -> datetime:
        return self.start + timedelta(seconds=time.monotonic() - self.born)

    def jump_to(self, moment: datetime) -> None:
        self.start += max(timedelta(0), moment - self())


Plans = dict[str, dict[datetime, datetime]]
"""By source and time of a poll: when the next one was due."""


def run_day(app: App, clock: JumpingClock, internet: Internet, length: timedelta) -> Plans:
    """The demo internet shows what is published when a burst of work begins."""
    plans: Plans = defaultdict(dict)
    context = app.context("lag", fetching=True)
    for recipe in RECIPES:
        register_recipe(app, app.recipe(recipe))
    while clock() < START + length:
        internet.clock_set(clock())
        if not run_inline(context, RECIPES, horizon=timedelta(0), longest=LONGEST_BURST):
            raise TimeoutError("the work of one moment did not end")
        with read_transaction(app.engine) as connection:
            for row in connection.execute(select(sources.c.id, sources.c.last_polled_at, sources.c.due_at)):
                plans[row.id].setdefault(row.last_polled_at, row.due_at)
        clock.jump_to(min(due for recipe in RECIPES for due in app.store.next_due(recipe).values()))
    assert context.fetcher is not None
    context.fetcher.close()
    close_all()
    return plans


@dataclass(frozen=True)
class DocumentLag:
    """In seconds: from publication to the kept document; what was planned for its source, and what the recipe says."""

    lag: float
    planned_interval: float
    recipe_interval: float


def lags(app: App, recipe: str, plans: Plans) -> list[DocumentLag]:
    query = (
        select(documents.c.published_at, documents.c.updated_at, leads.c.first_seen_at, sources)
        .join(leads, leads.c.id == documents.c.lead_id)
        .join(sources, sources.c.id == documents.c.source_id)
        .where(
            documents.c.recipe == recipe,
            documents.c.state == State.KEPT,
            documents.c.revision == 1,
            documents.c.published_at >= START,
        )
    )
    with read_transaction(app.engine) as connection:
        rows = connection.execute(query).mappings().all()
    return [
        DocumentLag(
            (row[documents.c.updated_at] - row["published_at"]).total_seconds(),
            _planned_interval(plans[row["id"]], row["first_seen_at"]),
            _interval(app, recipe, row),
        )
        for row in rows
    ]


def _planned_interval(plans: Mapping[datetime, datetime], seen_at: datetime) -> float:
    """The pause before the poll that brought it."""
    polled_at = max(moment for moment in plans if moment < seen_at)
    return (plans[polled_at] - polled_at).total_seconds()


def _interval(app: App, recipe: str, row: Mapping[Any, Any]) -> float:
    source, definition = source_from(row), app.recipe(recipe)
    default = definition.triggers.get(source.kind, definition.trigger)
    trigger = effective_trigger(source.trigger, default, source.options)
    return polling_interval(trigger, START).total_seconds()


def quantile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def summarise(app: App, plans: Plans) -> dict[str, dict[str, Any]]:
    figures: dict[str, dict[str, Any]] = {}
    for recipe in RECIPES:
        all_lags = lags(app, recipe, plans)
        after_plan = [item.lag - item.planned_interval for item in all_lags]
        after_recipe = [item.lag - item.recipe_interval for item in all_lags]
        with read_transaction(app.engine) as connection:
            count = len(connection.execute(select(polls.c.id).where(polls.c.recipe == recipe)).all())
        figures[recipe] = {
            "polls": count,
            "documents": len(all_lags),
            "p95_lag": round(quantile([item.lag for item in all_lags], 0.95), 1),
            "p95_after_planned_interval": round(quantile(after_plan, 0.95), 1),
            "max_after_planned_interval": round(max(after_plan), 1),
            "p95_after_interval_of_recipe": round(quantile(after_recipe, 0.95), 1),
            "planned_intervals": sorted({round(item.planned_interval) for item in all_lags}),
            "recipe_intervals": sorted({round(item.recipe_interval) for item in all_lags}),
        }
    return figures


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--hours", type=float, default=24.0)
    options = parser.parse_args()
    os.environ.update(KEYS)
    with tempfile.TemporaryDirectory() as folder, running(size="full", process=True) as internet:
        settings = demo_settings(Settings(), Path(folder), internet.base_url, "full")
        settings = msgspec.structs.replace(
            settings, requests_per_second=Settings().requests_per_second, budgets={}, rate_limits={}
        )
        clock = JumpingClock()
        app = App(settings, clock=clock)
        began = time.monotonic()
        plans = run_day(app, clock, internet, timedelta(hours=options.hours))
        figures = summarise(app, plans)
        app.engine.dispose()
    within = all(figure["p95_after_planned_interval"] <= MOST_SECONDS_LATE for figure in figures.values())
    print(
        json.dumps(
            {
                "benchmark": "publication_lag",
                "hours": options.hours,
                "seconds": round(time.monotonic() - began, 1),
                "recipes": figures,
                "within": within,
            }
        )
    )
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main())
