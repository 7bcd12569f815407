"""Standard queries on the tables that other programs read: `python -m benchmarks.contract [--rows N] [--postgres]`.

Fills a new database (SQLite, or with --postgres a real PostgreSQL on this machine) with N articles of fifty feeds, then
runs each query forty times with different values and prints the median, the 95th percentile and the slowest time. Limit:
100 ms for the 95th percentile of every standard query.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import ceil
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from sqlalchemy import Connection, Engine, text

from headwater.store.connect import connect, read_transaction, write_transaction
from headwater.store.migrate import migrate
from headwater.store.views import install_views
from headwater_recipes.crypto.views import CRYPTO_VIEWS

FEEDS, TRIES, LIMIT_MS = 50, 40, 100.0
WHOLE_TRIES = 5
RUNS_SHARE = 10  # articles per poll of a feed
WORDS = "'Bitcoin miners in the north report a quiet week while exchanges list another token, says wire '"

QUERIES = {
    "article by url": "SELECT * FROM articles WHERE url = 'https://wire.example/' || {n}",
    "article by guid": "SELECT * FROM articles WHERE guid = 'tag:wire.example,2026:' || {n}",
    "article by external_id": "SELECT * FROM articles WHERE external_id = {n}",
    "article by id": "SELECT * FROM articles WHERE id = {n}",
    "newest 50": "SELECT * FROM articles ORDER BY published_on DESC LIMIT 50 OFFSET {page}",
    "newest 50 active": "SELECT * FROM articles WHERE status = 'ACTIVE' ORDER BY published_on DESC LIMIT 50",
    "newest 50 inactive": "SELECT * FROM articles WHERE status = 'INACTIVE' ORDER BY published_on DESC LIMIT 50",
    "newest 50 of a publisher": "SELECT * FROM articles WHERE publisher_id = {feed} "
    "ORDER BY published_on DESC LIMIT 50",
    "newest 50 with publisher": "SELECT a.*, p.name FROM articles a JOIN publishers p ON p.id = a.publisher_id "
    "ORDER BY a.published_on DESC LIMIT 50",
    "one day of articles, counted by publisher": "SELECT publisher_id, count(*) FROM articles "
    "WHERE published_on >= {day} AND published_on < {next} GROUP BY publisher_id",
    "publishers": "SELECT * FROM publishers",
    "last 50 polls of a feed": "SELECT * FROM feed_performance WHERE publisher_id = {feed} "
    "ORDER BY fetch_time DESC LIMIT 50",
    "last 50 jobs": "SELECT * FROM ingestion_jobs ORDER BY created_at DESC LIMIT 50",
}
SQLITE_QUERIES = {"articles by title": "SELECT * FROM articles WHERE title = " + WORDS + " || {n}"}
POSTGRESQL_QUERIES = {
    "articles by md5(title)": "SELECT * FROM articles WHERE md5(title) = md5(" + WORDS + " || {n})",
    "articles by words of the title": "SELECT * FROM articles WHERE to_tsvector('english', title) "
    "@@ to_tsquery('english', 'miners & {n}') LIMIT 50",
}
# Reads every row: shown, but without a limit.
WHOLE = {"all articles counted by status": "SELECT status, count(*) FROM articles GROUP BY status"}


def fill(engine: Engine, rows: int) -> None:
    postgresql = engine.dialect.name == "postgresql"
    hexed = "lpad(to_hex({0}::bigint), 24, '0')" if postgresql else "printf('%024x', {0})"
    moment = (
        "timestamptz '2026-01-01' + make_interval(secs => {0} * 30)"
        if postgresql
        else "strftime('%Y-%m-%d %H:%M:%f', '2026-01-01', '+' || ({0} * 30) || ' seconds') || '000+00:00'"
    )
    series = (
        "generate_series(1, {0}) AS series(i)"
        if postgresql
        else "(WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < {0}) SELECT i FROM c)"
    )
    ten_times = f"repeat({WORDS}, 10)" if postgresql else f"replace(hex(zeroblob(10)), '00', {WORDS})"
    at, key = moment.format("i"), hexed.format("i")
    feed = f"(1 + i - (i / {FEEDS}) * {FEEDS})"
    no_json = "'{}'"
    for statement in (
        (
            f"INSERT INTO sources (id, recipe, kind, name, url, options, credibility, active, watermark, origin, "
            f"created_at, updated_at, number) SELECT {key}, 'crypto', 'feed', 'Wire ' || i, "
            f"'https://wire.example/feed/' || i, {no_json}, 0.5, true, {no_json}, 'recipe', {at}, {at}, i "
            f"FROM {series.format(FEEDS)}"
        ),
        (
            f"INSERT INTO leads (id, recipe, source_id, document_id, identity, url, version, body_type, hints, state, "
            f"first_seen_at, updated_at) SELECT {key}, 'crypto', {hexed.format(feed)}, {key}, i || '', "
            f"'https://wire.example/' || i, '1', 'text/html', {no_json}, 'done', {at}, {at} FROM {series.format(rows)}"
        ),
        (
            f"INSERT INTO documents (id, recipe, source_id, source_number, lead_id, number, external_id, revision, state, "
            f"url, clean_url, title, text, authors, published_at, guid, created_at, updated_at) SELECT {key}, 'crypto', "
            f"{hexed.format(feed)}, {feed}, {key}, i, i, 1, CASE WHEN i = (i / 100) * 100 THEN 'aside' ELSE 'kept' END, 'https://wire.example/' || i, "
            f"'https://wire.example/' || i, {WORDS} || i, {ten_times}, '[\"Ada Vane\"]', {at}, "
            f"'tag:wire.example,2026:' || i, {at}, {at} FROM {series.format(rows)}"
        ),
        (
            "INSERT INTO document_keys (document_id, id, external_id, guid, url) "
            "SELECT id, number, external_id, guid, url FROM documents"
        ),
        (
            f"INSERT INTO polls (id, recipe, source_id, source_number, number, status, started_at, ended_at, item_count, new_count) "
            f"SELECT {key}, 'crypto', {hexed.format(feed)}, {feed}, i, 'completed', {at}, {at}, 10, 1 "
            f"FROM {series.format(max(1, rows // RUNS_SHARE))}"
        ),
    ):
        with write_transaction(engine) as connection:
            connection.exec_driver_sql(statement)
    with write_transaction(engine) as connection:
        connection.execute(text("ANALYZE"))


def p95(times: Sequence[float]) -> float:
    return sorted(times)[max(0, ceil(len(times) * 0.95) - 1)]


def ask(connection: Connection, query: str, rows: int, engine: Engine, tries: int) -> Sequence[float]:
    """Milliseconds of each attempt, including fetching all rows."""
    times = []
    for attempt in range(tries):
        n = 1 + (rows * (2 * attempt + 1) // (2 * tries)) % rows
        at = (
            "timestamptz '2026-01-01' + interval '{} days'"
            if engine.dialect.name == "postgresql"
            else "date('2026-01-01', '+{} days')"
        )
        day = max(0, rows * 30 // 86_400 - 1 - attempt)
        statement = query.format(
            n=n, feed=1 + n % FEEDS, page=50 * attempt, day=at.format(day), next=at.format(day + 1)
        )
        start = time.perf_counter()
        connection.exec_driver_sql(statement).fetchall()
        times.append((time.perf_counter() - start) * 1000)
    return times


@contextmanager
def database(*, postgres: bool) -> Iterator[str]:
    if postgres:
        from tests.servers.postgres import running_postgres  # noqa: PLC0415 - only with --postgres

        with running_postgres() as server:
            yield server.create("contract")
        return
    with TemporaryDirectory(prefix="headwater-contract-") as folder:
        yield f"sqlite:///{Path(folder) / 'contract.db'}"


def measure(url: str, rows: int) -> dict[str, float]:
    engine = connect(url)
    migrate(engine)
    install_views(engine, "crypto", CRYPTO_VIEWS)
    start = time.perf_counter()
    fill(engine, rows)
    print(
        f"{engine.dialect.name}: {rows:,} articles of {FEEDS} feeds, filled in {time.perf_counter() - start:.0f} s"
    )
    print(f"{'query':45}{'median ms':>12}{'p95 ms':>12}{'slowest ms':>12}")
    figures = {}
    dialect_queries = POSTGRESQL_QUERIES if engine.dialect.name == "postgresql" else SQLITE_QUERIES
    queries = QUERIES | dialect_queries | WHOLE
    with read_transaction(engine) as connection:
        for name, query in queries.items():
            times = ask(connection, query, rows, engine, WHOLE_TRIES if name in WHOLE else TRIES)
            figures[name] = round(p95(times), 2)
            print(f"{name:45}{median(times):>12.2f}{figures[name]:>12.2f}{max(times):>12.2f}", flush=True)
    engine.dispose()
    return figures


def main() -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.contract", description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--postgres", action="store_true")
    options = parser.parse_args()
    with database(postgres=options.postgres) as url:
        figures = measure(url, options.rows)
    slowest = max(value for name, value in figures.items() if name not in WHOLE)
    print(json.dumps({"rows": options.rows, "slowest_p95_ms": slowest, "p95_milliseconds": figures}))
    return 0 if slowest < LIMIT_MS else 1


if __name__ == "__main__":
    sys.exit(main())
