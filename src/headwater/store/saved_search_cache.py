"""The saved searches as a process knows them: read once, and again when their version in the database is another."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache

from sqlalchemy import Connection, RowMapping, Select, select

from headwater.model.saved_search import SavedSearch, SearchAction, SearchDelivery, SearchState
from headwater.search.saved_searches import SavedSearchSet
from headwater.store.schema.searches import saved_search_versions, saved_searches

VERSION_NAME = "saved_searches"
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


def saved_search_from(row: RowMapping) -> SavedSearch:
    return SavedSearch(
        id=row["id"],
        name=row["name"],
        query=row["query"],
        filters=row["filters"],
        recipe=row["recipe"],
        record_kind=row["record_kind"],
        action=SearchAction(row["action"]),
        delivery=SearchDelivery(row["delivery"]),
        channel=row["channel"],
        state=SearchState(row["state"]),
        created_at=row["created_at"],
    )


def current_version(connection: Connection) -> int:
    """0 before the first search is saved."""
    return connection.scalar(_version_query()) or 0


@cache
def _version_query() -> Select[tuple[int]]:
    return select(saved_search_versions.c.version).where(saved_search_versions.c.name == VERSION_NAME)


@dataclass
class SavedSearchCache:
    """Costs one short query per call while nothing changes."""

    current: SavedSearchSet = field(default_factory=SavedSearchSet)

    def read(self, connection: Connection) -> SavedSearchSet:
        version = current_version(connection)
        if version != self.current.version:
            rows = connection.execute(select(saved_searches).order_by(saved_searches.c.name)).mappings()
            searches = tuple(saved_search_from(row) for row in rows)
            read_at = max((search.created_at for search in searches), default=LONG_AGO)
            self.current = SavedSearchSet(searches, version, read_at)
        return self.current
