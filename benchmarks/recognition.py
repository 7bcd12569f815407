"""The dedupe index on PostgreSQL as it grows: `python -m benchmarks.recognition [--rows N]`.

Fills the tables of the index (`dedupe_bands`, `fingerprints`, `sentence_counts`) with generated rows, at a hundredth, a
tenth and all of N rows of `dedupe_bands`, and prints at each size their size in bytes and the cost of a batch of a hundred
new articles: looking them up and storing them. The last line is one JSON object.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from statistics import median
from typing import Any

import numpy as np
from sqlalchemy import Connection, Engine, text

from headwater.documents.dedupe.deduplicator import PER_KEY
from headwater.model.document import DedupeRecord
from headwater.model.keys import key, key_number
from headwater.store.connect import connect, read_transaction, write_transaction
from headwater.store.dedupe.index import dedupe_space, recall, store_dedupe_records
from headwater.store.migrate import migrate

RECIPE, SCHEME = "bench", "near-1"
BATCH, TRIES = 100, 40
KEYS, SENTENCES = 12, 24  # per article of usual length
TABLES = ("dedupe_bands", "fingerprints", "sentence_counts")
LIMIT_GROWTH = 3.0


@contextmanager
def database() -> Iterator[Engine]:
    from tests.servers.postgres import running_postgres  # noqa: PLC0415 - only the tests have these servers

    with running_postgres() as server:
        engine = connect(server.create("recognition"))
        migrate(engine)
        yield engine
        engine.dispose()


def grow(engine: Engine, before: int, documents: int) -> None:
    """Adds rows of further documents, in the order of their arrival."""
    chance = np.random.default_rng(before)
    space, sentence_space = dedupe_space(RECIPE, SCHEME), dedupe_space(RECIPE, "")
    with write_transaction(engine) as connection:
        driver = connection.connection.driver_connection
        assert driver is not None
        cursor = driver.cursor()
        for start in range(before, documents, 20_000):
            numbers = range(start, min(documents, start + 20_000))
            names = [name_of(number) for number in numbers]
            keys = chance.integers(-(2**63), 2**63 - 1, (len(names), KEYS))
            sentences = chance.integers(-(2**63), 2**63 - 1, (len(names), SENTENCES))
            with cursor.copy("COPY dedupe_bands (space, band, epoch, document) FROM STDIN") as copy:
                for number, name, row in zip(numbers, names, keys.tolist(), strict=True):
                    for key_value in row:
                        copy.write_row((space, key_value, number // BATCH, key_number(name)))
            with cursor.copy(
                "COPY fingerprints (recipe, kind, value, document_id, epoch) FROM STDIN"
            ) as copy:
                for number, name in zip(numbers, names, strict=True):
                    for kind, value in fingerprints_of(number):
                        copy.write_row((RECIPE, kind, value, name, number // BATCH))
            with cursor.copy(
                "COPY sentence_counts (space, sentence, publisher, stories, story) FROM STDIN"
            ) as copy:
                for name, row in zip(names, sentences.tolist(), strict=True):
                    for key_value in row:
                        copy.write_row((sentence_space, key_value, 7, 1, key_number(name)))
    with write_transaction(engine) as connection:
        connection.execute(text("ANALYZE"))


def name_of(number: int) -> str:
    return key("document", RECIPE, f"https://wire.example/{number}")


def fingerprints_of(number: int) -> list[tuple[str, str]]:
    return [
        ("guid-1", f"wire.example\ntag:wire.example,2026:{number}"),
        ("text-sha256-1", key("text", str(number)) * 2),
        ("url-identity-1", f"https://wire.example/2026/11/13/{number}-harbour-opens-again-after-storm"),
    ]


def records(first: int, chance: np.random.Generator) -> list[tuple[str, DedupeRecord]]:
    """A batch of new articles."""
    batch = []
    for number in range(first, first + BATCH):
        keys = chance.integers(-(2**63), 2**63 - 1, KEYS).tolist()
        sentence_keys = chance.integers(-(2**63), 2**63 - 1, SENTENCES).tolist()
        record = DedupeRecord(
            scheme=SCHEME,
            fingerprints=tuple(fingerprints_of(number)),
            keys=tuple(keys),
            sentences=tuple(sentence_keys),
            publisher="Wire",
            original=name_of(number),
            epoch=0,
        )
        batch.append((name_of(number), record))
    return batch


def costs(engine: Engine, first: int) -> tuple[list[float], list[float]]:
    """Milliseconds per batch for looking up and for storing."""
    chance, asking, remembering = np.random.default_rng(first + 1), [], []
    for attempt in range(TRIES):
        batch = records(first + attempt * BATCH, chance)
        fingerprints = sorted({value for _, record in batch for value in record.fingerprints})
        keys = sorted({value for _, record in batch for value in record.keys})
        start = time.perf_counter()
        with read_transaction(engine) as connection:
            recall(connection, RECIPE, SCHEME, fingerprints, keys, limit=PER_KEY)
        looked_up = time.perf_counter()
        with write_transaction(engine) as connection:
            _note_epoch(connection)
            store_dedupe_records(connection, RECIPE, batch, {name for name, _ in batch})
        asking.append((looked_up - start) * 1000)
        remembering.append((time.perf_counter() - looked_up) * 1000)
    return asking, remembering


def _note_epoch(connection: Connection) -> None:
    statement = "INSERT INTO dedupe_epochs (space, value) VALUES (:space, 0) ON CONFLICT DO NOTHING"
    connection.execute(text(statement), {"space": dedupe_space(RECIPE, SCHEME)})


def weights(engine: Engine) -> dict[str, dict[str, float]]:
    """Rows and bytes of each table, with its indexes."""
    tables = {}
    with read_transaction(engine) as connection:
        for name in TABLES:
            rows = connection.exec_driver_sql(f"SELECT count(*) FROM {name}").scalar() or 1
            size = connection.exec_driver_sql(f"SELECT pg_total_relation_size('{name}')").scalar() or 0
            tables[name] = {"rows": rows, "mb": round(size / 1e6, 1), "bytes_a_row": round(size / rows, 1)}
    return tables


def measure(engine: Engine, sizes: Sequence[int]) -> list[dict[str, Any]]:
    sizes_measured, before = [], 0
    for rows in sizes:
        documents = rows // KEYS
        start = time.perf_counter()
        grow(engine, before, documents)
        before = documents
        weight = weights(engine)
        asking, remembering = costs(engine, 10**9 + rows)
        figures = {
            "rows": weight["dedupe_bands"]["rows"],
            "filled_s": round(time.perf_counter() - start),
            "ask_ms": round(median(asking), 2),
            "ask_p99_ms": round(max(asking), 2),
            "remember_ms": round(median(remembering), 2),
            "remember_p99_ms": round(max(remembering), 2),
            "tables": weight,
        }
        sizes_measured.append(figures)
        print(
            f"{figures['rows']:>12,} rows of bands  asking {figures['ask_ms']:>8.2f} ms  "
            f"remembering {figures['remember_ms']:>8.2f} ms a batch of {BATCH}  {sum(w['mb'] for w in weight.values()):,.0f} MB",
            flush=True,
        )
    return sizes_measured


def main() -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.recognition", description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    options = parser.parse_args()
    with database() as engine:
        results = measure(engine, [options.rows // 100, options.rows // 10, options.rows])
    growth = (results[-1]["ask_ms"] + results[-1]["remember_ms"]) / (
        results[0]["ask_ms"] + results[0]["remember_ms"]
    )
    weight = {name: table["bytes_a_row"] for name, table in results[-1]["tables"].items()}
    print(
        json.dumps(
            {"benchmark": "recognition", "growth": round(growth, 2), "bytes_a_row": weight, "sizes": results}
        )
    )
    return 0 if growth < LIMIT_GROWTH else 1


if __name__ == "__main__":
    sys.exit(main())
