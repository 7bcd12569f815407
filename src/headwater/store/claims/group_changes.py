"""Group changes: which documents joined a group, changed in it or left it since it was last clustered."""

from collections.abc import Collection, Sequence
from datetime import datetime
from functools import cache

from sqlalchemy import Connection, Delete, bindparam, delete

from headwater.store.bulk import insert_rows
from headwater.store.in_list import in_named_list
from headwater.store.schema.flow import group_changes


def record_group_changes(connection: Connection, changes: Collection[tuple[str, str]], now: datetime) -> None:
    """`changes` are pairs of a group and a document. In the order of their keys, so that two batches never deadlock."""
    rows = [
        {"group_id": group, "document_id": document, "updated_at": now}
        for group, document in sorted(set(changes))
    ]
    if rows:
        insert_rows(connection, group_changes, rows, replacing=("updated_at",))


def forget_group_changes(
    connection: Connection, group: str, documents: Sequence[str], claimed_at: datetime
) -> None:
    """The stories contain these changes now. What changed again after the group was claimed stays."""
    if documents:
        claimed = {"group": group, "documents": documents, "claimed_at": claimed_at}
        connection.execute(_claimed_changes(), claimed)


@cache
def _claimed_changes() -> Delete:
    return delete(group_changes).where(
        group_changes.c.group_id == bindparam("group"),
        in_named_list(group_changes.c.document_id, "documents"),
        group_changes.c.updated_at <= bindparam("claimed_at"),
    )
