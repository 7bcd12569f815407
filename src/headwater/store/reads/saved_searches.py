"""What operators and the API read about saved searches: the list with counts, matches and their deliveries, the entries of a
feed."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import Engine, func, select

from headwater.model.keys import delivery_key
from headwater.model.saved_search import MatchEntry, SavedSearch
from headwater.store.connect import read_transaction
from headwater.store.in_list import in_list
from headwater.store.reads.match_entries import match_entries
from headwater.store.reads.pages import IndexOrder, Position, RowPage, read_page
from headwater.store.rows import Record
from headwater.store.saved_search_cache import saved_search_from
from headwater.store.schema.flow import deliveries, documents, stories
from headwater.store.schema.searches import matches, saved_searches

MATCH_ORDER = (matches.c.matched_at, matches.c.record_id)


def list_saved_searches(engine: Engine) -> list[SavedSearch]:
    with read_transaction(engine) as connection:
        rows = connection.execute(select(saved_searches).order_by(saved_searches.c.name)).mappings()
        return [saved_search_from(row) for row in rows]


def find_saved_search(engine: Engine, name: str) -> SavedSearch | None:
    with read_transaction(engine) as connection:
        query = select(saved_searches).where(saved_searches.c.name == name)
        row = connection.execute(query).mappings().first()
        return None if row is None else saved_search_from(row)


def match_counts(engine: Engine, search_id: str | None = None) -> Mapping[str, tuple[int, datetime]]:
    """The number of matches of each search by id, or of one of them, and the time of the last."""
    last = func.max(matches.c.matched_at, type_=matches.c.matched_at.type).label("last")
    query = select(matches.c.search_id, func.count().label("total"), last).group_by(matches.c.search_id)
    if search_id is not None:
        query = query.where(matches.c.search_id == search_id)
    with read_transaction(engine) as connection:
        return {row.search_id: (row.total, row.last) for row in connection.execute(query)}


def list_matches(engine: Engine, search: SavedSearch, after: Position | None, limit: int) -> RowPage:
    """What met a search, the newest match first. A record that was removed has no title."""
    named = {
        "title": func.coalesce(documents.c.title, stories.c.title),
        "publisher": documents.c.publisher,
        "url": documents.c.url,
    }
    names = ("record_id", "record_kind", "recipe", "matched_at", "digest_id")
    return read_page(
        engine,
        [*(matches.c[name] for name in names), *(value.label(name) for name, value in named.items())],
        IndexOrder(columns=MATCH_ORDER, ranges=[(matches.c.search_id == search.id,)]),
        after=after,
        limit=limit,
        joins=(
            (documents, documents.c.id == matches.c.record_id),
            (stories, stories.c.id == matches.c.record_id),
        ),
    )


def match_deliveries(engine: Engine, search: SavedSearch, rows: Sequence[Record]) -> dict[str, Record]:
    """By the id of the record: its delivery, or that of the digest it is in. What is not sent has none."""
    keys = {
        row["record_id"]: delivery_key(row["recipe"], search.route, row["digest_id"] or row["record_id"])
        for row in rows
    }
    columns = (
        deliveries.c.id,
        deliveries.c.state,
        deliveries.c.reason,
        deliveries.c.sent_at,
        deliveries.c.due_at,
    )
    query = select(*columns).where(in_list(deliveries.c.id, sorted(set(keys.values()))))
    with read_transaction(engine) as connection:
        by_id = {row["id"]: dict(row) for row in connection.execute(query).mappings()}
    return {record: by_id[key] for record, key in keys.items() if key in by_id}


def feed_entries(engine: Engine, search: SavedSearch, limit: int = 50) -> list[MatchEntry]:
    """The newest matches of a search."""
    with read_transaction(engine) as connection:
        return [entry for _, entry in match_entries(connection, matches.c.search_id == search.id, limit)]
