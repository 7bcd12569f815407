"""Copies found for another subject: the original is linked to that subject too."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from sqlalchemy import Connection, Select, func, select

from headwater.model.document import Mention
from headwater.model.jobs import RefineResult, State
from headwater.store.bulk import insert_rows
from headwater.store.in_list import in_list, in_named_list
from headwater.store.rows import mention_row
from headwater.store.schema.flow import documents, leads, sources
from headwater.store.schema.knowledge import edges, mentions

SEEN_FOR = "seen_for"
"""The kind of a mention that is not in the text: a source watched for the subject brought a copy."""
CONFIDENCE = 0.5

Pairs = set[tuple[str, str]]
"""An original, and a subject that a copy of it was found for."""


def link_subjects(connection: Connection, refined: Sequence[RefineResult]) -> None:
    """Call it in the transaction that decides the copies, after everything else: mentions in the text itself take
    precedence. A revised original lost its links and gets them again."""
    finished = [r for r in refined if r.later is None and r.state in {State.KEPT, State.DUPLICATE}]
    copies = [r.id for r in finished if r.state is State.DUPLICATE and r.document and r.document.subjects]
    revised = [r.id for r in finished if r.state is State.KEPT and r.revision > 1]
    pairs = _pairs_of_copies(connection, copies) | _pairs_of_copies(
        connection, _copies_of(connection, revised)
    )
    _link(connection, pairs | _pairs_of_leads(connection, [r.id for r in finished]))


def link_leads(connection: Connection, ids: Sequence[str]) -> None:
    """Other sources found these documents at the same URL."""
    _link(connection, _pairs_of_leads(connection, ids))


def link_copies_of(connection: Connection, originals: Sequence[str]) -> None:
    """Restore the links from copies after the mentions of their originals were rewritten."""
    pairs = _pairs_of_copies(connection, _copies_of(connection, originals))
    _link(connection, pairs | _pairs_of_leads(connection, originals))


def _link(connection: Connection, pairs: Pairs) -> None:
    if not pairs:
        return
    own_subjects = _own_subjects(connection, {original for original, _ in pairs})
    rows = [
        mention_row(original, Mention(subject, SEEN_FOR, CONFIDENCE, count=0))
        for original, subject in sorted(pairs)
        if original in own_subjects and subject not in own_subjects[original]
    ]
    insert_rows(connection, mentions, rows)


def _pairs_of_copies(connection: Connection, ids: Sequence[str]) -> Pairs:
    """As stored now: another worker may have decided a document whose lease was lost."""
    if not ids:
        return set()
    query = select(documents.c.duplicate_of, documents.c.subjects).where(
        in_list(documents.c.id, ids),
        documents.c.state == State.DUPLICATE,
        documents.c.duplicate_of.is_not(None),
    )
    return {
        (row.duplicate_of, subject)
        for row in connection.execute(query).all()
        for subject in row.subjects or ()
    }


def _pairs_of_leads(connection: Connection, ids: Sequence[str]) -> Pairs:
    if not ids:
        return set()
    return {(row.original, row.subject) for row in connection.execute(_subjects_of_leads(), {"ids": ids})}


@cache
def _subjects_of_leads() -> Select[Any]:
    subject = func.coalesce(leads.c.subject_id, sources.c.subject_id).label("subject")
    original = func.coalesce(documents.c.duplicate_of, documents.c.id).label("original")
    return (
        select(original, subject)
        .select_from(edges)
        .join(leads, leads.c.id == edges.c.from_id)
        .join(sources, sources.c.id == leads.c.source_id)
        .join(documents, documents.c.id == edges.c.to_id)
        .where(in_named_list(edges.c.to_id, "ids"), edges.c.relation == "duplicate", subject.is_not(None))
    )


def _copies_of(connection: Connection, originals: Sequence[str]) -> list[str]:
    if not originals:
        return []
    copies = select(edges.c.from_id).where(in_list(edges.c.to_id, originals), edges.c.relation == "duplicate")
    return list(connection.scalars(copies))


def _own_subjects(connection: Connection, ids: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The subjects for which the kept documents were found themselves."""
    query = select(documents.c.id, documents.c.subjects).where(
        in_list(documents.c.id, sorted(ids)), documents.c.state == State.KEPT
    )
    return {row.id: tuple(row.subjects or ()) for row in connection.execute(query).all()}
