"""How well and how fast duplicates are recognised, against peers in the same run.

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

from headwater.documents.dedupe.articles import Article, fingerprint_text
from headwater.documents.dedupe.deduplicator import PER_KEY
from headwater.documents.dedupe.minhash import ANCHORS, BANDS, PERMUTATIONS, SCHEME, SHINGLE, signature
from headwater.documents.dedupe.rules import PROFILES, dedupe_stream
from headwater.documents.dedupe.tokens import mix_bits

Row = dict[str, object]
KEYS = BANDS + ANCHORS + 1
HOT = 1000
"""So many keys are common phrases: in the store of a million they are held by hundreds of documents each."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument(
        "--stored", type=int, default=1_000_000, help="documents in the store; 0 leaves that part out"
    )
    parser.add_argument("--fill", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--look", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.fill:
        fill(options.fill, options.stored)
    elif options.look:
        print(json.dumps(look(options.look, options.stored)))
    else:
        print(json.dumps(report(options.data, options.stored)))


def report(data: Path, stored: int) -> Row:
    documents = read(data / "dedupe" / "dev.jsonl.xz")
    figures = {**streamed(documents), **speed(documents)}
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


def streamed(documents: list[Row]) -> dict[str, object]:
    """One pass in arrival order; the time of a document includes lookup, verification and remembering it."""
    answers, costs = {}, []
    for found, cost in timed(dedupe_stream(map(article, documents))):
        answers[found.id] = found.duplicate_of
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
    """The halves show the spread, no more: errors of both were read while thresholds were chosen."""
    return hashlib.sha256(str(document["group"]).encode()).digest()[0] % 2


def timed(decisions: Iterable) -> Iterator:
    decisions = iter(decisions)
    while True:
        start = time.process_time()
        try:
            found = next(decisions)
        except StopIteration:
            return
        yield found, 1000 * (time.process_time() - start)


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
    signature(*texts[0]), sketched(*texts[0])
    ours, theirs = cpu((signature, sketched), texts)
    return {
        "signature_ms": round(ours, 4),
        "datasketch_ms": round(theirs, 4),
        "times_datasketch": round(theirs / ours, 2),
    }


def cpu(functions: Sequence[Callable], texts: list[tuple[str, str]]) -> list[float]:
    """Milliseconds of CPU for one text by each: the best of five rounds, in turns, so that a busy moment of the machine
    hits them alike."""
    best = [float("inf")] * len(functions)
    for _ in range(5):
        for place, function in enumerate(functions):
            start = time.process_time()
            for text in texts:
                function(*text)
            best[place] = min(best[place], time.process_time() - start)
    return [1000 * seconds / len(texts) for seconds in best]


def sketched(title: str, body: str, size: int = SHINGLE) -> datasketch.MinHash:
    words = re.findall(r"\w+", f"{title}\n{body}".lower())
    found = datasketch.MinHash(num_perm=PERMUTATIONS)
    found.update_batch([" ".join(words[i : i + size]).encode() for i in range(max(1, len(words) - size + 1))])
    return found


def peers(documents: list[Row]) -> dict[str, dict[str, object]]:
    return {
        "sha256 of normalised text": score(documents, hashed(documents)),
        "datasketch 5-gram 0.7": score(documents, clustered(documents, 0.7)),
        "profile seed-c": score(documents, profiled(documents, "seed-c")),
        "profile seed-g": score(documents, profiled(documents, "seed-g")),
    }


def hashed(documents: list[Row]) -> dict[str, str | None]:
    seen: dict[str, str] = {}
    answers = {}
    for row in documents:
        first = seen.setdefault(fingerprint_text(row["body"]), str(row["id"]))
        answers[str(row["id"])] = first if first != str(row["id"]) else None
    return answers


def clustered(documents: list[Row], threshold: float) -> dict[str, str | None]:
    index = datasketch.MinHashLSH(threshold=threshold, num_perm=PERMUTATIONS)
    kept: dict[str, datasketch.MinHash] = {}
    answers = {}
    for row in documents:
        key, mine = str(row["id"]), sketched(row["title"], row["body"], 5)
        near = [(mine.jaccard(kept[other]), other) for other in index.query(mine)]
        answers[key] = max(near)[1] if near and max(near)[0] >= threshold else None
        index.insert(key, mine)
        kept[key] = mine
    return answers


def profiled(documents: list[Row], name: str) -> dict[str, str | None]:
    decisions = dedupe_stream(map(article, documents), profile=PROFILES[name])
    return {found.id: found.duplicate_of for found in decisions}


def store(data: Path, stored: int) -> dict[str, float]:
    """Filled by one process and read by another, so that the memory measured is that of lookups alone."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bands.sqlite"
        command = [sys.executable, "-m", "benchmarks.dedupe", "--data", str(data), "--stored", str(stored)]
        subprocess.run([*command, "--fill", str(path)], check=True)
        answer = subprocess.run([*command, "--look", str(path)], check=True, capture_output=True, text=True)
        return json.loads(answer.stdout)


def keys_of(documents: np.ndarray) -> np.ndarray:
    """Keys as signatures have them, for documents that need no text; one in fifty is a common one."""
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


def look(path: Path, stored: int, count: int = 3000) -> dict[str, float]:
    chance = random.Random(11)
    store = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    query = "SELECT document FROM bands WHERE scheme = ? AND band_key = ? ORDER BY document DESC LIMIT ?"
    costs, found = [], 0
    for _ in range(count):
        document = chance.randrange(stored)
        keys = keys_of(np.array([document]))[0].tolist()
        start = time.perf_counter()
        holders = [{row[0] for row in store.execute(query, (SCHEME, key, PER_KEY))} for key in keys]
        costs.append(1000 * (time.perf_counter() - start))
        found += any(document in some for some in holders)
    return {
        "found": found / count,
        "lookup_p50_ms": round(float(np.percentile(costs, 50)), 3),
        "lookup_p99_ms": round(float(np.percentile(costs, 99)), 3),
        "memory_mb": round(peak_memory(), 1),
        "file_mb": round(path.stat().st_size / 2**20, 1),
    }


def peak_memory() -> float:
    """Megabytes at most since this program began; the counter of the kernel, where there is one, forgets its parent."""
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
