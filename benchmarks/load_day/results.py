"""What the tables say after the day: how late articles were, whether a source starved, and what the disk holds."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, func, select, text

from benchmarks.cycle.engine import RECIPE
from benchmarks.load_day.processes import MEGABYTE
from headwater.model.jobs import State
from headwater.store.connect import read_transaction
from headwater.store.schema.flow import documents, leads, polls

HOUR = timedelta(hours=1)


def summarise(engine: Engine, folder: Path, interval: timedelta) -> dict[str, Any]:
    with read_transaction(engine) as connection:
        states = dict(
            connection.execute(select(documents.c.state, func.count()).group_by(documents.c.state)).all()
        )
        sizes = table_bytes(connection)
        total = sum(states.values())
        return {
            "documents": states,
            **lag_quantiles(connection),
            **_poll_gaps(connection, interval),
            "bytes_per_article": {
                "raw": round(folder_bytes(folder / "archive") / max(1, total)),
                "files": round(folder_bytes(folder / "out") / max(1, total)),
                "database": round(sum(sizes.values()) / max(1, total)),
            },
            "largest_tables_mb": {
                name: round(size / MEGABYTE, 1)
                for name, size in sorted(sizes.items(), key=lambda item: -item[1])[:12]
            },
        }


def lag_quantiles(connection: Connection, since: datetime | None = None) -> dict[str, dict[str, float]]:
    """Hours from publication to the stored document, and minutes from the poll that listed it, of what was stored since then."""
    query = select(leads.c.published_at, leads.c.first_seen_at, documents.c.updated_at).join(
        leads, leads.c.id == documents.c.lead_id
    )
    if since is not None:
        query = query.where(documents.c.recipe == RECIPE, documents.c.updated_at > since)
    rows = [
        row
        for row in connection.execute(query.where(documents.c.state != State.WAITING)).all()
        if row.published_at is not None
    ]
    since_published = sorted((row.updated_at - row.published_at) / HOUR for row in rows)
    since_listed = sorted((row.updated_at - row.first_seen_at) / timedelta(minutes=1) for row in rows)
    return {
        "hours_from_publication": _quantiles(since_published),
        "minutes_from_poll": _quantiles(since_listed),
    }


def folder_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _poll_gaps(connection: Connection, interval: timedelta) -> dict[str, Any]:
    """The longest time between two polls of a source, as a part of the interval."""
    starts: dict[str, list[datetime]] = defaultdict(list)
    for row in connection.execute(select(polls.c.source_id, polls.c.started_at).order_by(polls.c.started_at)):
        starts[row.source_id].append(row.started_at)
    gaps = [
        max(((later - earlier) / interval for earlier, later in pairwise(times)), default=0.0)
        for times in starts.values()
    ]
    return {
        "polls": sum(map(len, starts.values())),
        "fewest_polls_of_a_source": min(map(len, starts.values()), default=0),
        "longest_gap_in_intervals": round(max(gaps, default=0.0), 3),
    }


def table_bytes(connection: Connection) -> dict[str, int]:
    """Bytes of every table with its indexes."""
    if connection.dialect.name == "postgresql":
        query = (
            "SELECT relname, pg_total_relation_size(oid) FROM pg_class WHERE relkind = 'r' "
            "AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())"
        )
    else:
        query = (
            "SELECT m.tbl_name, sum(d.pgsize) FROM dbstat d JOIN sqlite_master m ON m.name = d.name "
            "WHERE d.aggregate = TRUE GROUP BY m.tbl_name"
        )
    return {name: int(size) for name, size in connection.execute(text(query))}


def _quantiles(values: Sequence[float]) -> dict[str, float]:
    if not values:
        return {}
    return {
        name: round(values[min(len(values) - 1, int(share * len(values)))], 2)
        for name, share in (("p50", 0.5), ("p95", 0.95), ("max", 1.0))
    }
