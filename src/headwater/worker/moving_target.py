"""The home to which an installation is to move: which it is, and whether it may be moved into."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, inspect, make_url

from headwater.app import App
from headwater.backends.sql.arriving import arrival, tells_arrivals
from headwater.backends.sql.connect import connect, reading
from headwater.backends.sql.leaving import departure, identity
from headwater.backends.sql.schema import chores
from headwater.backends.sql.snapshot import filled
from headwater.backends.sql.transfer import row_counts
from headwater.model.errors import MovedAway, Refused
from headwater.settings.settings import overriding
from headwater.worker.occupancy import refuse_moved


def home(app: App, to: str) -> App:
    """The same installation there; Refused if there is here."""
    _refuse_overridden(app, to)
    target = App(app.settings.at_home(to), clock=app.clock)
    if _same_database(app, target):
        raise Refused(
            "same_home", f"the home '{to}' has the database that is in use already; nothing to move"
        )
    return target


def _refuse_overridden(app: App, to: str) -> None:
    """A variable comes before what a home says: workers would go on elsewhere than where the rows went."""
    names = overriding(app.settings, to, os.environ)
    if names:
        told = f"{', '.join(names)} would override what the home '{to}' says; unset it first, here and for the workers"
        raise Refused("overridden_home", told)


def _same_database(app: App, target: App) -> bool:
    """By what the databases call themselves, however they are reached. A copy of a file calls itself as the file does."""
    here, there = make_url(app.settings.database_url), make_url(target.settings.database_url)
    if here.get_backend_name() == there.get_backend_name() == "sqlite":
        return Path(here.database or "").resolve() == Path(there.database or "").resolve()
    if here.get_backend_name() != there.get_backend_name():
        return False
    with _looked_at(target) as connection:
        return identity(connection) == name_of(app)


@contextmanager
def _looked_at(target: App) -> Iterator[Connection]:
    """As it is: looking must not give it a schema."""
    engine = connect(target.settings.database_url, target.settings.connections)
    try:
        with reading(engine) as connection:
            yield connection
    finally:
        engine.dispose()


def name_of(app: App) -> str:
    with reading(app.store.engine) as connection:
        return str(identity(connection))


def admit(there: Connection, to: str, source: str) -> bool:
    """Whether an earlier move from this source has not ended there: then what it left may be replaced. MovedAway if
    the target was left for yet another database, which would have to be left too; Refused if somebody else is moving in.
    """
    gone, coming = departure(there), arrival(there)
    if gone is not None and gone.id != source:
        told = f"the home '{to}' was left: {gone}; use it with --home {gone.to}, or say `headwater --home {to} move --undo`"
        raise MovedAway("moved", told)
    if coming is not None and coming.id != source:
        told = f"the home '{to}' is taken: {coming}; end that one, or say `headwater --home {to} move --undo`"
        raise Refused("arriving", told)
    return coming is not None


def look_at(app: App, target: App, to: str) -> None:
    """As for a move, and nothing is changed there, not even the schema."""
    file = make_url(target.settings.database_url)
    if file.get_backend_name() == "sqlite" and not Path(file.database or "").exists():
        return
    with _looked_at(target) as connection:
        if tells_arrivals(connection) and admit(connection, to, name_of(app)):
            return
        if inspect(connection).has_table("documents") and (found := filled(connection)):
            refuse_filled(found)


def refuse_filled(found: Sequence[str]) -> None:
    raise Refused(
        "not_empty",
        f"the target holds other data already ({', '.join(found[:3])}): move into an empty database",
    )


def refuse_filled_otherwise(app: App, target: App, to: str) -> None:
    """Before anything is copied: what is there must be nothing, or of this installation, as far as counts tell."""
    with reading(target.store.engine) as there, reading(app.store.engine) as here:
        if admit(there, to, str(identity(here))):
            return
        found = filled(there)
        differs = found and _without_chores(row_counts(there)) != _without_chores(row_counts(here))
    if differs:
        refuse_moved(app)  # it has gone on there since
        refuse_filled(found)


def _without_chores(counts: dict[str, int]) -> dict[str, int]:
    return {name: count for name, count in counts.items() if name != chores.name}
