"""Sends the traces of documents to a collector of OpenTelemetry, from rows, after the work is committed.

One worker does it every minute. How far it came stands in the result of the maintenance task. Whatever is repeated after a
crash has the same ids, and a collector that is away is sent everything later.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from importlib.metadata import version
from itertools import chain
from time import monotonic
from typing import Any

import structlog

from headwater.app import App
from headwater.model.errors import Permanent, Temporary
from headwater.ops.trace_spans import Span, delivery_span, document_spans, encode_spans
from headwater.secret_references import resolve_secret
from headwater.sinks.http_endpoint import HttpEndpoint
from headwater.store.reads.traces import refined_documents, sent_deliveries
from headwater.text.dates import parse_iso_date

TASK = "send_traces"
UNTIL = "until"
# A row may be committed a little later than its time says.
SETTLING = timedelta(seconds=30)
WINDOW = timedelta(minutes=5)
LONGEST_BACKLOG = timedelta(days=1)
ROUND_SECONDS = 40.0
HEADERS = {"Content-Type": "application/json", "User-Agent": "headwater"}
_log = structlog.get_logger()


def send_traces(app: App) -> dict[str, Any]:
    """Send what was decided and delivered since the last time, in windows of five minutes; at most a day back. Returns how many
    spans were sent and until when. At first it only remembers the time."""
    endpoint = HttpEndpoint(resolve_secret(app.settings.traces_url, "traces_url"), setting="traces_url")
    end, deadline, count = app.clock() - SETTLING, monotonic() + ROUND_SECONDS, 0
    since = max(_position(app) or end, end - LONGEST_BACKLOG)
    try:
        while since < end and monotonic() < deadline:
            until = min(since + WINDOW, end)
            for spans in _span_pages(app, since, until):
                endpoint.post(encode_spans(spans, version("headwater")), HEADERS)
                count += len(spans)
            since = until
    except (Temporary, Permanent) as error:
        _log.warning("traces postponed", setting="traces_url", reason=error.reason, detail=error.detail)
        return {UNTIL: since.isoformat(), "spans": count, "postponed": error.reason}
    return {UNTIL: since.isoformat(), "spans": count}


def _position(app: App) -> datetime | None:
    result = app.maintenance_tasks.last_result(TASK) or {}
    return parse_iso_date(str(result[UNTIL])) if UNTIL in result else None


def _span_pages(app: App, since: datetime, until: datetime) -> Iterator[list[Span]]:
    for recipe in app.catalogue.recipes():
        for documents in refined_documents(app.engine, recipe, since, until):
            yield list(chain.from_iterable(document_spans(document) for document in documents))
        for deliveries in sent_deliveries(app.engine, recipe, since, until):
            yield [delivery_span(delivery) for delivery in deliveries]
