"""Spans of OpenTelemetry from what rows say about a document. Ids are hashes of keys, so the same row always gives the same span,
whoever sends it and however often; nothing is carried from job to job."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import Any

import msgspec

from headwater.model.jobs import State
from headwater.store.reads.traces import RefinedDocument, SentDelivery

TRACE_BYTES, SPAN_BYTES = 16, 8
SERVICE = "headwater"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
INTERNAL, CLIENT, PRODUCER = 1, 3, 4
"""Kinds of spans, by their numbers in the protocol."""
ERROR = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    trace_id: str
    span_id: str
    parent_id: str = ""
    name: str
    kind: int = INTERNAL
    started_at: datetime
    ended_at: datetime
    attributes: Mapping[str, str | int] = field(default_factory=dict)
    error: str = ""


def trace_id(document: str, revision: int) -> str:
    """Every revision of a document has a trace of its own."""
    return _hash(TRACE_BYTES, "trace", document, str(revision))


def document_spans(document: RefinedDocument) -> list[Span]:
    """The whole way to the decided document: a root and, below it, poll, fetch and refinement. The refinement begins when the
    document was ready for it, so it shows the wait, too."""
    trace = trace_id(document.id, document.revision)
    root = _root_id(trace)
    parts = [*_poll_spans(document, trace), *_fetch_spans(document, trace)]
    ready_at = max((part.ended_at for part in parts), default=document.created_at)
    error = document.reason if document.state == State.QUARANTINED else ""
    refinement = Span(
        trace_id=trace,
        span_id=_hash(SPAN_BYTES, trace, "refine"),
        parent_id=root,
        name="refine",
        started_at=min(ready_at, document.refined_at),
        ended_at=document.refined_at,
        attributes=_step_attributes(document),
        error=error,
    )
    return [
        Span(
            trace_id=trace,
            span_id=root,
            name=f"document {document.recipe}",
            started_at=min(part.started_at for part in (*parts, refinement)),
            ended_at=document.refined_at,
            attributes=_document_attributes(document),
            error=error,
        ),
        *parts,
        refinement,
    ]


def delivery_span(delivery: SentDelivery) -> Span:
    """From the row of the outbox to the receipt; a part of the trace of the document, after its root has ended."""
    trace = trace_id(delivery.document_id, delivery.revision)
    return Span(
        trace_id=trace,
        span_id=_hash(SPAN_BYTES, trace, "deliver", delivery.id),
        parent_id=_root_id(trace),
        name=f"deliver {delivery.route}",
        kind=PRODUCER,
        started_at=min(delivery.created_at, delivery.sent_at),
        ended_at=delivery.sent_at,
        attributes={"headwater.recipe": delivery.recipe, "headwater.route": delivery.route},
    )


def encode_spans(spans: Sequence[Span], version: str) -> bytes:
    """A request of OTLP over HTTP in JSON: ids in hex, times in nanoseconds as text."""
    resource = _attributes({"service.name": SERVICE, "service.version": version})
    scope_spans = [
        {"scope": {"name": SERVICE, "version": version}, "spans": [_encoded(span) for span in spans]}
    ]
    return msgspec.json.encode(
        {"resourceSpans": [{"resource": {"attributes": resource}, "scopeSpans": scope_spans}]}
    )


def _poll_spans(document: RefinedDocument, trace: str) -> list[Span]:
    if document.poll is None:
        return []
    return [
        Span(
            trace_id=trace,
            span_id=_hash(SPAN_BYTES, trace, "poll", document.poll.id),
            parent_id=_root_id(trace),
            name="poll",
            kind=CLIENT,
            started_at=document.poll.started_at,
            ended_at=document.poll.ended_at,
            attributes={"headwater.source": document.source_id, "headwater.poll": document.poll.id},
        )
    ]


def _fetch_spans(document: RefinedDocument, trace: str) -> list[Span]:
    fetch = document.fetch
    if fetch is None:
        return []
    return [
        Span(
            trace_id=trace,
            span_id=_hash(SPAN_BYTES, trace, "fetch", fetch.id),
            parent_id=_root_id(trace),
            name="fetch",
            kind=CLIENT,
            started_at=fetch.fetched_at - timedelta(milliseconds=fetch.elapsed_ms),
            ended_at=fetch.fetched_at,
            attributes={
                "url.full": fetch.url,
                "http.request.method": "GET",
                "http.response.status_code": fetch.status,
                "headwater.capture": fetch.id,
            },
        )
    ]


def _document_attributes(document: RefinedDocument) -> dict[str, str | int]:
    return {
        "headwater.document": document.id,
        "headwater.revision": document.revision,
        "headwater.recipe": document.recipe,
        "headwater.recipe_version": document.recipe_version,
        "headwater.source": document.source_id,
        "headwater.state": document.state,
        "headwater.reason": document.reason,
        "url.full": document.url,
    }


def _step_attributes(document: RefinedDocument) -> dict[str, str | int]:
    durations = {f"headwater.step_ms.{step}": count for step, count in document.step_ms.items()}
    return {"headwater.steps": ", ".join(document.steps), **durations}


def _root_id(trace: str) -> str:
    return _hash(SPAN_BYTES, trace, "document")


def _hash(size: int, *parts: str) -> str:
    return blake2b("\0".join(parts).encode(), digest_size=size).hexdigest()


def _encoded(span: Span) -> dict[str, Any]:
    parent = {"parentSpanId": span.parent_id} if span.parent_id else {}
    status = {"status": {"code": ERROR, "message": span.error}} if span.error else {}
    return {
        "traceId": span.trace_id,
        "spanId": span.span_id,
        **parent,
        "name": span.name,
        "kind": span.kind,
        "startTimeUnixNano": _nanoseconds(span.started_at),
        "endTimeUnixNano": _nanoseconds(span.ended_at),
        "attributes": _attributes(span.attributes),
        **status,
    }


def _attributes(values: Mapping[str, str | int]) -> list[dict[str, Any]]:
    return [
        {"key": name, "value": {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}}
        for name, value in values.items()
        if value != ""
    ]


def _nanoseconds(moment: datetime) -> str:
    return str((moment - EPOCH) // timedelta(microseconds=1) * 1000)
