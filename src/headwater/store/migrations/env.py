"""Run by Alembic: brings the database that `migrate` passes to the wanted revision, in one transaction."""

from typing import Any, Literal

from alembic import context

from headwater.store.schema.columns import JsonColumn, StorableText, UtcDateTime
from headwater.store.tables import metadata

COLUMNS = "from headwater.store.schema.columns import JsonColumn, JsonOrNull, UtcDateTime"


def _render(kind: str, item: Any, autogenerate: Any) -> str | Literal[False]:
    """How a new migration writes the types of our own columns."""
    if kind != "type":
        return False
    if isinstance(item, UtcDateTime | JsonColumn):
        autogenerate.imports.add(COLUMNS)
        return f"{type(item).__name__}()"
    if isinstance(item, StorableText):
        return "sa.Text()"
    return "JsonOrNull" if type(item).__name__ == "JSON" else False


context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_item=_render,
    render_as_batch=True,
)
context.run_migrations()
