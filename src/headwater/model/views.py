"""Views that a recipe adds to the database, for programs that read its results with plain SQL."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

POSTGRESQL = "postgresql"


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseViews:
    """Both functions get the name of the database ("sqlite" or "postgresql") and return SQL statements in order.

    The statements may create views, indexes and triggers over the tables of the store. `drop` removes what `create`
    made and must not fail when it is missing. When the statements change, the store drops the views and creates them
    anew, so a recipe changes its views without a migration.
    """

    create: Callable[[str], Sequence[str]]
    drop: Callable[[str], Sequence[str]]


def json_value(dialect: str, column: str, *path: str, as_text: bool = True) -> str:
    """SQL for a value inside a JSON column: as text, or with `as_text=False` as JSON. Digits in `path` are positions."""
    if dialect == POSTGRESQL:
        return f"({column} {'#>>' if as_text else '#>'} ARRAY{list(path)})"
    steps = "".join(f"[{part}]" if part.isdigit() else f".{part}" for part in path)
    return f"json_extract({column}, '${steps}')"


def quote_list(names: Iterable[str]) -> str:
    """SQL for the names of reasons or states behind IN, always in the same order."""
    return ", ".join(f"'{name}'" for name in sorted(names))


def poll_duplicates(poll: str) -> str:
    """SQL for how many entries that were new in a poll repeat others: known by address at once, by content later. `poll` is
    the name of its row in the query. A poll that goes on has no end: an index finds its entries up to a day that never comes."""
    return f"""(SELECT count(*) FROM leads l LEFT JOIN documents d ON d.id = l.document_id AND d.lead_id = l.id
    WHERE l.source_id = {poll}.source_id AND l.first_seen_at >= {poll}.started_at
      AND l.first_seen_at <= coalesce({poll}.ended_at, '9999-12-31')
      AND (l.state = 'duplicate' OR d.state = 'duplicate'))"""  # noqa: S608 - the name of a table
