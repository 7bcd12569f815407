"""How well search ranks: `python -m benchmarks.search --data DIR [--sets NAME …]`.

DIR holds sets in BEIR form (`corpus.jsonl`, `queries.jsonl`, `qrels.tsv`), each in a folder at any depth or in a `.tar.xz`.
The documents go through the index of a new SQLite database and of a real PostgreSQL on this machine. Each set gets nDCG@10
and recall@100 by words, by vectors and by both, with plain FTS5 (porter stemming, OR, title twice) in the same run. The last
line is one JSON object.
"""

import argparse
import json
import re
import sqlite3
import sys
import tarfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from math import log2
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import Engine, insert, select, text

from headwater.documents.language.detect_language import rank_languages
from headwater.documents.language.detector import LanguageRules, detect_language
from headwater.model.document import Document
from headwater.search.query import words_query
from headwater.store.connect import connect, read_transaction, unchecked_transaction
from headwater.store.migrate import migrate
from headwater.store.schema.search import search_entries, search_vectors
from headwater.store.search.codes import refresh_codes, stored_models
from headwater.store.search.document_search import best_candidates
from headwater.store.search.entries import index_kept_documents
from headwater.store.search.index_reader import open_index
from headwater.store.search.query_vectors import SearchEncoders, add_vectors, query_language
from headwater.store.search.segments import refresh_segments

BEST, RECALL = 10, 100
NOW = datetime(2026, 11, 16, tzinfo=UTC)
FILES = ("corpus.jsonl", "queries.jsonl", "qrels.tsv")
METHODS = ("words", "vectors", "hybrid")
MODELS = Path(__file__).parent.parent / "build" / "search-benchmark"


@dataclass(frozen=True)
class SearchSet:
    """`relevant` maps a query to its documents and how relevant each is."""

    name: str
    documents: Sequence[tuple[str, str, str]]
    queries: Mapping[str, str]
    relevant: Mapping[str, Mapping[str, int]]

    @property
    def judged(self) -> list[str]:
        return [query for query in self.queries if self.relevant.get(query)]


def read_sets(folder: Path, names: Sequence[str]) -> Iterator[SearchSet]:
    for path in sorted(folder.rglob("corpus.jsonl")):
        if not names or path.parent.name in names:
            yield _read_set(path.parent)
    for archive in sorted(folder.rglob("*.tar.xz")):
        with TemporaryDirectory() as place, tarfile.open(archive) as packed:
            packed.extractall(place, filter="data")
            yield from read_sets(Path(place), names)


def _read_set(folder: Path) -> SearchSet:
    corpus, queries = (_json_lines(folder / name) for name in FILES[:2])
    relevant: dict[str, dict[str, int]] = {}
    for line in (folder / FILES[2]).read_text(encoding="utf-8").splitlines()[1:]:
        query, document, score = line.split("\t")
        if int(score) > 0:
            relevant.setdefault(query, {})[document] = int(score)
    return SearchSet(
        folder.name,
        [(str(row["_id"]), row.get("title") or "", row.get("text") or "") for row in corpus],
        {str(row["_id"]): row["text"] for row in queries},
        relevant,
    )


def _json_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def ndcg(ranking: Sequence[str], relevant: Mapping[str, int]) -> float:
    gain = sum(relevant.get(key, 0) / log2(rank + 2) for rank, key in enumerate(ranking[:BEST]))
    ideal = sorted(relevant.values(), reverse=True)[:BEST]
    return gain / sum(score / log2(rank + 2) for rank, score in enumerate(ideal))


def recall(ranking: Sequence[str], relevant: Mapping[str, int]) -> float:
    return sum(key in relevant for key in ranking[:RECALL]) / len(relevant)


def measure(search: Callable[[str], Sequence[str]], data: SearchSet) -> dict[str, float]:
    start = time.perf_counter()
    rankings = {query: search(data.queries[query]) for query in data.judged}
    elapsed = time.perf_counter() - start
    return {
        "ndcg@10": round(fmean(ndcg(rankings[query], data.relevant[query]) for query in data.judged), 4),
        "recall@100": round(fmean(recall(rankings[query], data.relevant[query]) for query in data.judged), 4),
        "ms": round(1000 * elapsed / len(data.judged), 1),
    }


def plain_fts5(data: SearchSet) -> Callable[[str], list[str]]:
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE plain USING fts5(title, body, tokenize = 'porter unicode61')")
    rows = [(number, title, body) for number, (_, title, body) in enumerate(data.documents)]
    database.executemany("INSERT INTO plain (rowid, title, body) VALUES (?, ?, ?)", rows)
    query = "SELECT rowid FROM plain WHERE plain MATCH ? ORDER BY bm25(plain, 2.0, 1.0) LIMIT 100"

    def search(question: str) -> list[str]:
        match = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question))
        return [data.documents[row[0]][0] for row in database.execute(query, (match,))] if match else []

    return search


