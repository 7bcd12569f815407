"""Converts records to rows and back."""

from collections.abc import Mapping
from datetime import timedelta
from functools import lru_cache
from typing import Any

from sqlalchemy import RowMapping

from headwater.model.alarm import Alarm
from headwater.model.document import Document, FactValue, Mention, TrailEntry
from headwater.model.http import Capture
from headwater.model.keys import external_number, key, key_number, positive_number
from headwater.model.page import PageMode
from headwater.model.source import Lead, Source, StoredLead, Trigger
from headwater.model.story import Member, Story
from headwater.store.schema.flow import documents, leads
from headwater.text.letters import to_storable_text
from headwater.text.urls import canonical_url, without_tracking

Row = RowMapping | Mapping[str, Any]
Record = dict[str, Any]

VECTOR_VALUE_BYTES = 4

SAME_IN_DOCUMENT = (
    "canonical_url",
    "title",
    "text",
    "publisher",
    "language",
    "description",
    "image",
    "media_type",
    "guid",
    "page",
    "quality",
    "attributes",
    "origins",
    "url",
)

PLAIN_IN_DOCUMENT = tuple(name for name in SAME_IN_DOCUMENT if name not in {"attributes", "origins"})

ALARM_COLUMNS = (
    "id",
    "recipe",
    "kind",
    "subject",
    "title",
    "detail",
    "evidence",
    "raised_at",
    "cleared_at",
    "revision",
)
# Only the columns that a record needs: every column that is read is converted.
LEAD_COLUMNS = tuple(
    leads.c[name]
    for name in (
        "id",
        "recipe",
        "source_id",
        "document_id",
        "identity",
        "url",
        "version",
        "title",
        "published_at",
        "body",
        "body_type",
        "teaser",
        "hints",
        "subject_id",
        "attempts",
        "etag",
        "last_modified",
        "sha256",
        "render",
        "page_reason",
    )
)
DOCUMENT_COLUMNS = tuple(
    documents.c[name]
    for name in (
        "id",
        "recipe",
        "source_id",
        "lead_id",
        "capture_id",
        "revision",
        "authors",
        "published_at",
        "modified_at",
        "keywords",
        "group_id",
        "subjects",
        "trail",
        *SAME_IN_DOCUMENT,
    )
)

GATHERED_COLUMNS = tuple(column for column in DOCUMENT_COLUMNS if column.name not in {"trail", "origins"})
"""What stories are made of: how a document came about is no part of it, and as long as its text."""

OUTLINE_COLUMNS = tuple(
    documents.c[name]
    for name in (
        "id",
        "recipe",
        "source_id",
        "lead_id",
        "revision",
        "url",
        "title",
        "publisher",
        "language",
        "published_at",
        "modified_at",
        "group_id",
    )
)


def source_from(row: Row | Mapping[str, Any]) -> Source:
    every, cron = row["trigger_seconds"], row["trigger_cron"]
    trigger = None
    if every is not None or cron is not None:
        trigger = Trigger(every=None if every is None else timedelta(seconds=every), cron=cron)
    return Source(
        id=row["id"],
        recipe=row["recipe"],
        kind=row["kind"],
        name=row["name"],
        url=row["url"],
        options=row["options"],
        trigger=trigger,
        subject=row["subject_id"],
        pages=None if row["pages"] is None else PageMode(row["pages"]),
        credibility=row["credibility"],
        active=row["active"],
        watermark=row["watermark"],
        failures=row["failures"],
        stop_reason=row["stop_reason"],
    )


def source_row(source: Source) -> dict[str, Any]:
    trigger = source.trigger
    return {
        "id": source.id,
        "recipe": source.recipe,
        "kind": source.kind,
        "name": source.name,
        "url": source.url,
        "options": dict(source.options),
        "trigger_seconds": trigger.every.total_seconds() if trigger and trigger.every else None,
        "trigger_cron": trigger.cron if trigger else None,
        "subject_id": source.subject,
        "pages": source.pages,
        "credibility": source.credibility,
        "active": source.active,
        "number": positive_number(source.id),
    }


def lead_from(row: Row, **claimed: Any) -> StoredLead:
    """`claimed` is what only a lead that is claimed for a fetch has."""
    lead = Lead(
        identity=row["identity"],
        url=row["url"],
        version=row["version"],
        title=row["title"],
        published=row["published_at"],
        body=row["body"],
        body_type=row["body_type"],
        teaser=row["teaser"],
        hints=row["hints"],
        subject=row["subject_id"],
    )
    return StoredLead(
        id=row["id"],
        recipe=row["recipe"],
        source=row["source_id"],
        document=row["document_id"],
        lead=lead,
        attempts=row["attempts"],
        etag=row["etag"],
        last_modified=row["last_modified"],
        sha256=row["sha256"],
        render=row["render"],
        page_reason=row["page_reason"],
        **claimed,
    )


def lead_row(stored: StoredLead) -> dict[str, Any]:
    lead = stored.lead
    return {
        "id": stored.id,
        "recipe": stored.recipe,
        "source_id": stored.source,
        "document_id": stored.document,
        "identity": lead.identity,
        "url": lead.url,
        "version": lead.version,
        "title": lead.title,
        "published_at": lead.published,
        "body": lead.body,
        "body_type": lead.body_type,
        "teaser": lead.teaser,
        "hints": dict(lead.hints),
        "subject_id": lead.subject,
    }


