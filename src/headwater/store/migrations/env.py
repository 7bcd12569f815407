"""Run by Alembic: brings the database that `migrate` handed over to the wanted revision, in one transaction."""

from typing import Any, Literal

from alembic import context

from headwater.store.schema.columns import StorableText, UtcDateTime, metadata


def _render(kind: str, item: Any, autogenerate: Any) -> str | Literal[False]:
    if kind == "type" and isinstance(item, UtcDateTime):
        autogenerate.imports.add("from headwater.store.schema.columns import Instant, Json")
        return "Instant()"
    if kind == "type" and isinstance(item, StorableText):
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
