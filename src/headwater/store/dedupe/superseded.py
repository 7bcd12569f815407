"""Documents with a part of a text, which become duplicates when the whole text arrives."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, delete, select, update

from headwater.model.document import SUPERSEDES, Document, Edge
from headwater.model.jobs import RefineResult, State
from headwater.model.page import WITH_WHOLE_TEXT
from headwater.store.bulk import insert_rows
from headwater.store.dedupe.copy_dates import originals_of_dated
from headwater.store.in_list import in_list
from headwater.store.schema.flow import documents
from headwater.store.schema.knowledge import edges, facts, mentions, vectors


@dataclass(frozen=True, slots=True)
class Part:
    """A kept document with a part of the text of `whole`."""

    id: str
    recipe: str
    group: str | None
    whole: str
    edge: Edge


@dataclass(frozen=True, slots=True)
class SupersededParts:
    """`contested` are documents whose parts another worker is deciding at this moment: they are decided again."""

    parts: tuple[Part, ...] = ()
    contested: frozenset[str] = frozenset()

    @property
    def departures(self) -> set[tuple[str, str]]:
        """The groups that the parts leave, with the parts."""
        return {(part.group, part.id) for part in self.parts if part.group is not None}

    def without(self, wholes: Collection[str]) -> "SupersededParts":
        return SupersededParts(tuple(part for part in self.parts if part.whole not in wholes))


def lock_with_others(connection: Connection, refined: Sequence[RefineResult]) -> None:
    """Locks the documents of a batch together with their parts, and with the originals that may take over a date, in the
    order of their keys, so that two batches never deadlock."""
    parts = {edge.to for result in refined if result.document for edge in _edges_to_parts(result.document)}
    others = parts | originals_of_dated(refined)
    if others:
        ids = others | {result.id for result in refined}
        locked = select(documents.c.id).where(in_list(documents.c.id, ids)).order_by(documents.c.id)
        connection.execute(locked.with_for_update())


def superseded_parts(
    connection: Connection, kept_documents: Sequence[Document], now: datetime
) -> SupersededParts:
    """The parts that are still kept, and still only parts."""
    by_part = {
        edge.to: (document.id, edge) for document in kept_documents for edge in _edges_to_parts(document)
    }
    if not by_part:
        return SupersededParts()
    columns = ("id", "recipe", "group_id", "lease_owner", "lease_until")
    query = select(*(documents.c[name] for name in columns)).where(
        in_list(documents.c.id, by_part),
        documents.c.state == State.KEPT,
        documents.c.page.not_in(["", *WITH_WHOLE_TEXT]),
    )
    rows = connection.execute(query.order_by(documents.c.id)).all()
    leased = {row.id for row in rows if row.lease_owner is not None and row.lease_until > now}
    parts = tuple(
        Part(row.id, row.recipe, row.group_id, *by_part[row.id]) for row in rows if row.id not in leased
    )
    return SupersededParts(parts, frozenset(by_part[part][0] for part in leased))


def end_superseded(connection: Connection, superseded: SupersededParts, now: datetime) -> None:
    """Each part becomes a duplicate of the whole, and so do its own copies. Like every duplicate it keeps all but its
    text, which is part of the whole."""
    for part in superseded.parts:
        values = {
            "state": State.DUPLICATE,
            "reason": f"duplicate:{part.edge.rule}",
            "duplicate_of": part.whole,
            "text": "",
            "group_id": None,
            "updated_at": now,
        }
        connection.execute(update(documents).where(documents.c.id == part.id).values(**values))
        copies = select(edges.c.from_id).where(edges.c.to_id == part.id, edges.c.relation == "duplicate")
        of_part = update(documents).where(documents.c.id.in_(copies), documents.c.duplicate_of == part.id)
        connection.execute(of_part.values(duplicate_of=part.whole))
    ids = [part.id for part in superseded.parts]
    if not ids:
        return
    connection.execute(delete(mentions).where(in_list(mentions.c.document_id, ids)))
    connection.execute(delete(facts).where(in_list(facts.c.record_id, ids)))
    connection.execute(delete(vectors).where(in_list(vectors.c.document_id, ids)))
    rows = [
        {
            "from_id": part.id,
            "to_id": part.whole,
            "relation": "duplicate",
            "recipe": part.recipe,
            "rule": part.edge.rule,
            "score": part.edge.score,
            "evidence": dict(part.edge.evidence),
            "created_at": now,
        }
        for part in superseded.parts
    ]
    insert_rows(connection, edges, rows)


def _edges_to_parts(document: Document) -> list[Edge]:
    return [edge for edge in document.edges if edge.relation == SUPERSEDES]
