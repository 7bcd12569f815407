"""How fast search is: `python -m benchmarks.search_scale [--documents N] [--databases sqlite postgresql]`.

Fills a new SQLite database and a real PostgreSQL on this machine with N synthetic documents (a million by default: 150 different
words each, as frequent as in natural text, and a vector of 512 dimensions), then searches by words and vectors together.
Prints the time of a search by the clock and of the processor, beside that of a bare query (fifty documents by their ids) in the same
run; how many of the nearest documents by exact vectors are among the candidates by codes of one bit per dimension; and the memory that
the index takes. The last line is one JSON object.
"""

import argparse
import json
import resource
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import Engine, text

from benchmarks.search import NOW, databases
from headwater.search.entry_terms import term_hash
from headwater.search.postings import COLUMNS, MAX_DOCUMENTS, PostingArrays, sort_postings
from headwater.search.query import words_query
from headwater.search.vector_codes import (
    Codes,
    code_distances,
    encode_bits,
    smallest,
    store_vectors,
    unit_length,
)
from headwater.store.bulk import insert_rows
from headwater.store.connect import read_transaction, unchecked_transaction
from headwater.store.migrate import migrate
from headwater.store.schema.search import search_vectors
from headwater.store.search.candidates import CODE_CANDIDATES, VectorQuery, find_candidates, plan_for
from headwater.store.search.codes import code_rows, read_vectors_of
from headwater.store.search.index_reader import IndexReader, open_index
from headwater.store.search.result_rows import result_rows
from headwater.store.search.segments import write_segment

WORDS, WORDS_PER_DOCUMENT, DIMENSIONS, THEMES = 1_000_000, 150, 512, 2_000
MODEL = "synthetic"
QUERIES, QUERY_WORDS, BARE_ROWS = 200, 4, 50
RECALL_QUERIES, RECALL_DEPTHS = 20, (10, 100)
BATCH = 8_192
TEXT = "Dockers at three northern ports walked out on Friday after talks over night shifts failed, the union said. "


def vocabulary() -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.float64]]:
    """The hashes of the words, most frequent first, and the cumulative shares of their occurrences."""
    hashes = np.array([term_hash(f"w{number}") for number in range(WORDS)], dtype=np.uint64)
    shares = 1 / (np.arange(WORDS) + 10.0)
    return hashes, np.cumsum(shares / shares.sum())


def random_words(
    chance: np.random.Generator, shares: npt.NDArray[np.float64], count: int
) -> npt.NDArray[np.int64]:
    return np.searchsorted(shares, chance.random(count)).clip(0, WORDS - 1)


def query_words(chance: np.random.Generator, queries: int) -> npt.NDArray[np.int64]:
    """The words of each query, drawn as those of a text, without the fifty that are grammar."""
    _, shares = vocabulary()
    words = random_words(chance, shares, 20 * queries * QUERY_WORDS)
    return words[words > 50][: queries * QUERY_WORDS].reshape(queries, QUERY_WORDS)


def fill(engine: Engine, documents: int) -> None:
    store_documents(engine, documents)
    fill_index(engine, documents, recipe="benchmark", model=MODEL, dimensions=DIMENSIONS)


def fill_index(engine: Engine, documents: int, *, recipe: str, model: str, dimensions: int) -> None:
    """Words and vectors for entries of the index, which are numbered from 1 on. Without a model there are no vectors."""
    chance = np.random.default_rng(7)
    hashes, shares = vocabulary()
    themes = unit_length(chance.standard_normal((THEMES, dimensions)).astype(np.float32))
    for first in range(0, documents, MAX_DOCUMENTS):
        size = min(MAX_DOCUMENTS, documents - first)
        numbers = np.arange(first + 1, first + size + 1)
        arrays = segment_postings(chance, hashes, shares, size)
        entries = np.zeros(size, dtype=COLUMNS)
        entries["number"], entries["length"] = numbers, chance.integers(200, 600, size)
        entries["moment"], entries["quality"] = int(NOW.timestamp()) - numbers[::-1] * 30, 0.5
        if model:
            store_numbers(engine, numbers, chance, themes, model)
        with unchecked_transaction(engine) as connection:
            names = {"languages": ["en"], "recipes": [recipe]}
            write_segment(connection, arrays, entries, names, code_rows(connection, entries))
    with unchecked_transaction(engine) as connection:
        connection.execute(text("ANALYZE"))


