"""Creates the views of recipes, and creates them anew when a recipe changes them.

A digest of the statements is stored with them, so an unchanged recipe costs one read.
"""

from collections.abc import Sequence
from hashlib import sha256

from sqlalchemy import Connection, Engine, delete, inspect, select

from headwater.model.views import DatabaseViews
from headwater.store.bulk import insert_rows
from headwater.store.connect import read_transaction, write_transaction
from headwater.store.postgresql import disable_timeouts, lock_schema
from headwater.store.schema.identity import recipe_views


def install_views(engine: Engine, recipe: str, views: DatabaseViews) -> bool:
    """Returns whether anything had to be created."""
    dialect = engine.dialect.name
    create, drop = views.create(dialect), views.drop(dialect)
    digest = sha256("\0".join([*drop, *create]).encode()).hexdigest()
    with read_transaction(engine) as connection:
        if _stored_digest(connection, recipe) == digest:
            return False
    with write_transaction(engine) as connection:
        disable_timeouts(connection)
        lock_schema(connection)
        if _stored_digest(connection, recipe) == digest:
            return False
        drop_views(connection, recipe)
        _execute(connection, [*drop, *create])
        row = {"recipe": recipe, "digest": digest, "drop_statements": list(drop)}
        insert_rows(connection, recipe_views, [row])
    return True


def drop_views(connection: Connection, recipe: str | None = None) -> None:
    """Drop the views of one recipe, or of all: a migration must not trip over them. Registering a recipe creates its
    views again."""
    if not inspect(connection).has_table(recipe_views.name):
        return
    query, removal = select(recipe_views.c.drop_statements), delete(recipe_views)
    if recipe is not None:
        query, removal = (
            query.where(recipe_views.c.recipe == recipe),
            removal.where(recipe_views.c.recipe == recipe),
        )
    for statements in connection.scalars(query).all():
        _execute(connection, statements)
    connection.execute(removal)


def _stored_digest(connection: Connection, recipe: str) -> str | None:
    return connection.scalar(select(recipe_views.c.digest).where(recipe_views.c.recipe == recipe))


def _execute(connection: Connection, statements: Sequence[str]) -> None:
    for statement in statements:
        # The PostgreSQL driver reads a single % as a parameter.
        escaped = statement.replace("%", "%%") if connection.dialect.name == "postgresql" else statement
        connection.exec_driver_sql(escaped)
