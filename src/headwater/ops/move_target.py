"""The environment that an installation moves to: opens it and checks that it can be moved into."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, inspect, make_url

from headwater.app import App
from headwater.model.errors import MovedAway, Refused
from headwater.ops.installation_lock import refuse_moved_installation
from headwater.settings.settings import Settings
from headwater.store.connect import connect, read_transaction
from headwater.store.maintenance.snapshot import tables_with_rows
from headwater.store.maintenance.table_copy import row_counts
from headwater.store.relocation import database_id, find_arrival, find_departure, supports_arrival
from headwater.store.schema.operations import maintenance_tasks


@dataclass(frozen=True, slots=True)
class TargetEnvironment:
    """An environment by its name, with the settings that `--env NAME` gives: the workers there will use the same."""

    name: str
    settings: Settings


def open_target(app: App, destination: TargetEnvironment) -> App:
    """The installation in the other environment. Refused if that has the same database."""
    target = App(destination.settings, clock=app.clock)
    if _same_database(app, target):
        raise Refused(
            "same_environment",
            f"the environment '{destination.name}' has the same database; there is nothing to move",
        )
    return target


def _same_database(app: App, target: App) -> bool:
    """Servers are compared by the identity of their database, files by their path: a copied file has the same identity."""
    source_url, target_url = make_url(app.settings.database_url), make_url(target.settings.database_url)
    if source_url.get_backend_name() == target_url.get_backend_name() == "sqlite":
        return Path(source_url.database or "").resolve() == Path(target_url.database or "").resolve()
    if source_url.get_backend_name() != target_url.get_backend_name():
        return False
    with _unmigrated(target) as connection:
        return database_id(connection) == database_identity(app)


@contextmanager
def _unmigrated(target: App) -> Iterator[Connection]:
    """The database as it is: a check must not create the schema."""
    engine = connect(target.settings.database_url, target.settings.connections)
    try:
        with read_transaction(engine) as connection:
            yield connection
    finally:
        engine.dispose()


def database_identity(app: App) -> str:
    with read_transaction(app.store.engine) as connection:
        return str(database_id(connection))


def admit_arrival(target: Connection, to: str, source: str) -> bool:
    """Whether an earlier move from this source is unfinished, so that its rows may be replaced. MovedAway if the target has
    moved to a third database, Refused if another source is moving in."""
    departure, arrival = find_departure(target), find_arrival(target)
    undo = f"run `headwater --env {to} move --undo`"
    if departure is not None and departure.id != source:
        raise MovedAway(
            "moved", f"the environment '{to}' has moved: {departure}; use --env {departure.to}, or {undo}"
        )
    if arrival is not None and arrival.id != source:
        raise Refused(
            "arriving", f"the environment '{to}' is in use: {arrival}; complete that move, or {undo}"
        )
    return arrival is not None


def check_target(app: App, target: App, to: str) -> None:
    """The checks of a move. Changes nothing at the target, not even the schema."""
    url = make_url(target.settings.database_url)
    if url.get_backend_name() == "sqlite" and not Path(url.database or "").exists():
        return
    with _unmigrated(target) as connection:
        if supports_arrival(connection) and admit_arrival(connection, to, database_identity(app)):
            return
        if inspect(connection).has_table("documents") and (filled := tables_with_rows(connection)):
            refuse_filled(filled)


def refuse_filled(tables: Sequence[str]) -> None:
    raise Refused(
        "not_empty",
        f"the target already holds other data ({', '.join(tables[:3])}): move into an empty database",
    )


def refuse_other_data(app: App, target: App, to: str) -> None:
    """Before anything is copied: the target must be empty or, by its row counts, hold this installation."""
    with read_transaction(target.store.engine) as target_rows, read_transaction(app.store.engine) as rows:
        if admit_arrival(target_rows, to, str(database_id(rows))):
            return
        filled = tables_with_rows(target_rows)
        differs = filled and _data_counts(target_rows) != _data_counts(rows)
    if differs:
        refuse_moved_installation(app)  # after a move, work has continued at the target
        refuse_filled(filled)


def _data_counts(connection: Connection) -> dict[str, int]:
    counts = row_counts(connection)
    return {name: count for name, count in counts.items() if name != maintenance_tasks.name}
