"""Quality and speed of deduplication, compared with peers in the same run.

    python -m benchmarks.dedupe --data DIR [--stored N]

DIR holds `dedupe/dev.jsonl.xz`: labelled documents in arrival order. The last line is one JSON object.
"""

import argparse
import collections
import hashlib
import json
import lzma
import random
import re
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path

import datasketch
import numpy as np

from headwater.documents.dedupe.articles import Article
from headwater.documents.dedupe.deduplicator import PER_KEY, Deduplicator
from headwater.documents.dedupe.index import MemoryIndex
from headwater.documents.dedupe.minhash import (
    ANCHORS,
    BANDS,
    PERMUTATIONS,
    SCHEME,
    SHINGLE,
    TITLE_PAIRS,
    signature,
)
from headwater.documents.dedupe.rules import DEFAULT, PROFILES
from headwater.documents.dedupe.tokens import mix_bits
from headwater.text.folding import fold_text

Row = dict[str, object]
KEYS = BANDS + ANCHORS + 1 + TITLE_PAIRS
# Keys of common phrases: in a store of a million documents, hundreds of documents share each of them.
HOT = 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument(
        "--stored", type=int, default=1_000_000, help="documents in the store; 0 skips that part"
    )
    parser.add_argument("--fill", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--lookup", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.fill:
        fill(options.fill, options.stored)
    elif options.lookup:
        print(json.dumps(measure_lookups(options.lookup, options.stored)))
    else:
        print(json.dumps(report(options.data, options.stored)))


def report(data: Path, stored: int) -> Row:
    documents = read(data / "dedupe" / "dev.jsonl.xz")
    figures = {**measure_stream(documents), **speed(documents)}
    table("Signatures", [("ours, ms", figures["signature_ms"]), ("datasketch, ms", figures["datasketch_ms"])])
    for name, answer in peers(documents).items():
        figures[name] = answer
        table(name, answer.items())
    if stored:
        figures["store"] = store(data, stored)
        table(f"SQLite, {stored:,} documents", figures["store"].items())
    return figures


def read(path: Path) -> list[Row]:
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def article(document: Row) -> Article:
    return Article(
        id=str(document["id"]),
        title=document["title"],
        body=document["body"],
        url=document["url"],
        guid=document["guid"],
        publisher=document["publisher"],
        published_at=datetime.fromisoformat(document["published_at"]),
    )


def measure_stream(documents: list[Row]) -> dict[str, object]:
    """One pass in arrival order; the time of a document includes lookup, verification and storing it."""
    answers, costs = {}, []
    for decision, cost in timed(map(Deduplicator(DEFAULT, MemoryIndex()).add, map(article, documents))):
        answers[decision.id] = decision.duplicate_of
        costs.append(cost)
    figures = score(documents, answers)
    figures |= {
        "mean_ms": np.mean(costs),
        "p50_ms": np.percentile(costs, 50),
        "p99_ms": np.percentile(costs, 99),
    }
    figures["max_ms"] = max(costs)
    figures = {
        name: round(float(value), 6) if not isinstance(value, dict) else value
        for name, value in figures.items()
    }
    table("Headwater, profile default", figures.items())
    for half in (0, 1):
        part = [document for document in documents if half_of(document) == half]
        shown = score(part, answers, everything=documents)
        table(
            f"the same, half {half} of the groups",
            [(name, shown[name]) for name in ("recall", "unique_blocked")],
        )
    return figures


def half_of(document: Row) -> int:
    """The halves only show the spread: the thresholds were chosen with the errors of both in view."""
    return hashlib.sha256(str(document["group"]).encode()).digest()[0] % 2


def timed(decisions: Iterable) -> Iterator:
    decisions = iter(decisions)
    while True:
        start = time.process_time()
        try:
            decision = next(decisions)
        except StopIteration:
            return
        yield decision, 1000 * (time.process_time() - start)


def score(documents: list[Row], answers: dict, everything: list[Row] | None = None) -> dict[str, object]:
    """Recall counts a hit only if it points into the right group."""
    group = {str(document["id"]): document["group"] for document in everything or documents}
    missed, blocked, totals = collections.Counter(), collections.Counter(), collections.Counter()
    for document in documents:
        answer = answers.get(str(document["id"]))
        totals[document["is_dup"]] += 1
        if document["is_dup"]:
            missed[document["kind"]] += answer is None or group[answer] != document["group"]
        else:
            blocked[document["kind"]] += answer is not None
    return {
        "recall": 1 - missed.total() / totals[True],
        "unique_blocked": blocked.total() / totals[False],
        "missed": dict(+missed),
        "blocked": dict(+blocked),
    }


def speed(documents: list[Row], sample: int = 3000) -> dict[str, float]:
    texts = [(row["title"], row["body"]) for row in documents[:: max(1, len(documents) // sample)]]
    signature(*texts[0]), datasketch_minhash(*texts[0])
    ours, theirs = cpu((signature, datasketch_minhash), texts)
    return {
        "signature_ms": round(ours, 4),
        "datasketch_ms": round(theirs, 4),
        "times_datasketch": round(theirs / ours, 2),
    }


def cpu(functions: Sequence[Callable], texts: list[tuple[str, str]]) -> list[float]:
    """CPU milliseconds per text of each function: the best of five rounds, in turns, so that a busy moment of the machine
    affects all of them."""
    best = [float("inf")] * len(functions)
    for _ in range(5):
        for place, function in enumerate(functions):
            start = time.process_time()
            for text in texts:
                function(*text)
            best[place] = min(best[place], time.process_time() - start)
    return [1000 * seconds / len(texts) for seconds in best]


def datasketch_minhash(title: str, body: str, size: int = SHINGLE) -> datasketch.MinHash:
    words = re.findall(r"\w+", f"{title}\n{body}".lower())
    sketch = datasketch.MinHash(num_perm=PERMUTATIONS)
    sketch.update_batch(
        [" ".join(words[i : i + size]).encode() for i in range(max(1, len(words) - size + 1))]
    )
    return sketch


def peers(documents: list[Row]) -> dict[str, dict[str, object]]:
    return {
        "sha256 of normalised text": score(documents, answers_by_hash(documents)),
        "datasketch 5-gram 0.7": score(documents, answers_by_minhash(documents, 0.7)),
        "profile titles": score(documents, answers_by_profile(documents, "titles")),
        "profile minhash": score(documents, answers_by_profile(documents, "minhash")),
    }


def answers_by_hash(documents: list[Row]) -> dict[str, str | None]:
    first_ids: dict[str, str] = {}
    answers = {}
    for row in documents:
        first = first_ids.setdefault(fold_text(row["body"]), str(row["id"]))
        answers[str(row["id"])] = first if first != str(row["id"]) else None
    return answers


def answers_by_minhash(documents: list[Row], threshold: float) -> dict[str, str | None]:
    index = datasketch.MinHashLSH(threshold=threshold, num_perm=PERMUTATIONS)
    sketches: dict[str, datasketch.MinHash] = {}
    answers = {}
    for row in documents:
        key, mine = str(row["id"]), datasketch_minhash(row["title"], row["body"], 5)
        near = [(mine.jaccard(sketches[other]), other) for other in index.query(mine)]
        answers[key] = max(near)[1] if near and max(near)[0] >= threshold else None
        index.insert(key, mine)
        sketches[key] = mine
    return answers


def answers_by_profile(documents: list[Row], name: str) -> dict[str, str | None]:
    decisions = map(Deduplicator(PROFILES[name], MemoryIndex()).add, map(article, documents))
    return {decision.id: decision.duplicate_of for decision in decisions}


def store(data: Path, stored: int) -> dict[str, float]:
    """Filled by one process and read by another, so that the memory measured is that of lookups alone."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bands.sqlite"
        command = [sys.executable, "-m", "benchmarks.dedupe", "--data", str(data), "--stored", str(stored)]
        subprocess.run([*command, "--fill", str(path)], check=True)
        answer = subprocess.run([*command, "--lookup", str(path)], check=True, capture_output=True, text=True)
        return json.loads(answer.stdout)


def keys_of(documents: np.ndarray) -> np.ndarray:
    """Keys like those of signatures, for documents without text; one in fifty is a common key."""
    serial = documents.astype(np.uint64)[:, None] * np.uint64(KEYS) + np.arange(KEYS, dtype=np.uint64)
    mixed = mix_bits(serial + np.uint64(1))
    common = mix_bits(mixed % np.uint64(HOT))
    return np.where(mixed % np.uint64(50) == 0, common, mixed).view(np.int64)


def fill(path: Path, stored: int) -> None:
    keys = keys_of(np.arange(stored)).ravel()
    order = np.argsort(keys, kind="stable")
    with sqlite3.connect(path) as store:
        store.execute("PRAGMA journal_mode = OFF")
        store.execute("PRAGMA synchronous = OFF")
        store.execute(
            "CREATE TABLE bands (scheme TEXT, band_key INTEGER, document INTEGER, "
            "PRIMARY KEY (scheme, band_key, document)) WITHOUT ROWID"
        )
        for part in np.array_split(order, 50):
            rows = zip(keys[part].tolist(), (part // KEYS).tolist(), strict=True)
            store.executemany(f"INSERT OR IGNORE INTO bands VALUES ('{SCHEME}', ?, ?)", rows)


def measure_lookups(path: Path, stored: int, count: int = 3000) -> dict[str, float]:
    chance = random.Random(11)
    store = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    query = "SELECT document FROM bands WHERE scheme = ? AND band_key = ? ORDER BY document DESC LIMIT ?"
    costs, hits = [], 0
    for _ in range(count):
        document = chance.randrange(stored)
        keys = keys_of(np.array([document]))[0].tolist()
        start = time.perf_counter()
        holders = [{row[0] for row in store.execute(query, (SCHEME, key, PER_KEY))} for key in keys]
        costs.append(1000 * (time.perf_counter() - start))
        hits += any(document in holder for holder in holders)
    return {
        "found": hits / count,
        "lookup_p50_ms": round(float(np.percentile(costs, 50)), 3),
        "lookup_p99_ms": round(float(np.percentile(costs, 99)), 3),
        "memory_mb": round(peak_memory(), 1),
        "file_mb": round(path.stat().st_size / 2**20, 1),
    }


def peak_memory() -> float:
    """Peak megabytes since this program started; the counter of the kernel, where available, excludes the parent."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(re.search(r"VmHWM:\s+(\d+)", status.read_text())[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def table(title: str, rows: Iterable[tuple[str, object]]) -> None:
    print(f"\n{title}")
    for name, value in rows:
        print(f"  {name:<22} {value:.6g}" if isinstance(value, float) else f"  {name:<22} {value}")


if __name__ == "__main__":
    main()
