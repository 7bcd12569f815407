"""Subjects and their names as a recipe knows them."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, delete, select, update

from headwater.backends.sql.among import among
from headwater.backends.sql.bulk import insert_rows
from headwater.backends.sql.schema import aliases, subjects
from headwater.model.subject import Subject

REPLACED = ("kind", "name", "active", "attributes")


def enrol(connection: Connection, recipe: str, wanted: Sequence[Subject]) -> int:
    """Make the rows agree; gives the number of new ones. A subject that is no longer wanted stays, inactive: what
    mentions it must still be able to say whom."""
    known = set(connection.scalars(select(subjects.c.id).where(subjects.c.recipe == recipe)))
    named = {subject.id: subject for subject in wanted}
    gone = known - named.keys()
    if gone:
        connection.execute(update(subjects).where(among(subjects.c.id, gone)).values(active=False))
    if not named:
        return 0
    insert_rows(connection, subjects, [_row(one) for one in named.values()], replacing=REPLACED)
    connection.execute(delete(aliases).where(among(aliases.c.subject_id, named)))
    names = [
        {"subject_id": one.id, "alias": alias, "kind": kind}
        for one in named.values()
        for alias, kind in one.aliases
    ]
    insert_rows(connection, aliases, names)
    return len(named.keys() - known)


def _row(subject: Subject) -> dict[str, Any]:
    return {
        "id": subject.id,
        "recipe": subject.recipe,
        "kind": subject.kind,
        "name": subject.name,
        "active": subject.active,
        "attributes": dict(subject.attributes),
    }
