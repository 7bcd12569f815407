"""Moves of an installation between databases. Each database has an id and records where its installation moved, or from
where one is arriving.

Every write transaction checks this first. A move locks the identity table exclusively until the departure is recorded,
so a writer either commits before the rows are counted or learns that they moved. The arrival is recorded before anything is
copied and cleared after the departure. So at most one of the two databases accepts writes,
wherever a move dies, and a repeated move may replace what it left.
"""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, inspect, or_, select, update

from headwater.model.errors import MovedAway
from headwater.store.schema.identity import database_identity

# The values when no move is recorded.
NOT_MOVED = {column.name: None for column in database_identity.c if column.nullable}


@dataclass(frozen=True, slots=True)
class Arrival:
    """`id` is the database it comes from; `address` is where that is, without a password."""

    id: str
    address: str

    def __str__(self) -> str:
        return f"a move into this environment from {self.address} has not ended"


def find_arrival(connection: Connection) -> Arrival | None:
    query = select(database_identity.c.arriving_id, database_identity.c.arriving_address).where(
        database_identity.c.arriving_id.is_not(None)
    )
    row = connection.execute(query).first()
    return None if row is None else Arrival(row.arriving_id, row.arriving_address)


def supports_arrival(connection: Connection) -> bool:
    """Whether the schema has these columns."""
    inspector = inspect(connection)
    names = (
        inspector.get_columns(database_identity.name) if inspector.has_table(database_identity.name) else []
    )
    return database_identity.c.arriving_id.name in {column["name"] for column in names}


def record_arrival(connection: Connection, arrival: Arrival) -> None:
    values = {"arriving_id": arrival.id, "arriving_address": arrival.address}
    connection.execute(update(database_identity).values(**(NOT_MOVED | values)))


def clear_arrival(connection: Connection, source: str) -> None:
    """The installation has left the database with that id."""
    values = {"arriving_id": None, "arriving_address": None}
    connection.execute(
        update(database_identity).where(database_identity.c.arriving_id == source).values(**values)
    )


# Short, because every transaction runs it.
MOVED_QUERY = "SELECT 1 FROM database_identity WHERE moved_to IS NOT NULL OR arriving_id IS NOT NULL"
LOCK_STATEMENT = "LOCK TABLE database_identity IN ACCESS EXCLUSIVE MODE"


@dataclass(frozen=True, slots=True, kw_only=True)
class Departure:
    """`to` is the name of the environment in the settings of the mover; `address` is where that was, without a
    password; `id` is the database."""

    to: str
    id: str
    address: str
    at: datetime

    def __str__(self) -> str:
        return (
            f"this installation moved to the environment '{self.to}' ({self.address}) on {self.at:%Y-%m-%d}"
        )


def refuse_if_moved(connection: Connection) -> None:
    """Refused also while an arrival is incomplete."""
    if connection.exec_driver_sql(MOVED_QUERY).first() is None:
        return
    advice = "run `headwater move --undo` to work here anyway"
    if departure := find_departure(connection):
        raise MovedAway("moved", f"{departure}: use it with --env {departure.to}, or {advice}")
    if arrival := find_arrival(connection):
        raise MovedAway("arriving", f"{arrival}: repeat the move there, or {advice}")


def find_departure(connection: Connection) -> Departure | None:
    row = connection.execute(
        select(database_identity).where(database_identity.c.moved_to.is_not(None))
    ).first()
    if row is None:
        return None
    return Departure(to=row.moved_to, id=row.moved_id, address=row.moved_address, at=row.moved_at)


def database_id(connection: Connection) -> str | None:
    """The id of the database; None before the schema exists."""
    if not inspect(connection).has_table(database_identity.name):
        return None
    identifier: str | None = connection.scalar(select(database_identity.c.id))
    return identifier


def lock_database_identity(connection: Connection) -> None:
    """No other transaction begins to write until this one ends. SQLite has one writer at a time anyway."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(LOCK_STATEMENT)


def record_departure(connection: Connection, departure: Departure) -> None:
    values = {
        "moved_to": departure.to,
        "moved_id": departure.id,
        "moved_address": departure.address,
        "moved_at": departure.at,
    }
    connection.execute(update(database_identity).values(**values))


def clear_move(connection: Connection) -> bool:
    """Forget a departure or an arrival; returns whether there was one."""
    is_moved = or_(database_identity.c.moved_to.is_not(None), database_identity.c.arriving_id.is_not(None))
    return bool(connection.execute(update(database_identity).where(is_moved).values(**NOT_MOVED)).rowcount)


def assign_database_id(connection: Connection, name: str) -> None:
    """For a copy that takes the place of the database with that id."""
    connection.execute(update(database_identity).values(id=name, **NOT_MOVED))
