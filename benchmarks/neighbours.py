"""The nearest neighbours of 100,000 vectors: cells against every pair in blocks, in the same run.

    python -m benchmarks.neighbours [--rows N]

Vectors are generated like those of encoders: 384 dimensions, stories of all sizes around directions that share topics.
Every pair is compared for a sample of the rows and the time scaled up, which is exact: all rows cost the same.
The last line is one JSON object.
"""

import argparse
import json
import re
import time
from pathlib import Path

import numpy as np

from headwater.stories.clustering.neighbours import nearest_neighbours
from headwater.stories.clustering.similarity import normalise_rows

NEAREST = 10
SAMPLE = 4096
BLOCK = 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    vectors = invented(parser.parse_args().rows)
    before = peak_memory()
    start = time.perf_counter(), time.process_time()
    neighbours = nearest_neighbours(vectors, NEAREST)
    ours = time.perf_counter() - start[0], time.process_time() - start[1]
    memory = peak_memory()
    sample = np.random.default_rng(1).permutation(len(vectors))[:SAMPLE]
    theirs, true = blocked(vectors, sample)
    hits = [len(set(a) & set(b)) for a, b in zip(neighbours.positions[sample].tolist(), true, strict=True)]
    figures = {
        "rows": len(vectors),
        "ours_s": round(ours[0], 1),
        "blocked_numpy_s": round(theirs[0], 1),
        "times": round(theirs[0] / ours[0], 1),
        "times_cpu": round(theirs[1] / ours[1], 1),
        "recall": round(sum(hits) / (NEAREST * len(sample)), 4),
        "vectors_mb": round(vectors.nbytes / 2**20),
        "memory_before_mb": round(before),
        "memory_mb": round(memory),
    }
    for name, value in figures.items():
        print(f"  {name:<20}{value:>12}")
    print(json.dumps(figures))


def invented(rows: int) -> np.ndarray:
    chance = np.random.default_rng(7)
    topics = chance.normal(size=(40, 384))
    count = rows // 12
    stories = topics[chance.integers(0, 40, count)] + 1.2 * chance.normal(size=(count, 384))
    weights = chance.pareto(1.2, count) + 0.3
    story_numbers = chance.choice(count, rows, p=weights / weights.sum())
    vectors = np.empty((rows, 384), dtype=np.float32)
    for start in range(0, rows, 10_000):
        part = story_numbers[start : start + 10_000]
        vectors[start : start + 10_000] = stories[part] + 1.3 * chance.normal(size=(len(part), 384))
    return normalise_rows(vectors)


def blocked(vectors: np.ndarray, sample: np.ndarray) -> tuple[tuple[float, float], list[list[int]]]:
    """Seconds for all rows (wall and CPU time), and the true neighbours of the sampled ones."""
    start, true = (time.perf_counter(), time.process_time()), []
    for at in range(0, len(sample), BLOCK):
        rows = sample[at : at + BLOCK]
        similarity = vectors[rows] @ vectors.T
        similarity[np.arange(len(rows)), rows] = -1
        true += np.argpartition(similarity, -NEAREST, axis=1)[:, -NEAREST:].tolist()
    scale = len(vectors) / len(sample)
    return (scale * (time.perf_counter() - start[0]), scale * (time.process_time() - start[1])), true


def peak_memory() -> float:
    return int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1]) / 1024


if __name__ == "__main__":
    main()
