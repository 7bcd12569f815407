"""What a database knows about itself: which one it is, by whatever address it is reached, and where the installation
that lived in it went, or whence one is coming that has not left yet. It belongs to the place, so neither a move nor a restore carries it along."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, inspect, or_, select, update

from headwater.model.errors import MovedAway
from headwater.store.schema.identity import database_identity

# What it says when an installation lives here, or none ever did.
NOT_MOVED = {column.name: None for column in database_identity.c if not column.primary_key}


@dataclass(frozen=True, slots=True)
class Arrival:
    """`id` is the database from which it comes; `address` says where that is, without a password."""

    id: str
    address: str

    def __str__(self) -> str:
        return f"a move into this home from {self.address} has not ended"


def find_arrival(connection: Connection) -> Arrival | None:
    query = select(database_identity.c.arriving_id, database_identity.c.arriving_address).where(
        database_identity.c.arriving_id.is_not(None)
    )
    row = connection.execute(query).first()
    return None if row is None else Arrival(row.arriving_id, row.arriving_address)


def supports_arrival(connection: Connection) -> bool:
    """Whether it has a schema that can."""
    inspector = inspect(connection)
    names = (
        inspector.get_columns(database_identity.name) if inspector.has_table(database_identity.name) else []
    )
    return database_identity.c.arriving_id.name in {column["name"] for column in names}


def record_arrival(connection: Connection, coming: Arrival) -> None:
    told = {"arriving_id": coming.id, "arriving_address": coming.address}
    connection.execute(update(database_identity).values(**(NOT_MOVED | told)))


def clear_arrival(connection: Connection, source: str) -> None:
    """The installation has left the database that is so named."""
    none = {"arriving_id": None, "arriving_address": None}
    connection.execute(
        update(database_identity).where(database_identity.c.arriving_id == source).values(**none)
    )


# As short as can be: it is said in every transaction.
MOVED_QUERY = "SELECT 1 FROM database_identity WHERE moved_to IS NOT NULL OR arriving_id IS NOT NULL"
LOCK_STATEMENT = "LOCK TABLE database_identity IN ACCESS EXCLUSIVE MODE"


@dataclass(frozen=True, slots=True, kw_only=True)
class Departure:
    """`to` is the name that the home had in the settings of whoever moved; `address` says where that was, without a
    password; `id` is the database itself."""

    to: str
    id: str
    address: str
    at: datetime

    def __str__(self) -> str:
        return f"this installation moved to the home '{self.to}' ({self.address}) on {self.at:%Y-%m-%d}"


def refuse_if_moved(connection: Connection) -> None:
    """Also while it is still on its way here."""
    if connection.exec_driver_sql(MOVED_QUERY).first() is None:
        return
    nevertheless = "say `headwater move --undo` to work here nevertheless"
    if gone := find_departure(connection):
        raise MovedAway("moved", f"{gone}: use it with --env {gone.to}, or {nevertheless}")
    if coming := find_arrival(connection):
        raise MovedAway("arriving", f"{coming}: run it again over there, or {nevertheless}")


def find_departure(connection: Connection) -> Departure | None:
    row = connection.execute(
        select(database_identity).where(database_identity.c.moved_to.is_not(None))
    ).first()
    if row is None:
        return None
    return Departure(to=row.moved_to, id=row.moved_id, address=row.moved_address, at=row.moved_at)


def database_id(connection: Connection) -> str | None:
    """The database's own name; None before it has the schema."""
    if not inspect(connection).has_table(database_identity.name):
        return None
    found: str | None = connection.scalar(select(database_identity.c.id))
    return found


def lock_database_identity(connection: Connection) -> None:
    """Nobody else begins to write until this transaction ends; on SQLite a writer is alone anyway."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(LOCK_STATEMENT)


def record_departure(connection: Connection, gone: Departure) -> None:
    told = {"moved_to": gone.to, "moved_id": gone.id, "moved_address": gone.address, "moved_at": gone.at}
    connection.execute(update(database_identity).values(**told))


def clear_move(connection: Connection) -> bool:
    """It lives here again; gives whether it was away, or on its way here."""
    away = or_(database_identity.c.moved_to.is_not(None), database_identity.c.arriving_id.is_not(None))
    return bool(connection.execute(update(database_identity).where(away).values(**NOT_MOVED)).rowcount)


def assign_database_id(connection: Connection, name: str) -> None:
    """For a copy of another database that takes the place of the one so named."""
    connection.execute(update(database_identity).values(id=name, **NOT_MOVED))
