"""Which database it is, and whether the installation in it moved away: then nobody writes here any more.

Every write transaction looks here first. Whoever moves locks this table alone against all others before anything else,
until the departure is told: so a writer either ends before the rows are counted, or finds out that they are gone.
"""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, inspect, or_, select, update

from headwater.backends.sql.arriving import arrival
from headwater.backends.sql.home_table import HERE, home
from headwater.model.errors import MovedAway

# As short as can be: it is said in every transaction.
LOOK = "SELECT 1 FROM home WHERE moved_to IS NOT NULL OR arriving_id IS NOT NULL"
LOCK = "LOCK TABLE home IN ACCESS EXCLUSIVE MODE"


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


def refuse_departed(connection: Connection) -> None:
    """Also while it is still on its way here."""
    if connection.exec_driver_sql(LOOK).first() is None:
        return
    nevertheless = "say `headwater move --undo` to work here nevertheless"
    if gone := departure(connection):
        raise MovedAway("moved", f"{gone}: use it with --home {gone.to}, or {nevertheless}")
    if coming := arrival(connection):
        raise MovedAway("arriving", f"{coming}: run it again over there, or {nevertheless}")


def departure(connection: Connection) -> Departure | None:
    row = connection.execute(select(home).where(home.c.moved_to.is_not(None))).first()
    if row is None:
        return None
    return Departure(to=row.moved_to, id=row.moved_id, address=row.moved_address, at=row.moved_at)


def identity(connection: Connection) -> str | None:
    """The database's own name; None before it has the schema."""
    if not inspect(connection).has_table(home.name):
        return None
    found: str | None = connection.scalar(select(home.c.id))
    return found


def lock_home(connection: Connection) -> None:
    """Nobody else begins to write until this transaction ends; on SQLite a writer is alone anyway."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(LOCK)


def depart(connection: Connection, gone: Departure) -> None:
    told = {"moved_to": gone.to, "moved_id": gone.id, "moved_address": gone.address, "moved_at": gone.at}
    connection.execute(update(home).values(**told))


def come_back(connection: Connection) -> bool:
    """It lives here again; gives whether it was away, or on its way here."""
    away = or_(home.c.moved_to.is_not(None), home.c.arriving_id.is_not(None))
    return bool(connection.execute(update(home).where(away).values(**HERE)).rowcount)


def rename(connection: Connection, name: str) -> None:
    """For a copy of another database that takes the place of the one so named."""
    connection.execute(update(home).values(id=name, **HERE))
