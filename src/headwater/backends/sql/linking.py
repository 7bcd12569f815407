"""A copy found for another subject: its original is of interest to that subject too."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, select

from headwater.backends.sql.bulk import insert_rows
from headwater.backends.sql.schema import documents, edges, mentions
from headwater.model.work import Refined, State

SEEN_FOR = "seen_for"
"""The kind of a mention that nobody read in the text: a source watched for the subject brought a copy."""
CONFIDENCE = 0.5


def link_subjects(connection: Connection, refined: Sequence[Refined]) -> None:
    """To be called in the transaction that ended the copies, after everything else was written: what the text itself
    says about a subject stands. Originals that were revised lost their links and get them back."""
    copies = [r.id for r in refined if r.state is State.DUPLICATE and r.document and r.document.subjects]
    revised = [r.id for r in refined if r.state is State.KEPT and r.revision > 1]
    _link(connection, [*_copies(connection, copies), *_copies_of(connection, revised)])


def link_copies_of(connection: Connection, originals: Sequence[str]) -> None:
    """Give originals whose mentions were written anew the links of their copies back."""
    _link(connection, _copies_of(connection, originals))


def _link(connection: Connection, found: Sequence[Mapping[str, Any]]) -> None:
    if not found:
        return
    own = _subjects(connection, {row["duplicate_of"] for row in found})
    pairs = {(row["duplicate_of"], subject) for row in found for subject in row["subjects"] or ()}
    rows = [
        _mention(original, subject)
        for original, subject in sorted(pairs)
        if subject not in own.get(original, ())
    ]
    rows = [row for row in rows if row["document_id"] in own]
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


def _copies(connection: Connection, ids: Sequence[str]) -> list[Mapping[str, Any]]:
    """As they stand now: somebody else may have decided one whose lease was lost."""
    if not ids:
        return []
    query = select(documents.c.duplicate_of, documents.c.subjects).where(
        documents.c.id.in_(ids), documents.c.state == State.DUPLICATE, documents.c.duplicate_of.is_not(None)
    )
    return [dict(row) for row in connection.execute(query).mappings()]


def _copies_of(connection: Connection, originals: Sequence[str]) -> list[Mapping[str, Any]]:
    if not originals:
        return []
    copies = select(edges.c.from_id).where(edges.c.to_id.in_(originals), edges.c.relation == "duplicate")
    return _copies(connection, list(connection.scalars(copies)))


def _subjects(connection: Connection, ids: Iterable[str]) -> dict[str, tuple[str, ...]]:
    query = select(documents.c.id, documents.c.subjects).where(documents.c.id.in_(sorted(ids)))
    return {row.id: tuple(row.subjects or ()) for row in connection.execute(query)}
