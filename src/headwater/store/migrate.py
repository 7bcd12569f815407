"""Brings a database to the schema of this version, once, however many processes start at the same time.

Two versions may work on one database at the same time, during an upgrade and after a rollback of the program. A migration
that only adds (tables, indexes, columns that may be missing) takes nothing from older programs: they go on, and do not
notice. One that takes something away raises `oldest_program` in `database_identity`, and older programs are refused.
"""

from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text

from headwater.model.errors import Refused
from headwater.store.connect import read_transaction, unchecked_transaction
from headwater.store.postgresql import disable_timeouts, lock_schema
from headwater.store.views import drop_views

HEAD = "0002"
MIGRATIONS = Path(__file__).parent / "migrations"


def migrate(engine: Engine) -> bool:
    """Returns whether anything changed. A database of a newer version stays untouched; it is refused if this version may not
    work on it."""
    with read_transaction(engine) as connection:  # a reader need not wait for writers
        current = _version(connection)
        if current == HEAD or _is_newer_but_compatible(connection, current):
            return False
    with unchecked_transaction(engine) as connection:
        disable_timeouts(connection)
        lock_schema(connection)
        current = _version(connection)
        if current == HEAD or _is_newer_but_compatible(connection, current):
            return False
        _upgrade(connection, current)
        return True


def _version(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    version: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
    return version


def _is_newer_but_compatible(connection: Connection, current: str | None) -> bool:
    """Revisions are numbers with leading zeros, so they compare as text."""
    if current is None or current <= HEAD:
        return False
    oldest: str | None = connection.scalar(text("SELECT oldest_program FROM database_identity"))
    return oldest is not None and oldest <= HEAD


def _upgrade(connection: Connection, current: str | None) -> None:
    from alembic import command  # noqa: PLC0415 - slow to import and seldom needed
    from alembic.config import Config  # noqa: PLC0415 - as above
    from alembic.script import ScriptDirectory  # noqa: PLC0415 - as above

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    revisions = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if current is not None and current not in revisions:
        raise Refused(
            "database_newer",
            f"this database was upgraded by a newer Headwater (schema {current}), on which this one (schema {HEAD}) must not "
            "work: upgrade Headwater, or restore the backup from before the upgrade",
        )
    drop_views(connection)
    config.attributes["connection"] = connection
    command.upgrade(config, HEAD)
