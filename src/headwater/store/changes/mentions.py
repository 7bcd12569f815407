"""Subjects, and mentions found again in stored documents."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine, delete, func, select

from headwater.model.document import Document
from headwater.model.jobs import State
from headwater.model.subject import Subject
from headwater.store.bulk import insert_rows, update_rows
from headwater.store.connect import read_transaction, write_transaction
from headwater.store.dedupe.copies import SEEN_FOR, link_copies_of
from headwater.store.rows import document_from, mention_row
from headwater.store.schema.flow import documents
from headwater.store.schema.knowledge import aliases, mentions, subjects

MentionRow = Mapping[str, Any]
NAMES_AT_ONCE = 5_000


@dataclass(frozen=True, slots=True)
class RewriteCounts:
    changed: int = 0
    same: int = 0
    passed_over: int = 0
    """Taken by a worker or revised in the meantime: those are read again by the next call."""


@dataclass(frozen=True)
class MentionStore:
    engine: Engine

    def declare(self, recipe: str, subjects_: Sequence[Subject]) -> None:
        """Make the rows of subjects and aliases agree with the list; a subject that is not listed becomes inactive."""
        with write_transaction(self.engine) as connection:
            _declare_subjects(connection, recipe, subjects_)

    def list_subjects(self, recipe: str) -> list[dict[str, Any]]:
        """The subjects with the number of their aliases and of the kept documents that mention them."""
        with read_transaction(self.engine) as connection:
            return _list_subjects(connection, recipe)

    def kept_documents(self, recipe: str, after: str, limit: int) -> list[Document]:
        """Kept documents ordered by key, starting after `after`."""
        query = (
            select(documents)
            .where(documents.c.recipe == recipe, documents.c.state == State.KEPT, documents.c.id > after)
            .order_by(documents.c.id)
            .limit(limit)
        )
        with read_transaction(self.engine) as connection:
            return [document_from(row) for row in connection.execute(query).mappings()]

    def count(self, recipe: str) -> int:
        query = select(func.count()).where(documents.c.recipe == recipe, documents.c.state == State.KEPT)
        with read_transaction(self.engine) as connection:
            return connection.scalar(query) or 0

    def rewrite(self, read_documents: Sequence[Document]) -> RewriteCounts:
        """Write the mentions and the trail of these documents, unless they changed since they were read."""
        with write_transaction(self.engine) as connection:
            return _rewrite(connection, read_documents)


def _rewrite(connection: Connection, read_documents: Sequence[Document]) -> RewriteCounts:
    query = select(documents.c.id, documents.c.revision).where(
        documents.c.id.in_([document.id for document in read_documents]),
        documents.c.state == State.KEPT,
        documents.c.lease_owner.is_(None),
    )
    revisions_by_id = {
        row.id: row.revision for row in connection.execute(query.order_by(documents.c.id).with_for_update())
    }
    current = [
        document for document in read_documents if revisions_by_id.get(document.id) == document.revision
    ]
    if not current:
        return RewriteCounts(passed_over=len(read_documents))
    stored = _stored_mentions(connection, [document.id for document in current])
    changed_documents = [document for document in current if _mention_rows(document) != stored[document.id]]
    if keys := [document.id for document in changed_documents]:
        connection.execute(delete(mentions).where(mentions.c.document_id.in_(keys)))
        rows = [row for document in changed_documents for row in _mention_rows(document).values()]
        insert_rows(connection, mentions, rows)
        link_copies_of(connection, keys)
    update_rows(connection, documents, [(document.id, {"trail": document.trail}) for document in current])
    return RewriteCounts(
        len(changed_documents), len(current) - len(changed_documents), len(read_documents) - len(current)
    )


def _stored_mentions(connection: Connection, ids: Sequence[str]) -> dict[str, dict[str, MentionRow]]:
    """The mentions of each text, without links from copies."""
    mentions_by_document: defaultdict[str, dict[str, MentionRow]] = defaultdict(dict)
    query = select(mentions).where(mentions.c.document_id.in_(ids), mentions.c.kind != SEEN_FOR)
    for row in connection.execute(query).mappings():
        offsets = [list(offset) for offset in row["offsets"]]
        mentions_by_document[row["document_id"]][row["subject_id"]] = dict(row) | {"offsets": offsets}
    return mentions_by_document


def _mention_rows(document: Document) -> dict[str, MentionRow]:
    return {mention.subject: mention_row(document.id, mention) for mention in document.mentions}


def _declare_subjects(connection: Connection, recipe: str, declared: Sequence[Subject]) -> None:
    stored_ids = list(connection.scalars(select(subjects.c.id).where(subjects.c.recipe == recipe)))
    declared_ids = {subject.id for subject in declared}
    update_rows(
        connection, subjects, [(key, {"active": False}) for key in stored_ids if key not in declared_ids]
    )
    for start in range(0, len(declared), NAMES_AT_ONCE):
        batch = declared[start : start + NAMES_AT_ONCE]
        rows = [
            {
                "id": s.id,
                "recipe": recipe,
                "kind": s.kind,
                "name": s.name,
                "active": s.active,
                "attributes": dict(s.attributes),
            }
            for s in batch
        ]
        insert_rows(connection, subjects, rows, replacing=("recipe", "kind", "name", "active", "attributes"))
        connection.execute(delete(aliases).where(aliases.c.subject_id.in_([s.id for s in batch])))
        alias_rows = [{"subject_id": s.id, "alias": a.text, "kind": a.kind} for s in batch for a in s.aliases]
        insert_rows(connection, aliases, alias_rows)


def _list_subjects(connection: Connection, recipe: str) -> list[dict[str, Any]]:
    alias_counts = (
        select(aliases.c.subject_id, func.count().label("names")).group_by(aliases.c.subject_id).subquery()
    )
    document_counts = (
        select(mentions.c.subject_id, func.count().label("documents"))
        .join(documents, documents.c.id == mentions.c.document_id)
        .where(documents.c.recipe == recipe, documents.c.state == State.KEPT)
        .group_by(mentions.c.subject_id)
        .subquery()
    )
    query = (
        select(
            subjects.c.id,
            subjects.c.name,
            subjects.c.kind,
            subjects.c.active,
            func.coalesce(alias_counts.c.names, 0).label("names"),
            func.coalesce(document_counts.c.documents, 0).label("documents"),
        )
        .outerjoin(alias_counts, alias_counts.c.subject_id == subjects.c.id)
        .outerjoin(document_counts, document_counts.c.subject_id == subjects.c.id)
        .where(subjects.c.recipe == recipe)
        .order_by(subjects.c.name, subjects.c.id)
    )
    return [dict(row) for row in connection.execute(query).mappings()]
