"""Quality of story clustering, compared with the reference profile on the same vectors in the same run.

    python -m benchmarks.stories --data DIR [--rows N]

DIR holds `stories/headlines.jsonl.gz` and `summaries/validation.jsonl.gz`. The gold stories are divided in two halves by a
hash of their name, six times with different salts; each half yields a sample of 864 headlines. The defaults are fixed, so
each of the twelve is measured as it is; they were chosen on samples of this kind and on long texts, so none is a clean test. The
file's order is never used. Small groups hold one to thirteen stories of one to thirty headlines each, as a flashpoint does;
nothing was chosen on them. Long texts are of two kinds: consecutive parts of one article are a story, and reports that each
contain a third of one article's sentences are. The column "known" is not a clustering: it puts each document into the
story of its five nearest, with the stories of all others given, and shows what the vectors can distinguish at all. The second part shows
how cost grows with invented vectors. The last line is one JSON object.
"""

import argparse
import gzip
import hashlib
import json
import random
import re
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from benchmarks.neighbours import invented, peak_memory
from headwater.documents.embedding.encoder import open_encoder
from headwater.documents.embedding.models import nlp_installed
from headwater.stories.clustering.cluster_items import cluster_items
from headwater.stories.clustering.neighbours import nearest_neighbours
from headwater.stories.clustering.similarity import ENCODER_TOKENS, StoryItem, vectorise
from headwater.stories.clustering.threshold import HYBRID
from headwater.stories.clustering.windows import cluster_vectors

SAMPLE, SALTS, LARGE = 864, "abcdef", 50
STORIES_OF_A_GROUP, HEADLINES_OF_A_STORY = (1, 2, 3, 5, 8, 13), (1, 2, 5, 12, 30)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--rows", type=int, default=100_000, help="vectors for the cost; 0 skips it")
    options = parser.parse_args()
    corpora = {**headlines(options.data), **pieces(options.data)}
    with tempfile.TemporaryDirectory() as folder:
        encode = open_encoder(Path(folder), "english", max_tokens=ENCODER_TOKENS) if nlp_installed() else None
        texts = sorted({item.encoder_text for items, _ in corpora.values() for item in items})
        vectors = dict(zip(texts, encode(texts), strict=True)) if encode else {}
    figures = {name: measure(items, gold, vectors) for name, (items, gold) in corpora.items()}
    show(figures)
    print(json.dumps({**headline_figures(figures), **(growth(options.rows) if options.rows else {})}))