def segment_postings(
    chance: np.random.Generator, hashes: npt.NDArray[np.uint64], shares: npt.NDArray[np.float64], size: int
) -> PostingArrays:
    words = random_words(chance, shares, size * WORDS_PER_DOCUMENT)
    positions = np.repeat(np.arange(size), WORDS_PER_DOCUMENT)
    pairs = np.unique(words * (1 << 16) + positions)
    counts = chance.integers(1, 4, len(pairs)).astype(np.uint8)
    return sort_postings(PostingArrays(hashes[pairs >> 16], (pairs & 0xFFFF).astype(np.uint16), counts))


def store_documents(engine: Engine, documents: int) -> None:
    is_postgresql = engine.dialect.name == "postgresql"
    key = "lpad(to_hex(i::bigint), 24, '0')" if is_postgresql else "printf('%024x', i)"
    series = (
        f"generate_series(1, {documents}) AS series(i)"
        if is_postgresql
        else f"(WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < {documents}) SELECT i FROM c)"
    )
    at = "'2026-11-16 00:00:00.000000+00:00'"
    statements = (
        (
            f"INSERT INTO sources (id, recipe, kind, name, url, options, credibility, active, watermark, origin, created_at, "
            f"updated_at) VALUES ('s', 'benchmark', 'feed', 's', '', '{{}}', 1, true, '{{}}', 'recipe', {at}, {at})"
        ),
        (
            f"INSERT INTO leads (id, recipe, source_id, document_id, identity, url, version, body_type, hints, state, "
            f"first_seen_at, updated_at) SELECT {key}, 'benchmark', 's', {key}, '', '', '1', '', '{{}}', 'done', {at}, {at} FROM {series}"
        ),
        (
            f"INSERT INTO documents (id, recipe, source_id, lead_id, number, revision, state, url, title, text, language, "
            f"created_at, updated_at) SELECT {key}, 'benchmark', 's', {key}, i, 1, 'kept', '', 'Ports', '{TEXT * 20}', 'en', {at}, {at} FROM {series}"
        ),
        (
            f"INSERT INTO search_entries (id, document_id, recipe, language, moment, quality, length, updated_at) "
            f"SELECT i, {key}, 'benchmark', 'en', 0, 0.5, 300, {at} FROM {series}"
        ),
    )
    for statement in statements:
        with unchecked_transaction(engine) as connection:
            connection.exec_driver_sql(statement)


def store_numbers(
    engine: Engine,
    numbers: npt.NDArray[np.int64],
    chance: np.random.Generator,
    themes: npt.NDArray[np.float32],
    model: str,
) -> None:
    for start in range(0, len(numbers), BATCH):
        part = numbers[start : start + BATCH]
        vectors = near_themes(chance, themes, len(part))
        rows = [
            {"model": model, "entry_id": int(number), "vector": vector}
            for number, vector in zip(part, store_vectors(vectors), strict=True)
        ]
        with unchecked_transaction(engine) as connection:
            insert_rows(connection, search_vectors, rows)


def near_themes(
    chance: np.random.Generator, themes: npt.NDArray[np.float32], count: int
) -> npt.NDArray[np.float32]:
    chosen = themes[chance.integers(0, len(themes), count)]
    noise = unit_length(chance.standard_normal(chosen.shape, dtype=np.float32))
    return unit_length(chosen + noise)


def measure(engine: Engine, documents: int) -> dict[str, Any]:
    chance = np.random.default_rng(11)
    words = query_words(chance, QUERIES)
    themes = unit_length(np.random.default_rng(7).standard_normal((THEMES, DIMENSIONS)).astype(np.float32))
    vectors = near_themes(chance, themes, QUERIES)
    before = memory()
    search(engine, words[0], vectors[0])  # reads the segments
    taken = memory() - before
    times, bare = [], []
    for number in range(1, QUERIES):
        times.append(search(engine, words[number], vectors[number]))
        bare.append(bare_query(engine, chance.integers(1, documents + 1, BARE_ROWS)))
    words_only = [search(engine, words[number], None) for number in range(1, QUERIES)]
    return {
        "documents": documents,
        **percentiles("hybrid", times),
        **percentiles("words", words_only),
        **percentiles("bare", bare),
        **recall_of_codes(engine, vectors[:RECALL_QUERIES]),
        "index_mb": round(taken),
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }


