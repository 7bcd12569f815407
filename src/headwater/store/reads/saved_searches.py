"""What operators and the API read about saved searches: the list with counts, the entries of a feed."""

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import Engine, func, select

from headwater.model.saved_search import MatchEntry, SavedSearch
from headwater.store.connect import read_transaction
from headwater.store.reads.match_entries import match_entries
from headwater.store.saved_search_cache import saved_search_from
from headwater.store.schema.searches import matches, saved_searches


def list_saved_searches(engine: Engine) -> list[SavedSearch]:
    with read_transaction(engine) as connection:
        rows = connection.execute(select(saved_searches).order_by(saved_searches.c.name)).mappings()
        return [saved_search_from(row) for row in rows]


def find_saved_search(engine: Engine, name: str) -> SavedSearch | None:
    with read_transaction(engine) as connection:
        query = select(saved_searches).where(saved_searches.c.name == name)
        row = connection.execute(query).mappings().first()
        return None if row is None else saved_search_from(row)


def match_counts(engine: Engine) -> Mapping[str, tuple[int, datetime]]:
    """The number of matches of each search by id, and the time of the last."""
    last = func.max(matches.c.matched_at, type_=matches.c.matched_at.type).label("last")
    query = select(matches.c.search_id, func.count().label("total"), last).group_by(matches.c.search_id)
    with read_transaction(engine) as connection:
        return {row.search_id: (row.total, row.last) for row in connection.execute(query)}


def feed_entries(engine: Engine, search: SavedSearch, limit: int = 50) -> list[MatchEntry]:
    """The newest matches of a search."""
    with read_transaction(engine) as connection:
        return [entry for _, entry in match_entries(connection, matches.c.search_id == search.id, limit)]
