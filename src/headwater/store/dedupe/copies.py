"""A copy found for another subject: its original is of interest to that subject too."""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, func, select

from headwater.model.jobs import RefineResult, State
from headwater.store.bulk import insert_rows
from headwater.store.in_list import in_list
from headwater.store.schema.flow import documents, leads, sources
from headwater.store.schema.knowledge import edges, mentions

SEEN_FOR = "seen_for"
"""The kind of a mention that nobody read in the text: a source watched for the subject brought a copy."""
CONFIDENCE = 0.5

Pairs = set[tuple[str, str]]
"""An original, and a subject that a copy of it was found for."""


def link_subjects(connection: Connection, refined: Sequence[RefineResult]) -> None:
    """To be called in the transaction that ended the copies, after everything else was written: what the text itself
    says about a subject stands. Originals that were revised lost their links and get them back."""
    written = [r for r in refined if r.later is None and r.state in {State.KEPT, State.DUPLICATE}]
    copies = [r.id for r in written if r.state is State.DUPLICATE and r.document and r.document.subjects]
    revised = [r.id for r in written if r.state is State.KEPT and r.revision > 1]
    found = _of_copies(connection, copies) | _of_copies(connection, _copies_of(connection, revised))
    _link(connection, found | _of_leads(connection, [r.id for r in written]))


def link_leads(connection: Connection, ids: Sequence[str]) -> None:
    """Other sources told of these documents again, by their very address."""
    _link(connection, _of_leads(connection, ids))


def link_copies_of(connection: Connection, originals: Sequence[str]) -> None:
    """Give originals whose mentions were written anew the links of their copies back."""
    found = _of_copies(connection, _copies_of(connection, originals))
    _link(connection, found | _of_leads(connection, originals))


def _link(connection: Connection, pairs: Pairs) -> None:
    if not pairs:
        return
    own = _subjects(connection, {original for original, _ in pairs})
    rows = [
        _mention(original, subject)
        for original, subject in sorted(pairs)
        if original in own and subject not in own[original]
    ]
    insert_rows(connection, mentions, rows)


def _mention(original: str, subject: str) -> dict[str, Any]:
    return {
        "document_id": original,
        "subject_id": subject,
        "kind": SEEN_FOR,
        "confidence": CONFIDENCE,
        "count": 0,
        "offsets": (),
    }


def _of_copies(connection: Connection, ids: Sequence[str]) -> Pairs:
    """As they stand now: somebody else may have decided one whose lease was lost."""
    if not ids:
        return set()
    query = select(documents.c.duplicate_of, documents.c.subjects).where(
        in_list(documents.c.id, ids),
        documents.c.state == State.DUPLICATE,
        documents.c.duplicate_of.is_not(None),
    )
    return {(row.duplicate_of, one) for row in connection.execute(query).all() for one in row.subjects or ()}


def _of_leads(connection: Connection, ids: Sequence[str]) -> Pairs:
    if not ids:
        return set()
    subject = func.coalesce(leads.c.subject_id, sources.c.subject_id).label("subject")
    original = func.coalesce(documents.c.duplicate_of, documents.c.id).label("original")
    query = (
        select(original, subject)
        .select_from(edges)
        .join(leads, leads.c.id == edges.c.from_id)
        .join(sources, sources.c.id == leads.c.source_id)
        .join(documents, documents.c.id == edges.c.to_id)
        .where(in_list(edges.c.to_id, ids), edges.c.relation == "duplicate", subject.is_not(None))
    )
    return {(row.original, row.subject) for row in connection.execute(query).all()}


def _copies_of(connection: Connection, originals: Sequence[str]) -> list[str]:
    if not originals:
        return []
    copies = select(edges.c.from_id).where(in_list(edges.c.to_id, originals), edges.c.relation == "duplicate")
    return list(connection.scalars(copies))


def _subjects(connection: Connection, ids: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Of those that are kept, what they were found for themselves."""
    query = select(documents.c.id, documents.c.subjects).where(
        in_list(documents.c.id, sorted(ids)), documents.c.state == State.KEPT
    )
    return {row.id: tuple(row.subjects or ()) for row in connection.execute(query).all()}
