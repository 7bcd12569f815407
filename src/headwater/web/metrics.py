"""/metrics: figures from rows in the text format of Prometheus, counted when they are asked for, at most every 15 seconds."""

import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, HistogramMetricFamily, Metric
from starlette.requests import Request
from starlette.responses import Response

from headwater.app import App
from headwater.model.api_key import KeyScope
from headwater.store.reads.figures import (
    RecipeFigures,
    histogram,
    queue_figures,
    recipe_figures,
)
from headwater.web.context import context_of

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
EVERY_SECONDS = 15.0
FETCH_BOUNDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
LAG_BOUNDS = (60.0, 300.0, 900.0, 1800.0, 3600.0, 7200.0, 14400.0, 43200.0, 86400.0)
COUNTED: Mapping[str, tuple[str, str, str]] = {
    "headwater_documents": ("documents", "state", "Documents by state."),
    "headwater_ended_records": (
        "end_reasons",
        "reason",
        "Documents and leads that were not kept, by reason.",
    ),
    "headwater_sources": ("sources", "state", "Sources by state."),
    "headwater_quarantined_records": ("quarantined", "reason", "Quarantined records by reason."),
    "headwater_open_alarms": ("open_alarms", "kind", "Alarms that are not over, by kind."),
    "headwater_polls_last_hour": ("polls", "result", "Polls of the last hour by result: failures by class."),
    "headwater_fetches_last_hour": (
        "fetch_classes",
        "status",
        "Answers of the last hour by class of status.",
    ),
    "headwater_due_rows": ("due", "task", "Rows that are due, by task."),
    "headwater_leased_rows": ("leased", "task", "Rows that a worker holds, by task."),
    "headwater_oldest_due_seconds": (
        "oldest_seconds",
        "task",
        "Age of the row that is due for longest, by task.",
    ),
}
SAMPLED: Mapping[str, tuple[str, tuple[float, ...], str]] = {
    "headwater_fetch_seconds": ("fetch_seconds", FETCH_BOUNDS, "Duration of the fetches of the last hour."),
    "headwater_publication_lag_seconds": (
        "lag_seconds",
        LAG_BOUNDS,
        "From publication to searchable, of documents that arrived in the last day.",
    ),
}


@dataclass
class MetricsPage:
    """Several who ask at the same time wait for one count."""

    app: App
    cached: tuple[float, bytes] | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    def text(self) -> bytes:
        with self.lock:
            if self.cached is None or time.monotonic() - self.cached[0] > EVERY_SECONDS:
                registry = CollectorRegistry(auto_describe=False)
                registry.register(RowCollector(self.app))
                self.cached = (time.monotonic(), generate_latest(registry))
            return self.cached[1]

    def answer(self, request: Request) -> Response:
        context_of(request).admit(request, KeyScope.READ)
        return Response(self.text(), media_type=MEDIA_TYPE)


@dataclass(frozen=True, eq=False)
class RowCollector:
    app: App

    def collect(self) -> Iterator[Metric]:
        started, now, engine = time.perf_counter(), self.app.clock(), self.app.engine
        figures = {recipe: recipe_figures(engine, recipe, now) for recipe in self.app.catalogue.recipes()}
        yield from _counted(figures)
        yield from _sampled(figures)
        yield from self._queues()
        yield from self._models()
        live = sum(1 for heartbeat in self.app.workers.heartbeats(now) if heartbeat.is_live)
        yield _single("headwater_live_workers", "Processes at work, by their heartbeat.", live)
        elapsed = time.perf_counter() - started
        yield _single("headwater_metrics_seconds", "How long counting these figures took.", elapsed)

    def describe(self) -> Iterable[Metric]:
        return ()

    def _queues(self) -> Iterator[Metric]:
        items = GaugeMetricFamily("headwater_queue_items", "Open items of queues.", labels=["queue", "state"])
        oldest = GaugeMetricFamily(
            "headwater_queue_oldest_seconds", "Age of the oldest open item.", labels=["queue"]
        )
        for figures in queue_figures(self.app.engine, self.app.clock()):
            for state in ("waiting", "leased", "failed"):
                items.add_metric([figures.queue, state], getattr(figures, state))
            oldest.add_metric([figures.queue], figures.oldest_seconds)
        yield items
        yield oldest

    def _models(self) -> Iterator[Metric]:
        since = self.app.clock() - timedelta(days=1)
        spent = self.app.summaries.spent_since(since)
        yield _single("headwater_model_cost_dollars", "Spent on language models in the last 24 hours.", spent)
        budget = self.app.settings.summaries.daily_budget or 0.0
        yield _single("headwater_model_budget_dollars", "The budget for 24 hours; 0 for none.", budget)


def _counted(figures: Mapping[str, RecipeFigures]) -> Iterator[Metric]:
    for name, (attribute, label, text) in COUNTED.items():
        family = GaugeMetricFamily(name, text, labels=["recipe", label])
        for recipe, figures_of_recipe in figures.items():
            for value, count in getattr(figures_of_recipe, attribute).items():
                family.add_metric([recipe, value], count)
        yield family


def _sampled(figures: Mapping[str, RecipeFigures]) -> Iterator[Metric]:
    for name, (attribute, bounds, text) in SAMPLED.items():
        family = HistogramMetricFamily(name, text, labels=["recipe"])
        for recipe, figures_of_recipe in figures.items():
            samples = getattr(figures_of_recipe, attribute)
            family.add_metric([recipe], buckets=histogram(samples, bounds), sum_value=sum(samples))
        yield family


def _single(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(name, text, value=value)
