"""Run by Alembic: brings the database that `migrate` handed over to the wanted revision, in one transaction."""

from typing import Any, Literal

from alembic import context

from headwater.backends.sql.columns import Instant, Words
from headwater.backends.sql.schema import metadata


def _render(kind: str, item: Any, autogenerate: Any) -> str | Literal[False]:
    if kind == "type" and isinstance(item, Instant):
        autogenerate.imports.add("from headwater.backends.sql.columns import Instant, Json")
        return "Instant()"
    if kind == "type" and isinstance(item, Words):
        return "sa.Text()"
    if kind == "type" and item.__class__.__name__ == "JSON":
        return "Json"
    return False


context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_item=_render,
    render_as_batch=True,
)
context.run_migrations()