def search(
    engine: Engine, words: npt.NDArray[np.int64], vector: npt.NDArray[np.float32] | None
) -> tuple[float, float]:
    """Milliseconds, and milliseconds of processor time of this process: on a busy machine the latter is the measure."""
    query = words_query(" ".join(f"w{word}" for word in words))
    start, processor = time.perf_counter(), time.process_time()
    with read_transaction(engine) as connection:
        index = open_index(connection)
        vectors = [] if vector is None else [VectorQuery(MODEL, vector, {"en": (0.55, 0.45)})]
        results = find_candidates(index, plan_for(index, query, {}), vectors, query.limit + 40)
        rows = result_rows(connection, query, results.candidates)
    assert rows
    return 1000 * (time.perf_counter() - start), 1000 * (time.process_time() - processor)


def bare_query(engine: Engine, numbers: npt.NDArray[np.int64]) -> tuple[float, float]:
    """The time of reading some documents by their ids, for comparison."""
    ids = ", ".join(f"'{number:024x}'" for number in numbers)
    start, processor = time.perf_counter(), time.process_time()
    with read_transaction(engine) as connection:
        connection.exec_driver_sql(f"SELECT * FROM documents WHERE id IN ({ids})").all()
    return 1000 * (time.perf_counter() - start), 1000 * (time.process_time() - processor)


def recall_of_codes(engine: Engine, queries: npt.NDArray[np.float32]) -> dict[str, float]:
    """The share of the nearest documents by exact vectors that are among the candidates by codes."""
    exact: list[list[tuple[float, int]]] = [[] for _ in queries]
    with read_transaction(engine) as connection:
        index = open_index(connection)
        codes = index.codes(MODEL)
        coded = [nearest_codes(index, codes, query) for query in queries]
        for segment in index.segments:
            for start in range(0, len(segment.columns), BATCH):
                numbers = segment.columns["number"][start : start + BATCH].tolist()
                stored, vectors = read_vectors_of(connection, MODEL, numbers)
                similarities = vectors @ queries.T
                for place, column in enumerate(similarities.T):
                    best = np.argsort(-column)[: max(RECALL_DEPTHS)]
                    pairs = [(float(column[row]), stored[row]) for row in best]
                    exact[place] = sorted([*exact[place], *pairs], reverse=True)[: max(RECALL_DEPTHS)]
    return {
        f"codes_recall_{depth}": round(
            float(
                np.mean(
                    [
                        len({number for _, number in nearest[:depth]} & candidates) / depth
                        for nearest, candidates in zip(exact, coded, strict=True)
                    ]
                )
            ),
            4,
        )
        for depth in RECALL_DEPTHS
    }


def nearest_codes(index: IndexReader, codes: dict[int, Codes], query: npt.NDArray[np.float32]) -> set[int]:
    """The numbers of the candidates by codes, as a search chooses them."""
    bits = encode_bits(query[None, :])
    numbers, distances = [], []
    for segment in index.segments:
        near = code_distances(codes[segment.id], bits)
        chosen = smallest(near, CODE_CANDIDATES)
        numbers.append(segment.columns["number"][chosen])
        distances.append(near[chosen])
    best = smallest(np.concatenate(distances), CODE_CANDIDATES)
    return {int(number) for number in np.concatenate(numbers)[best]}


def percentiles(name: str, times: Sequence[tuple[float, float]]) -> dict[str, float]:
    """Of the whole time, and of the processor time."""
    parts = {"": [whole for whole, _ in times], "_cpu": [processor for _, processor in times]}
    return {
        f"{name}{part}_p{share}_ms": round(float(np.percentile(values, share)), 1)
        for part, values in parts.items()
        for share in (50, 95)
    }


def memory() -> float:
    """Of this process now, in MB."""
    statistics = Path("/proc/self/statm").read_text(encoding="ascii")
    return int(statistics.split()[1]) * resource.getpagesize() / 1e6


def main() -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.search_scale", description=__doc__)
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--databases", nargs="*", default=["sqlite", "postgresql"])
    options = parser.parse_args()
    figures = {}
    with databases() as makers:
        for name in options.databases:
            engine = makers[name]("scale")
            migrate(engine)
            start = time.perf_counter()
            fill(engine, options.documents)
            elapsed = time.perf_counter() - start
            figures[name] = measure(engine, options.documents)
            print(f"{name}: filled in {elapsed:.0f} s, {figures[name]}", flush=True)
            engine.dispose()
    print(json.dumps({"benchmark": "search_scale", **figures}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
