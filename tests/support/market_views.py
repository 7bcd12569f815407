"""The views of the markets recipe by their plain names, as a program of the contract reads them."""

from collections.abc import Sequence

from headwater.model.views import POSTGRESQL
from headwater_recipes.markets.views import NAMES, SCHEMA, view_name


def plain_name_statements(dialect: str) -> Sequence[str]:
    """After these statements a connection finds the views by their plain names, until it is closed."""
    if dialect == POSTGRESQL:
        return [f"SET search_path = {SCHEMA}, public"]
    return [
        f"CREATE TEMP VIEW IF NOT EXISTS {name} AS SELECT * FROM main.{view_name(dialect, name)}"
        for name in NAMES
    ]
