"""How many connections a process opens to a PostgreSQL server, and how long they may take."""

from typing import Annotated

import msgspec

Seconds = Annotated[int, msgspec.Meta(ge=0, le=86_400)]


class ConnectionSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Connections of each process to PostgreSQL: it keeps `pool_size` open, opens `max_overflow` more when all are busy, and
    replaces each after `recycle` seconds. `statement_timeout`, `lock_timeout` and `idle_timeout` limit a statement, a wait for
    a lock and an idle transaction, in seconds; 0 means no limit. Set `pooler: true` behind PgBouncer and the like in
    transaction mode: statements are not prepared, and the limits are set in each transaction."""

    pool_size: Annotated[int, msgspec.Meta(ge=1, le=100)] = 4
    max_overflow: Annotated[int, msgspec.Meta(ge=0, le=100)] = 4
    recycle: Seconds = 1_800
    statement_timeout: Seconds = 120
    lock_timeout: Seconds = 30
    idle_timeout: Seconds = 300
    pooler: bool = False

    @property
    def max_connections(self) -> int:
        return self.pool_size + self.max_overflow

    @property
    def timeouts(self) -> dict[str, str]:
        """The timeouts by their names in PostgreSQL."""
        return {
            "statement_timeout": f"{self.statement_timeout}s",
            "lock_timeout": f"{self.lock_timeout}s",
            "idle_in_transaction_session_timeout": f"{self.idle_timeout}s",
        }
