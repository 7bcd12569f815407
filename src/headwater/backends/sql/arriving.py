"""Whether the rows of an installation are here that has not left its old database yet: nobody writes here until it has.

The mark comes with the rows, in their transaction, and goes when the departure is told over there. So of the two
databases at most one is written to, wherever the move dies; and whoever moves again may replace what it left here.
"""

from dataclasses import dataclass

from sqlalchemy import Connection, inspect, select, update

from headwater.backends.sql.home_table import HERE, home


@dataclass(frozen=True, slots=True)
class Arrival:
    """`id` is the database from which it comes; `address` says where that is, without a password."""

    id: str
    address: str

    def __str__(self) -> str:
        return f"a move into this home from {self.address} has not ended"


def arrival(connection: Connection) -> Arrival | None:
    query = select(home.c.arriving_id, home.c.arriving_address).where(home.c.arriving_id.is_not(None))
    row = connection.execute(query).first()
    return None if row is None else Arrival(row.arriving_id, row.arriving_address)


def tells_arrivals(connection: Connection) -> bool:
    """Whether it has a schema that can."""
    inspector = inspect(connection)
    names = inspector.get_columns(home.name) if inspector.has_table(home.name) else []
    return home.c.arriving_id.name in {column["name"] for column in names}


def arrive(connection: Connection, coming: Arrival) -> None:
    told = {"arriving_id": coming.id, "arriving_address": coming.address}
    connection.execute(update(home).values(**(HERE | told)))


def end_arrival(connection: Connection, source: str) -> None:
    """The installation has left the database that is so named."""
    none = {"arriving_id": None, "arriving_address": None}
    connection.execute(update(home).where(home.c.arriving_id == source).values(**none))