def capture_from(row: Row) -> Capture:
    return Capture(
        id=row["id"],
        lead=row["lead_id"] or "",
        url=row["url"],
        final_url=row["final_url"],
        status=row["status"],
        headers=row["headers"],
        media_type=row["media_type"],
        sha256=row["sha256"],
        size=row["size"],
        fetched_at=row["fetched_at"],
        elapsed_ms=row["elapsed_ms"],
        policy=row["policy"],
        pack=row["pack"],
        start=row["start"],
        length=row["length"],
    )


@lru_cache(maxsize=8192)
def url_number(url: str) -> int:
    """The same for all spellings of an address."""
    return key_number(key("url", canonical_url(url)))


def _address_numbers(capture: Capture) -> dict[str, int | None]:
    """The second one only where a redirect led elsewhere: each number is an entry in an index."""
    if not capture.lead:
        return {"url_number": None, "final_url_number": None}
    requested, final = url_number(capture.url), url_number(capture.final_url)
    return {"url_number": requested, "final_url_number": None if final == requested else final}


def capture_row(capture: Capture, recipe: str, source: str) -> dict[str, Any]:
    return {
        "id": capture.id,
        "recipe": recipe,
        "source_id": source,
        "lead_id": capture.lead or None,
        "url": capture.url,
        "final_url": capture.final_url,
        **_address_numbers(capture),
        "status": capture.status,
        "headers": dict(capture.headers),
        "media_type": capture.media_type,
        "sha256": capture.sha256,
        "size": capture.size,
        "fetched_at": capture.fetched_at,
        "elapsed_ms": capture.elapsed_ms,
        "policy": dict(capture.policy),
        "pack": capture.pack,
        "start": capture.start,
        "length": capture.length,
    }


def document_from(row: Row) -> Document:
    trail = [TrailEntry(m["step"], m["version"], tuple(m["changed"]), m["notes"]) for m in row["trail"] or ()]
    return Document.of_values(
        _document_fields(row) | {"trail": tuple(trail), "origins": row["origins"] or {}}
    )


def gathered_from(row: Row) -> Document:
    """A document without its trail and origins."""
    return Document.of_values(_document_fields(row))


def _document_fields(row: Row) -> dict[str, Any]:
    return {
        **{name: row[name] for name in PLAIN_IN_DOCUMENT},
        "id": row["id"],
        "recipe": row["recipe"],
        "source": row["source_id"],
        "lead": row["lead_id"],
        "capture": row["capture_id"],
        "revision": row["revision"],
        "authors": tuple(row["authors"] or ()),
        "published": row["published_at"],
        "modified": row["modified_at"],
        "keywords": tuple(row["keywords"] or ()),
        "group": row["group_id"],
        "subjects": tuple(row["subjects"] or ()),
        "attributes": row["attributes"] or {},
    }


def outline_from(row: Row) -> Document:
    """A document without its text: only what names, dates and places it."""
    return Document.of_values(
        {
            "id": row["id"],
            "recipe": row["recipe"],
            "source": row["source_id"],
            "lead": row["lead_id"],
            "revision": row["revision"],
            "url": row["url"],
            "title": row["title"],
            "publisher": row["publisher"],
            "language": row["language"],
            "published": row["published_at"],
            "modified": row["modified_at"],
            "group": row["group_id"],
        }
    )


def document_content(document: Document) -> dict[str, Any]:
    """The columns that a step may have changed, and the ids under which other programs know the document."""
    clean = without_tracking(document.url)
    return {
        **{name: getattr(document, name) for name in SAME_IN_DOCUMENT},
        "clean_url": clean,
        "authors": document.authors,
        "published_at": document.published,
        "modified_at": document.modified,
        "keywords": document.keywords,
        "subjects": document.subjects,
        "trail": document.trail,
        "external_id": external_number(to_storable_text(document.guid or clean)),
    }


def story_from(row: Row, members: tuple[Member, ...], facts: Mapping[str, FactValue]) -> Story:
    return Story(
        id=row["id"],
        recipe=row["recipe"],
        group=row["group_id"],
        title=row["title"],
        members=members,
        summary=row["summary"],
        first_at=row["first_at"],
        last_at=row["last_at"],
        score=row["score"],
        revision=row["revision"],
        attributes=row["attributes"],
        facts=facts,
    )


def alarm_from(row: Row) -> Alarm:
    return Alarm(**{name: row[name] for name in ALARM_COLUMNS})


def alarm_row(alarm: Alarm) -> dict[str, Any]:
    return {name: getattr(alarm, name) for name in ALARM_COLUMNS} | {"evidence": dict(alarm.evidence)}


def fact_rows(record: Document | Story) -> list[Record]:
    return [
        {
            "record_id": record.id,
            "name": name,
            "value": fact.value,
            "step": fact.step,
            "version": fact.version,
        }
        for name, fact in record.facts.items()
    ]


def vector_row(document: str, model: str, values: bytes) -> Record:
    return {
        "document_id": document,
        "model": model,
        "dimensions": len(values) // VECTOR_VALUE_BYTES,
        "vector": values,
    }


def mention_row(document: str, mention: Mention) -> Record:
    return {
        "document_id": document,
        "subject_id": mention.subject,
        "kind": mention.kind,
        "confidence": mention.confidence,
        "count": mention.count,
        "offsets": [list(offset) for offset in mention.offsets],
    }
