"""Whether anything was lost or stored twice, counted from rows: 0 at every moment, also while workers are killed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Column, ColumnElement, Engine, Select, Table, func, select

from headwater.model.jobs import State
from headwater.store.connect import read_transaction
from headwater.store.schema.flow import deliveries, documents, leads, quarantine

ENDED = (State.DROPPED, State.DUPLICATE, State.ASIDE, State.QUARANTINED)


@dataclass(frozen=True, slots=True)
class Integrity:
    """Counts by what was looked for."""

    lost: Mapping[str, int]
    duplicated: Mapping[str, int]

    @property
    def lost_count(self) -> int:
        return sum(self.lost.values())

    @property
    def duplicated_count(self) -> int:
        return sum(self.duplicated.values())


def check_integrity(engine: Engine, recipe: str) -> Integrity:
    with read_transaction(engine) as connection:

        def count(queries: Mapping[str, Select[Any]]) -> dict[str, int]:
            return {name: connection.scalar(query) or 0 for name, query in queries.items()}

        return Integrity(count(_lost(recipe)), count(_duplicated(recipe)))


def _lost(recipe: str) -> Mapping[str, Select[Any]]:
    """Items that no worker will ever take up again, or whose end nothing explains."""
    has_document = select(documents.c.id).where(documents.c.id == leads.c.document_id).exists()
    has_entry = select(quarantine.c.record_id).where(quarantine.c.record_id == documents.c.id).exists()
    return {
        "leads_without_document": _rows(leads, recipe, leads.c.state == State.DONE, ~has_document),
        "leads_never_due": _rows(leads, recipe, leads.c.state == State.WAITING, leads.c.due_at.is_(None)),
        "documents_never_due": _rows(
            documents, recipe, documents.c.state == State.WAITING, documents.c.due_at.is_(None)
        ),
        "documents_without_reason": _rows(
            documents, recipe, documents.c.state.in_(ENDED), documents.c.reason.is_(None)
        ),
        "quarantine_without_entry": _rows(
            documents, recipe, documents.c.state == State.QUARANTINED, ~has_entry
        ),
        "deliveries_never_due": _rows(
            deliveries,
            recipe,
            deliveries.c.state == State.WAITING,
            deliveries.c.due_at.is_(None),
        ),
    }


def _duplicated(recipe: str) -> Mapping[str, Select[Any]]:
    return {
        "leads": _repeated(leads, recipe, leads.c.source_id, leads.c.identity),
        "documents": _repeated(documents, recipe, documents.c.url),
        "deliveries": _repeated(deliveries, recipe, deliveries.c.route, deliveries.c.record_id),
    }


def _rows(table: Table, recipe: str, *conditions: ColumnElement[bool]) -> Select[Any]:
    return select(func.count()).select_from(table).where(table.c.recipe == recipe, *conditions)


def _repeated(table: Table, recipe: str, *columns: Column[Any]) -> Select[Any]:
    """How many rows have the same values as another one."""
    groups = (
        select((func.count() - 1).label("more"))
        .where(table.c.recipe == recipe)
        .group_by(*columns)
        .having(func.count() > 1)
        .subquery()
    )
    return select(func.coalesce(func.sum(groups.c.more), 0))
