"""Requests that must not be carried out twice, with their answers, for a day."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Engine, delete, select, update

from headwater.store.bulk import insert_into
from headwater.store.connect import write_transaction
from headwater.store.rows import Record
from headwater.store.schema.access import idempotency_keys

KEPT_FOR = timedelta(days=1)
# A request whose server died is carried out again after this time.
LONGEST_REQUEST = timedelta(minutes=10)


@dataclass(frozen=True)
class IdempotencyKeys:
    engine: Engine

    def begin(self, key: str, request_hash: str, now: datetime) -> Record | None:
        """None if the request is to be carried out now; otherwise the row of the earlier one."""
        table = idempotency_keys
        is_abandoned = table.c.http_status.is_(None) & (table.c.created_at < now - LONGEST_REQUEST)
        values = {"id": key, "sha256": request_hash, "created_at": now}
        with write_transaction(self.engine) as connection:
            connection.execute(delete(table).where(table.c.created_at < now - KEPT_FOR))
            connection.execute(delete(table).where(table.c.id == key, is_abandoned))
            insertion = insert_into(connection.dialect, table).on_conflict_do_nothing().values(**values)
            if connection.execute(insertion.returning(table.c.id)).first() is not None:
                return None
            return dict(connection.execute(select(table).where(table.c.id == key)).mappings().one())

    def finish(self, key: str, status: int, answer: str) -> None:
        with write_transaction(self.engine) as connection:
            this_key = update(idempotency_keys).where(idempotency_keys.c.id == key)
            connection.execute(this_key.values(http_status=status, answer=answer))

    def forget(self, key: str) -> None:
        """The request failed: nothing was done."""
        with write_transaction(self.engine) as connection:
            connection.execute(delete(idempotency_keys).where(idempotency_keys.c.id == key))
