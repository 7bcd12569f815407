"""The cost of the dedupe index in a real SQLite store with a million documents.

    python -m benchmarks.memory_store [--stored N]

One process fills the store with raw rows; another reads it through `SqlStore.look_up_fingerprints` like the dedupe step:
for one document at a time, and for batches of a hundred. The last line is one JSON object.
"""

import argparse
import gc
import json
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np

from benchmarks.dedupe import keys_of, peak_memory, table
from headwater.documents.dedupe.deduplicator import PER_KEY
from headwater.documents.dedupe.minhash import SCHEME
from headwater.model.keys import key, key_number
from headwater.store.connect import connect
from headwater.store.dedupe.index import dedupe_space
from headwater.store.migrate import migrate
from headwater.store.sql_store import SqlStore

RECIPE = "bench"
BATCH = 100
SINGLE, BATCHES = 2000, 100
LIMITS = {"single_p99_ms": 20.0, "batch_p99_ms": 20.0, "memory_mb": 300.0}
MOMENT = "2026-11-13T09:00:00.000000Z"
WORDS = "The harbour of Dunmore opened again after three days of storm, and the pilots went out at noon. " * 6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stored", type=int, default=1_000_000)
    parser.add_argument("--fill", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--lookup", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.fill:
        fill(options.fill, options.stored)
    elif options.lookup:
        print(json.dumps(measure_lookups(options.lookup, options.stored)))
    else:
        print(json.dumps(report(options.stored)))


def report(stored: int) -> dict[str, object]:
    """Runs in separate processes, so that the measured memory is that of the lookups alone."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "headwater.db"
        command = [sys.executable, "-m", "benchmarks.memory_store", "--stored", str(stored)]
        start = time.perf_counter()
        subprocess.run([*command, "--fill", str(path)], check=True)
        filled = round(time.perf_counter() - start, 1)
        answer = subprocess.run([*command, "--lookup", str(path)], check=True, capture_output=True, text=True)
    figures = {"stored": stored, "fill_s": filled, **json.loads(answer.stdout)}
    figures["within_limits"] = all(figures[name] <= limit for name, limit in LIMITS.items())
    table("Dedupe index in SQLite", figures.items())
    table("Limits", LIMITS.items())
    return figures


def name_of(document: int) -> str:
    return key("document", RECIPE, f"https://wire.example/{document}")


def fingerprints_of(document: int) -> list[tuple[str, str]]:
    return [
        ("url-identity-1", f"https://wire.example/2026/11/13/{document}-harbour-opens-again-after-storm"),
        ("guid-1", f"wire.example\ntag:wire.example,2026:{document}"),
        ("text-sha256-1", key("text", str(document)) * 3),
    ]


def fill(path: Path, stored: int) -> None:
    """Rows as a run would leave them, one epoch per batch; indexes are created at the end, which is much faster."""
    engine = connect(f"sqlite:///{path}")
    migrate(engine)
    engine.dispose()
    names = [name_of(document) for document in range(stored)]
    numbers = np.array([key_number(name) for name in names], dtype=np.int64)
    store = sqlite3.connect(path)
    store.execute("PRAGMA journal_mode = OFF")
    store.execute("PRAGMA synchronous = OFF")
    store.execute("PRAGMA cache_size = -200000")
    indexes = store.execute(
        "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL "
        "AND tbl_name IN ('documents', 'fingerprints')"
    ).fetchall()
    with store:
        for index, _ in indexes:
            store.execute(f"DROP INDEX {index}")
        fill_documents(store, names, numbers.tolist())
        fill_prints(store, names)
        fill_bands(store, numbers)
        for _, statement in indexes:
            store.execute(statement)
    store.execute("PRAGMA journal_mode = WAL")
    store.close()


def fill_documents(store: sqlite3.Connection, names: list[str], numbers: list[int]) -> None:
    columns = (
        "id, number, recipe, source_id, lead_id, revision, state, url, title, text, attempts, "
        "created_at, updated_at"
    )
    order = sorted(range(len(names)), key=names.__getitem__)
    insert(
        store,
        f"INSERT INTO documents ({columns}) VALUES (?, ?, '{RECIPE}', ?, ?, 1, 'kept', ?, ?, ?, 0, ?, ?)",
        (
            (names[i], numbers[i], names[0], names[i], f"https://wire.example/{i}", f"Harbour opens {i}",
             f"{WORDS}{i}", MOMENT, MOMENT)
            for i in order
        ),
    )  # fmt: skip


def fill_prints(store: sqlite3.Connection, names: list[str]) -> None:
    statement = f"INSERT INTO fingerprints VALUES ('{RECIPE}', ?, ?, ?, ?)"
    for place in range(3):
        rows = [(*fingerprints_of(i)[place], name, i // BATCH + 1) for i, name in enumerate(names)]
        rows.sort()
        insert(store, statement, rows)


def fill_bands(store: sqlite3.Connection, numbers: np.ndarray) -> None:
    stored, space = len(numbers), dedupe_space(RECIPE, SCHEME)
    keys = keys_of(np.arange(stored))
    width, keys = keys.shape[1], keys.ravel()
    statement = f"INSERT OR IGNORE INTO dedupe_bands (space, band, epoch, document) VALUES ({space}, ?, ?, ?)"
    for part in np.array_split(np.argsort(keys, kind="stable"), 50):
        owners = part // width
        rows = zip(keys[part].tolist(), (owners // BATCH + 1).tolist(), numbers[owners].tolist(), strict=True)
        insert(store, statement, rows)
    store.execute("INSERT INTO dedupe_epochs VALUES (?, ?)", (space, (stored - 1) // BATCH + 1))


def insert(store: sqlite3.Connection, statement: str, rows: Iterable[tuple]) -> None:
    store.executemany(statement, rows)


def measure_lookups(path: Path, stored: int) -> dict[str, float]:
    store = SqlStore(connect(f"sqlite:///{path}"))
    chance = random.Random(11)
    look_up(store, random_batch(chance, stored, BATCH))
    hits: list[bool] = []
    single = time_lookups(store, SINGLE, 1, lambda size: random_batch(chance, stored, size), hits)
    batch = time_lookups(store, BATCHES, BATCH, lambda size: random_batch(chance, stored, size), hits)
    store.engine.dispose()
    return {
        "found": sum(hits) / len(hits),
        **spread("single", single),
        **spread("batch", batch),
        "memory_mb": round(peak_memory(), 1),
        "file_mb": round(path.stat().st_size / 2**20, 1),
    }


def spread(name: str, costs: list[tuple[float, float]]) -> dict[str, float]:
    """The limits apply to wall time; CPU time shows how much of it was waiting."""
    passed, worked = np.array(costs).T
    return {
        f"{name}_p50_ms": round(float(np.percentile(passed, 50)), 3),
        f"{name}_p99_ms": round(float(np.percentile(passed, 99)), 3),
        f"{name}_p99_cpu_ms": round(float(np.percentile(worked, 99)), 3),
    }


def random_batch(chance: random.Random, stored: int, size: int) -> list[tuple[int, list[int]]]:
    """Stored documents: all their keys have holders, which is the most expensive case."""
    documents = [chance.randrange(stored) for _ in range(size)]
    return list(zip(documents, keys_of(np.array(documents)).tolist(), strict=True))


def time_lookups(
    store: SqlStore, times: int, size: int, make: Callable[[int], list], all_hits: list[bool]
) -> list[tuple[float, float]]:
    """Milliseconds per document: wall time and CPU time."""
    costs = []
    gc.collect()
    for _ in range(times):
        batch = make(size)
        start, worked = time.perf_counter(), time.process_time()
        hits = look_up(store, batch)
        passed, worked = time.perf_counter() - start, time.process_time() - worked
        costs.append((1000 * passed / size, 1000 * worked / size))
        all_hits += hits
    return costs


def look_up(store: SqlStore, batch: list[tuple[int, list[int]]]) -> list[bool]:
    fingerprints = sorted({value for document, _ in batch for value in fingerprints_of(document)})
    keys = sorted({value for _, document_keys in batch for value in document_keys})
    recalled = store.look_up_fingerprints(RECIPE, SCHEME, fingerprints, keys, PER_KEY)
    return list(_hits(batch, recalled.owners, recalled.holders))


def _hits(batch: list, owners: dict, holders: dict) -> Iterator[bool]:
    for document, keys in batch:
        name = name_of(document)
        owned = all(owners.get(value) == name for value in fingerprints_of(document))
        yield owned and any(name in holders.get(value, ()) for value in keys)


if __name__ == "__main__":
    main()