def headlines(data: Path) -> dict[str, tuple[list[StoryItem], list[str]]]:
    with gzip.open(data / "stories" / "headlines.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    random.Random(1).shuffle(rows)
    corpora = {f"half {half}": [r for r in rows if half_of(r["story"]) == half] for half in (0, 1)}
    corpora["all"] = rows
    for salt in SALTS:
        for half in (0, 1):
            part = [r for r in rows if half_of(r["story"], salt) == half]
            corpora[f"sample {salt}.{half}"] = sample_headlines(part, ord(salt))
    for number, stories in enumerate(STORIES_OF_A_GROUP * 4):
        corpora[f"group {number}"] = sample_group(rows, stories, random.Random(f"group {number}"))
    return {
        name: (
            [StoryItem(id=f"{n}", title=r["title"]) for n, r in enumerate(part)],
            [r["story"] for r in part],
        )
        for name, part in corpora.items()
    }


def half_of(story: str, salt: str = "") -> int:
    return hashlib.sha256(f"{salt}{story}".encode()).digest()[0] % 2


def sample_headlines(rows: list[dict], seed: int) -> list[dict]:
    """864 headlines, as evenly from the stories as their sizes allow."""
    mixed = random.Random(seed).sample(rows, len(rows))
    turns: dict[str, int] = Counter()
    ranked = []
    for row in mixed:
        turns[row["story"]] += 1
        ranked.append((turns[row["story"]], len(ranked), row))
    return [row for *_, row in sorted(ranked, key=lambda r: r[:2])[:SAMPLE]]


def sample_group(rows: list[dict], stories: int, chance: random.Random) -> list[dict]:
    """Headlines of this many stories."""
    by_story: dict[str, list[dict]] = defaultdict(list)
    for row in rows:
        by_story[row["story"]].append(row)
    sampled_rows = []
    for story in chance.sample(sorted(by_story), stories):
        headlines_of_story = by_story[story]
        sampled_rows += chance.sample(
            headlines_of_story, min(len(headlines_of_story), chance.choice(HEADLINES_OF_A_STORY))
        )
    return chance.sample(sampled_rows, len(sampled_rows))


def pieces(data: Path) -> dict[str, tuple[list[StoryItem], list[str]]]:
    """Long texts: articles in one to ten parts, and articles as up to twelve reports."""
    with gzip.open(data / "summaries" / "validation.jsonl.gz", "rt", encoding="utf-8") as lines:
        articles = [json.loads(line)["article"] for line in lines]
    chance = random.Random(5)
    by_size: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for number, article in enumerate(articles):
        sentences = sentences_of(article)
        count = min(chance.choice([1, 1, 1, 2, 2, 3, 4, 6, 8, 10]), max(1, len(sentences) // 4))
        edges = [n * len(sentences) // count for n in range(count + 1)]
        parts = [" ".join(sentences[a:b]) for a, b in pairwise(edges)]
        by_size["long, small stories" if count <= 4 else "long, large stories"] += [
            (part, str(number)) for part in parts
        ]
    by_size["long, reports"] = reports(articles)
    return {
        name: (
            [StoryItem(id=f"{n}", title=part[:90], text=part) for n, (part, _) in enumerate(labelled_parts)],
            [story for _, story in labelled_parts],
        )
        for name, labelled_parts in by_size.items()
    }


def sentences_of(article: str) -> list[str]:
    return [s for s in re.split(r"(?<=[.!?])\s+(?=[A-Z])", article) if len(s) > 20]


def reports(articles: list[str]) -> list[tuple[str, str]]:
    """Most articles stand alone; the others appear several times, each time with a third of their sentences."""
    chance, labelled_reports = random.Random(3), []
    for number, article in enumerate(chance.sample(articles, min(350, len(articles)))):
        sentences = sentences_of(article)
        times = min(int(chance.paretovariate(0.9)), 12)
        for _ in range(times):
            share = len(sentences) if times == 1 else min(len(sentences), max(3, len(sentences) // 3))
            positions = sorted(chance.sample(range(len(sentences)), share))
            labelled_reports.append((" ".join(sentences[n] for n in positions), str(number)))
    return [report for report in labelled_reports if report[0]]


def measure(items: list[StoryItem], gold: list[str], vectors: dict[str, np.ndarray]) -> dict[str, object]:
    meanings = np.array([vectors[item.encoder_text] for item in items]) if vectors else None
    figures: dict[str, object] = {"documents": len(items), "stories": len(set(gold))}
    ways = {"words": (None, "default")}
    if meanings is not None:
        ways = {"default": (meanings, "default"), "reference": (meanings, "reference"), **ways}
    for name, (vectors_used, profile) in ways.items():
        start = time.process_time()
        labels = [0] * len(items)
        for number, cluster in enumerate(cluster_items(items, vectors_used, profile=profile)):
            for position, _ in cluster.members:
                labels[position] = number
        figures[name] = {**bcubed_scores(gold, labels), "s": round(time.process_time() - start, 2)}
    figures["known"] = bcubed_scores(
        gold, stories_by_known_neighbours(vectorise(items, meanings).vectors, gold)
    )
    return figures


def stories_by_known_neighbours(vectors: np.ndarray, gold: Sequence[str]) -> list[str]:
    """Each document in the story that its five nearest have most of, by their similarity."""
    near, predicted = nearest_neighbours(vectors, 5), []
    for own_story, around, alike in zip(
        gold, near.positions.tolist(), near.similarities.tolist(), strict=True
    ):
        votes: dict[str, float] = Counter()
        for position, similarity in zip(around, alike, strict=True):
            votes[gold[position]] += similarity
        predicted.append(max(votes, key=lambda story: votes[story], default=own_story))
    return predicted


def bcubed_scores(gold: Sequence[str], clusters: Sequence[object]) -> dict[str, float]:
    """B-cubed scores; the most gold stories in one cluster over 50 (any, with three members each, with a twentieth of the
    cluster each); the number of such clusters, and of those with more than three gold stories."""
    pairs, true, ours = Counter(zip(gold, clusters, strict=True)), Counter(gold), Counter(clusters)
    precision = sum(n * n / ours[cluster] for (_, cluster), n in pairs.items()) / len(gold)
    recall = sum(n * n / true[story] for (story, _), n in pairs.items()) / len(gold)
    spans, solid, shares = Counter(), Counter(), Counter()
    for (_, cluster), n in pairs.items():
        if ours[cluster] > LARGE:
            spans[cluster] += 1
            solid[cluster] += n >= 3
            shares[cluster] += 20 * n >= ours[cluster]
    return {
        "f1": round(2 * precision * recall / (precision + recall), 4),
        "precision": round(precision, 4),
        "recall": round(recall, 4),
        "spans": max(spans.values(), default=0),
        "spans_of_three": max(solid.values(), default=0),
        "spans_of_a_twentieth": max(shares.values(), default=0),
        "large": len(spans),
        "large_over_three": sum(count > 3 for count in spans.values()),
        "large_over_three_of_three": sum(count > 3 for count in solid.values()),
    }


def show(figures: dict[str, dict]) -> None:
    print(
        f"{'corpus':<22}{'docs':>6}{'gold':>6}{'default':>9}{'words':>8}{'reference':>11}{'known':>8}"
        f"{'spans':>7}{'CPU s':>7}"
    )
    for name, row in figures.items():
        best = row.get("default", row["words"])
        ways = ("default", "words", "reference", "known")
        scores = [f"{row[way]['f1']:.3f}" if way in row else "–" for way in ways]
        print(
            f"{name:<22}{row['documents']:>6}{row['stories']:>6}{scores[0]:>9}{scores[1]:>8}{scores[2]:>11}{scores[3]:>8}"
            f"{best['spans']:>4}/{best['spans_of_three']}{best['s']:>8}"
        )


def headline_figures(figures: dict[str, dict]) -> dict[str, object]:
    way = "default" if "default" in figures["all"] else "words"
    samples = [row[way]["f1"] for name, row in figures.items() if name.startswith("sample")]
    means = {
        f"f1_{kind}s_{each}": round(
            float(np.mean([r[each]["f1"] for n, r in figures.items() if kind in n])), 4
        )
        for kind in ("sample", "group")
        for each in ("default", "words", "reference", "known")
        if each in figures["all"]
    }
    kinds = ("half 0", "half 1", "all", "long, small stories", "long, large stories", "long, reports")
    return {
        "way": way,
        "f1_864": round(float(np.mean(samples)), 4),
        "f1_864_least": min(samples),
        "f1_864_most": max(samples),
        **{f"f1_{name.replace(', ', '_').replace(' ', '_')}": figures[name][way]["f1"] for name in kinds},
        **means,
        **{name: count for name, count in figures["all"][way].items() if name.startswith(("spans", "large"))},
    }


def growth(rows: int) -> dict[str, object]:
    """CPU and memory of clustering beyond the window; n log n would yield the ratio in the last column."""
    print(f"\n{'rows':>8}{'CPU s':>9}{'peak MB':>9}")
    costs = {}
    for size in (rows // 4, rows):
        vectors = invented(size)
        start = time.process_time()
        cluster_vectors(vectors, np.full(size, np.nan, dtype=np.float32), HYBRID)
        costs[size] = time.process_time() - start
        print(f"{size:>8}{costs[size]:>9.1f}{peak_memory():>9.0f}")
    small, large = costs
    grown = costs[large] / costs[small]
    allowed = large * np.log(large) / (small * np.log(small))
    print(f"grown {grown:.2f} times; n log n grows {allowed:.2f} times")
    return {"growth": round(grown, 2), "n_log_n": round(float(allowed), 2), "peak_mb": round(peak_memory())}


if __name__ == "__main__":
    main()
