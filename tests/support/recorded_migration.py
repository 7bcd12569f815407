"""The schema in an empty database, without running Alembic each time.

Alembic needs a tenth of a second of processor time for an empty database, and hundreds of tests begin with one. In a test
process it runs once per kind of database; every further empty database gets the statements that it executed then.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

from sqlalchemy import Connection, event, text

from headwater.store import migrate as migrations

Upgrade = Callable[[Connection, str | None], None]
Statement = tuple[str, Any]
QUESTIONS = ("SELECT", "PRAGMA")


@dataclass
class RecordedMigration:
    """Stands in for `headwater.store.migrate._upgrade`; that one still upgrades a database that has a version."""

    upgrade: Upgrade
    head: str
    folder: Path
    statements: dict[str, list[Statement]] = field(default_factory=dict)

    def __call__(self, connection: Connection, current: str | None) -> None:
        is_usual = current is None and (self.head, self.folder) == (migrations.HEAD, migrations.MIGRATIONS)
        if not is_usual:
            self.upgrade(connection, current)
        elif connection.dialect.name in self.statements:
            self._repeat(connection)
        else:
            self.statements[connection.dialect.name] = self._record(connection)

    def _record(self, connection: Connection) -> list[Statement]:
        statements: list[Statement] = []

        def listen(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
            if not statement.lstrip().upper().startswith(QUESTIONS):
                statements.append((statement, parameters))

        event.listen(connection, "before_cursor_execute", listen)
        self.upgrade(connection, None)
        event.remove(connection, "before_cursor_execute", listen)
        return statements

    def _repeat(self, connection: Connection) -> None:
        cursor = connection.connection.cursor()
        for statement, parameters in self.statements[connection.dialect.name]:
            cursor.execute(statement, parameters)
        cursor.close()
        # Every database is another one.
        connection.execute(text("UPDATE database_identity SET id = :id"), {"id": str(uuid4())})


def record_migrations() -> Upgrade:
    """From now on, in this process. Returns what it replaced."""
    upgrade = migrations._upgrade
    migrations._upgrade = RecordedMigration(upgrade, migrations.HEAD, migrations.MIGRATIONS)
    return upgrade
