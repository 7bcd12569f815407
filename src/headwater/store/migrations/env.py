"""Run by Alembic: brings the database that `migrate` passes to the wanted revision, in one transaction."""

from typing import Any, Literal

from alembic import context

from headwater.store.schema.columns import (
    POSTGRESQL,
    JsonColumn,
    JsonOrNull,
    StorableText,
    UtcDateTime,
    add_postgresql_options,
)
from headwater.store.tables import metadata

COLUMNS = "from headwater.store.schema.columns import JsonColumn, JsonOrNull, UtcDateTime"


def _render(kind: str, item: Any, autogenerate: Any) -> str | Literal[False]:
    """How a new migration writes the types of our own columns."""
    if kind != "type":
        return False
    if isinstance(item, UtcDateTime | JsonColumn | JsonOrNull):
        autogenerate.imports.add(COLUMNS)
        return f"{type(item).__name__}()"
    if isinstance(item, StorableText):
        return "sa.Text()"
    return False


connection = context.config.attributes["connection"]
if connection.dialect.name == POSTGRESQL:
    add_postgresql_options(metadata)
context.configure(
    connection=connection,
    target_metadata=metadata,
    render_item=_render,
    render_as_batch=True,
)
context.run_migrations()