def fill(engine: Engine, data: SearchSet) -> dict[int, str]:
    """Index the documents of a set; returns the id of each number. The rows that an entry belongs to are written here, because a
    set has no sources."""
    rules = LanguageRules()
    batch = [
        Document(
            id=f"{number:024x}",
            recipe="benchmark",
            source="s",
            lead=f"{number:024x}",
            url=f"https://set.example/{number}",
            title=title,
            text=body,
            language=detect_language(f"{title}\n{body}", rank_languages, rules).language,
        )
        for number, (_, title, body) in enumerate(data.documents)
    ]
    for first in range(0, len(batch), 1_000):
        with unchecked_transaction(engine) as connection:
            _store(connection, batch[first : first + 1_000])
            index_kept_documents(connection, batch[first : first + 1_000], NOW)
    refresh_segments(engine, flush_at=1)
    with read_transaction(engine) as connection:
        rows = connection.execute(select(search_entries.c.id, search_entries.c.document_id)).all()
    return {row.id: data.documents[int(row.document_id, 16)][0] for row in rows}


def _store(connection: Any, batch: Sequence[Document]) -> None:
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("SET LOCAL session_replication_role = replica")
    else:
        connection.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
        connection.exec_driver_sql(
            "INSERT OR IGNORE INTO sources (id, recipe, kind, name, url, options, credibility, active, watermark, origin, "
            "created_at, updated_at) VALUES ('s', 'benchmark', 'feed', 's', '', '{}', 1, 1, '{}', 'recipe', '', '')"
        )
        leads = text(
            "INSERT INTO leads (id, recipe, source_id, document_id, identity, url, version, body_type, hints, state, "
            "first_seen_at, updated_at) VALUES (:id, 'benchmark', 's', :id, :id, '', '1', '', '{}', 'done', '', '')"
        )
        connection.execute(leads, [{"id": document.id} for document in batch])
    documents = text(
        "INSERT INTO documents (id, recipe, source_id, lead_id, number, revision, state, url, title, text, language, "
        "created_at, updated_at) VALUES (:id, 'benchmark', 's', :id, 0, 1, 'kept', :url, :title, :text, :language, :at, :at)"
    )
    rows = [
        {
            **{
                name: getattr(document, name).replace("\x00", " ")
                for name in ("id", "url", "title", "text", "language")
            },
            "at": NOW if connection.dialect.name == "postgresql" else NOW.isoformat(" "),
        }
        for document in batch
    ]
    connection.execute(documents, rows)


def searcher(
    engine: Engine, ids: Mapping[int, str], encoders: SearchEncoders, method: str
) -> Callable[[str], list[str]]:
    """The search without the rows of its results, in the order in which they would come."""

    def search(question: str) -> list[str]:
        query = words_query(question, limit=RECALL)
        with read_transaction(engine) as connection:
            index = open_index(connection)
            models = [] if method == "words" else stored_models(connection)
            language = query_language(question, index.common_languages) if models else ""
            vectors = encoders.query_vectors(question, language, models, index.languages) if models else []
            results, _ = best_candidates(index, query, {}, vectors, RECALL, words=method != "vectors")
        return [ids[candidate.number] for candidate in results.candidates]

    return search


def copy_vectors(source: Engine, target: Engine) -> None:
    """Texts are encoded once; the same vectors go into the other database."""
    key, entry = search_vectors.c, search_entries.c
    query = select(entry.document_id, key.model, key.vector).join(search_vectors, key.entry_id == entry.id)
    with read_transaction(source) as connection:
        rows = connection.execute(query).all()
    with unchecked_transaction(target) as connection:
        numbers = {row.document_id: row.id for row in connection.execute(select(entry.document_id, entry.id))}
        values = [
            {"model": row.model, "entry_id": numbers[row.document_id], "vector": row.vector} for row in rows
        ]
        connection.execute(insert(search_vectors), values)


@contextmanager
def databases() -> Iterator[Mapping[str, Callable[[str], Engine]]]:
    from tests.servers.postgres import running_postgres  # noqa: PLC0415 - only the tests have these servers

    with TemporaryDirectory() as folder, running_postgres() as server:

        def sqlite(name: str) -> Engine:
            return connect(f"sqlite:///{Path(folder) / name}.db")

        def postgresql(name: str) -> Engine:
            return connect(server.create(name))

        yield {"sqlite": sqlite, "postgresql": postgresql}


def main() -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.search", description=__doc__)
    parser.add_argument("--data", required=True, type=Path, help="folder with sets in BEIR form")
    parser.add_argument("--sets", nargs="*", default=[], help="only these sets")
    parser.add_argument("--databases", nargs="*", default=["sqlite", "postgresql"])
    options = parser.parse_args()
    MODELS.mkdir(parents=True, exist_ok=True)
    encoders = SearchEncoders(MODELS)
    figures: dict[str, dict[str, Any]] = {}
    with databases() as makers:
        for number, data in enumerate(read_sets(options.data, options.sets)):
            results = {"fts5": measure(plain_fts5(data), data)}
            first: Engine | None = None
            for name in options.databases:
                engine = makers[name](f"set{number}")
                migrate(engine)
                ids = fill(engine, data)
                if first is None:
                    add_vectors(engine, encoders)
                else:
                    copy_vectors(first, engine)
                first = first or engine
                refresh_codes(engine)
                for method in METHODS:
                    results[f"{name} {method}"] = measure(searcher(engine, ids, encoders, method), data)
            figures[data.name] = {"documents": len(data.documents), "queries": len(data.judged), **results}
            shown = "  ".join(
                f"{name} {row['ndcg@10']:.4f}/{row['recall@100']:.3f}" for name, row in results.items()
            )
            print(f"{data.name:16} {shown}", flush=True)
    print(json.dumps({"benchmark": "search", "sets": figures}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
