"""Bring a database to the schema of this version, once, however many processes start together."""

from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text

from headwater.model.errors import Refused
from headwater.store.connect import read_transaction, unchecked_transaction
from headwater.store.postgresql import disable_timeouts

HEAD = "0011"
MIGRATION_LOCK = 4_849_270  # an arbitrary number that all Headwater processes agree on


def migrate(engine: Engine) -> bool:
    """Gives whether anything had to be done. A database from a newer version is refused, untouched."""
    with read_transaction(
        engine
    ) as connection:  # whoever only wants to look need not wait for those who write
        if _version(connection) == HEAD:
            return False
    with unchecked_transaction(engine) as connection:
        disable_timeouts(connection)
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": MIGRATION_LOCK})
        current = _version(connection)
        if current == HEAD:
            return False
        _upgrade(connection, current)
        return True


def _version(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
    return found


def _upgrade(connection: Connection, current: str | None) -> None:
    from alembic import command  # noqa: PLC0415 - slow to import and seldom needed
    from alembic.config import Config  # noqa: PLC0415 - as above
    from alembic.script import ScriptDirectory  # noqa: PLC0415 - as above

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if current is not None and current not in known:
        raise Refused(
            "database_newer", "this database was written by a newer Headwater: upgrade Headwater first"
        )
    config.attributes["connection"] = connection
    command.upgrade(config, HEAD)
