"""How fast search is: `python -m benchmarks.search_scale [--documents N] [--databases sqlite postgresql]`.

Fills a new SQLite database and a real PostgreSQL on this machine with N synthetic documents (a million by default: 150 words
each, as frequent as in natural text, and a vector of 512 dimensions), then searches by words and vectors together: for plain words,
for a word and the beginning of another one (one to four letters of a word), and for phrases (two words that stand together in a document,
or in none).
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
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import Engine, text
from xxhash import xxh3_64_intdigest

from benchmarks.search import NOW, databases
from headwater.search.entry_terms import term_hash
from headwater.search.postings import COLUMNS, MAX_DOCUMENTS, PostingArrays, sort_postings
from headwater.search.query import SearchQuery, parse_query, words_query
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
from headwater.store.schema.search import search_terms, search_vectors
from headwater.store.search.candidates import CODE_CANDIDATES, VectorQuery
from headwater.store.search.codes import code_rows, read_vectors_of
from headwater.store.search.document_search import search_index
from headwater.store.search.index_reader import IndexReader, open_index
from headwater.store.search.segments import write_segment

WORDS, WORDS_PER_DOCUMENT, DIMENSIONS, THEMES = 1_000_000, 150, 512, 2_000
MODEL = "synthetic"
QUERIES, QUERY_WORDS, BARE_ROWS = 200, 4, 50
RECALL_QUERIES, RECALL_DEPTHS = 20, (10, 100)
BATCH = 8_192
TEXT = "Dockers at three northern ports walked out on Friday after talks over night shifts failed, the union said. "
FILLING = TEXT * 13
AT = "'2026-11-16 00:00:00.000000+00:00'"
LETTERS = "bcdfghjklmnpqrtvwxz"
"""Without vowels, no ending is one that a stemmer knows."""
GRAMMAR = 50
"""The most frequent words, which nobody searches for."""


def word_of(number: int) -> str:
    """Frequent words are short, and each letter begins its share of the words."""
    letters = ""
    while True:
        letters += LETTERS[number % len(LETTERS)]
        number = number // len(LETTERS) - 1
        if number < 0:
            return letters


def vocabulary() -> tuple[list[str], npt.NDArray[np.uint64], npt.NDArray[np.float64]]:
    """The words, most frequent first, their hashes, and the cumulative shares of their occurrences."""
    words = [word_of(number) for number in range(WORDS)]
    hashes = np.fromiter((xxh3_64_intdigest(word.encode()) for word in words), np.uint64, WORDS)
    assert int(hashes[WORDS - 1]) == term_hash(words[-1])
    shares = 1 / (np.arange(WORDS) + 10.0)
    return words, hashes, np.cumsum(shares / shares.sum())


def random_words(
    chance: np.random.Generator, shares: npt.NDArray[np.float64], count: int
) -> npt.NDArray[np.int64]:
    return np.searchsorted(shares, chance.random(count)).clip(0, WORDS - 1)


def query_words(chance: np.random.Generator, queries: int) -> list[list[str]]:
    """The words of each query, drawn as those of a text, without those that are grammar."""
    words, _, shares = vocabulary()
    drawn = random_words(chance, shares, 20 * queries * QUERY_WORDS)
    chosen = drawn[drawn > GRAMMAR][: queries * QUERY_WORDS].reshape(queries, QUERY_WORDS)
    return [[words[number] for number in row] for row in chosen]


def fill(engine: Engine, documents: int) -> None:
    store_sources(engine, documents)
    fill_index(
        engine, documents, recipe="benchmark", model=MODEL, dimensions=DIMENSIONS, stores_documents=True
    )


def fill_index(
    engine: Engine,
    documents: int,
    *,
    recipe: str,
    model: str,
    dimensions: int,
    stores_documents: bool = False,
) -> None:
    """Words and vectors for entries of the index, which are numbered from 1 on. Without a model there are no vectors. With
    `stores_documents`, the entries and documents with these words are stored, too."""
    chance = np.random.default_rng(7)
    words, hashes, shares = vocabulary()
    themes = unit_length(chance.standard_normal((THEMES, dimensions)).astype(np.float32))
    for first in range(0, documents, MAX_DOCUMENTS):
        size = min(MAX_DOCUMENTS, documents - first)
        numbers = np.arange(first + 1, first + size + 1)
        chosen = random_words(chance, shares, size * WORDS_PER_DOCUMENT).reshape(size, WORDS_PER_DOCUMENT)
        if stores_documents:
            store_texts(engine, numbers, chosen, words)
        arrays = segment_postings(hashes, chosen)
        entries = np.zeros(size, dtype=COLUMNS)
        entries["number"], entries["length"] = numbers, chance.integers(200, 600, size)
        entries["moment"], entries["quality"] = int(NOW.timestamp()) - numbers[::-1] * 30, 0.5
        if model:
            store_numbers(engine, numbers, chance, themes, model)
        with unchecked_transaction(engine) as connection:
            names = {"languages": ["en"], "recipes": [recipe]}
            write_segment(connection, arrays, entries, names, code_rows(connection, entries))
    with unchecked_transaction(engine) as connection:
        for start in range(0, WORDS, BATCH):
            insert_rows(connection, search_terms, [{"term": word} for word in words[start : start + BATCH]])
        connection.execute(text("ANALYZE"))


def segment_postings(hashes: npt.NDArray[np.uint64], chosen: npt.NDArray[np.int64]) -> PostingArrays:
    """`chosen` has a row of words for each document."""
    positions = np.repeat(np.arange(len(chosen)), WORDS_PER_DOCUMENT)
    pairs, counts = np.unique(chosen.ravel() * (1 << 16) + positions, return_counts=True)
    arrays = PostingArrays(hashes[pairs >> 16], (pairs & 0xFFFF).astype(np.uint16), counts.astype(np.uint8))
    return sort_postings(arrays)


def store_sources(engine: Engine, documents: int) -> None:
    """A source, and a lead for each document."""
    is_postgresql = engine.dialect.name == "postgresql"
    key = "lpad(to_hex(i::bigint), 24, '0')" if is_postgresql else "printf('%024x', i)"
    series = (
        f"generate_series(1, {documents}) AS series(i)"
        if is_postgresql
        else f"(WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < {documents}) SELECT i FROM c)"
    )
    statements = (
        (
            f"INSERT INTO sources (id, recipe, kind, name, url, options, credibility, active, watermark, origin, created_at, "
            f"updated_at) VALUES ('s', 'benchmark', 'feed', 's', '', '{{}}', 1, true, '{{}}', 'recipe', {AT}, {AT})"
        ),
        (
            f"INSERT INTO leads (id, recipe, source_id, document_id, identity, url, version, body_type, hints, state, "
            f"first_seen_at, updated_at) SELECT {key}, 'benchmark', 's', {key}, '', '', '1', '', '{{}}', 'done', {AT}, {AT} FROM {series}"
        ),
    )
    for statement in statements:
        with unchecked_transaction(engine) as connection:
            connection.exec_driver_sql(statement)


def store_texts(
    engine: Engine,
    numbers: npt.NDArray[np.int64],
    chosen: npt.NDArray[np.int64],
    words: Sequence[str],
) -> None:
    """The documents with their words, and as much other text as makes them as long as usual ones."""
    statement = text(
        f"INSERT INTO documents (id, recipe, source_id, lead_id, number, revision, state, url, title, text, language, "
        f"created_at, updated_at) VALUES (:id, 'benchmark', 's', :id, :number, 1, 'kept', '', 'Ports', :text, 'en', {AT}, {AT})"
    )
    entry = text(
        f"INSERT INTO search_entries (id, document_id, recipe, language, moment, quality, length, updated_at) "
        f"VALUES (:number, :id, 'benchmark', 'en', 0, 0.5, 300, {AT})"
    )
    for start in range(0, len(numbers), BATCH):
        part = slice(start, start + BATCH)
        rows = [
            {
                "id": f"{number:024x}",
                "number": number,
                "text": f"{' '.join(words[word] for word in row)}. {FILLING}",
            }
            for number, row in zip(numbers[part].tolist(), chosen[part].tolist(), strict=True)
        ]
        with unchecked_transaction(engine) as connection:
            connection.execute(statement, rows)
            connection.execute(entry, rows)


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
    queries = query_words(chance, QUERIES)
    themes = unit_length(np.random.default_rng(7).standard_normal((THEMES, DIMENSIONS)).astype(np.float32))
    vectors = near_themes(chance, themes, QUERIES)
    before = memory()
    search(engine, words_query(" ".join(queries[0])), vectors[0])  # reads the segments
    taken = memory() - before
    times, bare = [], []
    for number in range(1, QUERIES):
        times.append(search(engine, words_query(" ".join(queries[number])), vectors[number]))
        bare.append(bare_query(engine, chance.integers(1, documents + 1, BARE_ROWS)))
    texts = {
        "words": [" ".join(query) for query in queries],
        "prefix": [prefix_query(query, number) for number, query in enumerate(queries)],
        "phrase": [
            f'"{pair}"'
            for pair in stored_pairs(engine, chance, documents, frozenset(map(word_of, range(GRAMMAR))))
        ],
        "no_phrase": [f'"{query[0]} {query[1]}"' for query in queries],
    }
    others = {
        name: [
            search(
                engine,
                parse_query(query, NOW),
                None if name == "words" else vector,
                has_rows=name != "no_phrase",
            )
            for query, vector in zip(listed[1:], vectors[1:], strict=True)
        ]
        for name, listed in texts.items()
    }
    return {
        "documents": documents,
        **percentiles("hybrid", times),
        **{
            figure: value
            for name, values in others.items()
            for figure, value in percentiles(name, values).items()
        },
        **percentiles("bare", bare),
        **recall_of_codes(engine, vectors[:RECALL_QUERIES]),
        "index_mb": round(taken),
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }


def prefix_query(words: Sequence[str], number: int) -> str:
    """A word, and the first one to four letters of another one."""
    letters = 1 + number % 4
    longer = [word for word in words if len(word) > letters] or [words[0] + LETTERS[0]]
    return f"{words[0]} {longer[-1][:letters]}*"


def stored_pairs(
    engine: Engine, chance: np.random.Generator, documents: int, grammar: frozenset[str]
) -> list[str]:
    """Two words that stand together in a document, neither of them grammar."""
    pairs: list[str] = []
    with read_transaction(engine) as connection:
        while len(pairs) < QUERIES:
            key = f"{int(chance.integers(1, documents + 1)):024x}"
            body = connection.scalar(text("SELECT text FROM documents WHERE id = :key"), {"key": key})
            words = str(body).partition(".")[0].split()
            both = [pair for pair in pairwise(words) if grammar.isdisjoint(pair)]
            pairs += [" ".join(both[int(chance.integers(len(both)))])] if both else []
    return pairs


def search(
    engine: Engine, query: SearchQuery, vector: npt.NDArray[np.float32] | None, *, has_rows: bool = True
) -> tuple[float, float]:
    """Milliseconds, and milliseconds of processor time of this process: on a busy machine the latter is the measure. A search
    that should have results and has none is no measure."""
    start, processor = time.perf_counter(), time.process_time()
    with read_transaction(engine) as connection:
        vectors = [] if vector is None else [VectorQuery(MODEL, vector, {"en": (0.55, 0.45)})]
        results = search_index(open_index(connection), query, vectors)
    times = 1000 * (time.perf_counter() - start), 1000 * (time.process_time() - processor)
    assert results.rows or not has_rows, query
    return times


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
