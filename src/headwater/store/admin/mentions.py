"""Mentions found anew in documents that are stored, and the subjects they are about."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine, delete, func, select

from headwater.model.document import Document, Mention
from headwater.model.jobs import State
from headwater.model.subject import Subject
from headwater.store.bulk import insert_rows, update_rows
from headwater.store.connect import read_transaction, write_transaction
from headwater.store.dedupe.copies import SEEN_FOR, link_copies_of
from headwater.store.rows import document_from
from headwater.store.schema.flow import documents
from headwater.store.schema.knowledge import aliases, mentions, subjects

MentionRow = Mapping[str, Any]
NAMES_AT_ONCE = 5_000


@dataclass(frozen=True, slots=True)
class RewriteCounts:
    changed: int = 0
    same: int = 0
    passed_over: int = 0
    """Taken by a worker or revised in the meantime: those are read again by whoever asks next."""


@dataclass(frozen=True)
class MentionStore:
    engine: Engine

    def declare(self, recipe: str, given: Sequence[Subject]) -> None:
        """Make the rows of subjects and names agree with the list; a subject that is not listed is switched off."""
        with write_transaction(self.engine) as connection:
            _declare(connection, recipe, given)

    def listed(self, recipe: str) -> list[dict[str, Any]]:
        """The subjects with how many names they have and in how many kept documents they were found."""
        with read_transaction(self.engine) as connection:
            return _listed(connection, recipe)

    def kept(self, recipe: str, after: str, limit: int) -> list[Document]:
        """Kept documents in the order of their keys, from the one after `after` on."""
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

    def rewrite(self, found: Sequence[Document]) -> RewriteCounts:
        """Write the mentions and the history of these documents, as far as they are still what was read."""
        with write_transaction(self.engine) as connection:
            return _rewrite(connection, found)


def _rewrite(connection: Connection, found: Sequence[Document]) -> RewriteCounts:
    query = select(documents.c.id, documents.c.revision).where(
        documents.c.id.in_([document.id for document in found]),
        documents.c.state == State.KEPT,
        documents.c.lease_owner.is_(None),
    )
    still = {
        row.id: row.revision for row in connection.execute(query.order_by(documents.c.id).with_for_update())
    }
    mine = [document for document in found if still.get(document.id) == document.revision]
    if not mine:
        return RewriteCounts(passed_over=len(found))
    before = _stored(connection, [document.id for document in mine])
    changed = [document for document in mine if _rows(document) != before[document.id]]
    if keys := [document.id for document in changed]:
        connection.execute(delete(mentions).where(mentions.c.document_id.in_(keys)))
        rows = [row for document in changed for row in _rows(document).values()]
        insert_rows(connection, mentions, rows)
        link_copies_of(connection, keys)
    update_rows(connection, documents, [(document.id, {"trail": document.trail}) for document in mine])
    return RewriteCounts(len(changed), len(mine) - len(changed), len(found) - len(mine))


def _stored(connection: Connection, ids: Sequence[str]) -> dict[str, dict[str, MentionRow]]:
    """What was read in each text; links from copies are not of the text."""
    stored: defaultdict[str, dict[str, MentionRow]] = defaultdict(dict)
    query = select(mentions).where(mentions.c.document_id.in_(ids), mentions.c.kind != SEEN_FOR)
    for row in connection.execute(query).mappings():
        places = [list(place) for place in row["offsets"]]
        stored[row["document_id"]][row["subject_id"]] = dict(row) | {"offsets": places}
    return stored


def _rows(document: Document) -> dict[str, MentionRow]:
    return {mention.subject: _row(document.id, mention) for mention in document.mentions}


def _row(document: str, mention: Mention) -> MentionRow:
    return {
        "document_id": document,
        "subject_id": mention.subject,
        "kind": mention.kind,
        "confidence": mention.confidence,
        "count": mention.count,
        "offsets": [list(place) for place in mention.offsets],
    }


def _declare(connection: Connection, recipe: str, given: Sequence[Subject]) -> None:
    known = list(connection.scalars(select(subjects.c.id).where(subjects.c.recipe == recipe)))
    listed = {one.id for one in given}
    update_rows(connection, subjects, [(key, {"active": False}) for key in known if key not in listed])
    for start in range(0, len(given), NAMES_AT_ONCE):
        some = given[start : start + NAMES_AT_ONCE]
        rows = [
            {
                "id": s.id,
                "recipe": recipe,
                "kind": s.kind,
                "name": s.name,
                "active": s.active,
                "attributes": dict(s.attributes),
            }
            for s in some
        ]
        insert_rows(connection, subjects, rows, replacing=("recipe", "kind", "name", "active", "attributes"))
        connection.execute(delete(aliases).where(aliases.c.subject_id.in_([s.id for s in some])))
        names = [{"subject_id": s.id, "alias": a.text, "kind": a.kind} for s in some for a in s.aliases]
        insert_rows(connection, aliases, names)


def _listed(connection: Connection, recipe: str) -> list[dict[str, Any]]:
    names = (
        select(aliases.c.subject_id, func.count().label("names")).group_by(aliases.c.subject_id).subquery()
    )
    seen = (
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
            func.coalesce(names.c.names, 0).label("names"),
            func.coalesce(seen.c.documents, 0).label("documents"),
        )
        .outerjoin(names, names.c.subject_id == subjects.c.id)
        .outerjoin(seen, seen.c.subject_id == subjects.c.id)
        .where(subjects.c.recipe == recipe)
        .order_by(subjects.c.name, subjects.c.id)
    )
    return [dict(row) for row in connection.execute(query).mappings()]
