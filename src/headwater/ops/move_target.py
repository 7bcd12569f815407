"""The home to which an installation is to move: which it is, and whether it may be moved into."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, inspect, make_url

from headwater.app import App
from headwater.model.errors import MovedAway, Refused
from headwater.ops.installation_lock import refuse_moved_installation
from headwater.settings.settings import overriding_variables
from headwater.store.connect import connect, read_transaction
from headwater.store.maintenance.snapshot import tables_with_rows
from headwater.store.maintenance.table_copy import row_counts
from headwater.store.relocation import database_id, find_arrival, find_departure, supports_arrival
from headwater.store.schema.operations import maintenance_tasks


def open_target(app: App, to: str) -> App:
    """The same installation there; Refused if there is here."""
    _refuse_overridden(app, to)
    target = App(app.settings.in_environment(to), clock=app.clock)
    if _same_database(app, target):
        raise Refused(
            "same_home", f"the home '{to}' has the database that is in use already; nothing to move"
        )
    return target


def _refuse_overridden(app: App, to: str) -> None:
    """A variable comes before what a home says: workers would go on elsewhere than where the rows went."""
    names = overriding_variables(app.settings, to, os.environ)
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
        return database_id(connection) == database_identity(app)


@contextmanager
def _looked_at(target: App) -> Iterator[Connection]:
    """As it is: looking must not give it a schema."""
    engine = connect(target.settings.database_url, target.settings.connections)
    try:
        with read_transaction(engine) as connection:
            yield connection
    finally:
        engine.dispose()


def database_identity(app: App) -> str:
    with read_transaction(app.store.engine) as connection:
        return str(database_id(connection))


def admit_arrival(there: Connection, to: str, source: str) -> bool:
    """Whether an earlier move from this source has not ended there: then what it left may be replaced. MovedAway if
    the target was left for yet another database, which would have to be left too; Refused if somebody else is moving in.
    """
    gone, coming = find_departure(there), find_arrival(there)
    if gone is not None and gone.id != source:
        told = f"the home '{to}' was left: {gone}; use it with --env {gone.to}, or say `headwater --env {to} move --undo`"
        raise MovedAway("moved", told)
    if coming is not None and coming.id != source:
        told = f"the home '{to}' is taken: {coming}; end that one, or say `headwater --env {to} move --undo`"
        raise Refused("arriving", told)
    return coming is not None


def check_target(app: App, target: App, to: str) -> None:
    """As for a move, and nothing is changed there, not even the schema."""
    file = make_url(target.settings.database_url)
    if file.get_backend_name() == "sqlite" and not Path(file.database or "").exists():
        return
    with _looked_at(target) as connection:
        if supports_arrival(connection) and admit_arrival(connection, to, database_identity(app)):
            return
        if inspect(connection).has_table("documents") and (found := tables_with_rows(connection)):
            refuse_filled(found)


def refuse_filled(found: Sequence[str]) -> None:
    raise Refused(
        "not_empty",
        f"the target holds other data already ({', '.join(found[:3])}): move into an empty database",
    )


def refuse_other_data(app: App, target: App, to: str) -> None:
    """Before anything is copied: what is there must be nothing, or of this installation, as far as counts tell."""
    with read_transaction(target.store.engine) as there, read_transaction(app.store.engine) as here:
        if admit_arrival(there, to, str(database_id(here))):
            return
        found = tables_with_rows(there)
        differs = found and _without_chores(row_counts(there)) != _without_chores(row_counts(here))
    if differs:
        refuse_moved_installation(app)  # it has gone on there since
        refuse_filled(found)


def _without_chores(counts: dict[str, int]) -> dict[str, int]:
    return {name: count for name, count in counts.items() if name != maintenance_tasks.name}
