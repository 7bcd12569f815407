"""How many connections a process has to a database server, and how long they may take."""

from typing import Annotated

import msgspec

Seconds = Annotated[int, msgspec.Meta(ge=0, le=86_400)]


class ConnectionSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Of each process to PostgreSQL: `pool` are kept, `spare` more are opened when all are busy, none is used for longer
    than `recycle` seconds. `statement`, `lock` and `idle` are the seconds that one statement, one wait for a lock and
    one transaction in which nothing happens may take; 0 is for ever. `pooler` is for a server behind one that gives
    each transaction another connection (PgBouncer and the like): nothing is prepared, nothing said at the start."""

    pool: Annotated[int, msgspec.Meta(ge=1, le=100)] = 4
    spare: Annotated[int, msgspec.Meta(ge=0, le=100)] = 4
    recycle: Seconds = 1_800
    statement: Seconds = 120
    lock: Seconds = 30
    idle: Seconds = 300
    pooler: bool = False

    @property
    def most(self) -> int:
        return self.pool + self.spare

    @property
    def limits(self) -> dict[str, str]:
        return {
            "statement_timeout": f"{self.statement}s",
            "lock_timeout": f"{self.lock}s",
            "idle_in_transaction_session_timeout": f"{self.idle}s",
        }
