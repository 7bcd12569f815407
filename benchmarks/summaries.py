"""Extractive summaries of three sentences: ROUGE-1 against the first three sentences, speed against LexRank.

    python -m benchmarks.summaries --data DIR

DIR holds `summaries/validation.jsonl.gz`. The weights were trained on these articles: `python -m training.summaries` prints the figure
for articles that they were not trained on.
LexRank is that of sumy where it is installed (with our sentences and words: its own need a download), otherwise the
textbook version in NumPy. Set OMP_NUM_THREADS=1: CPU time counts the idle threads of NumPy. The last line is one JSON object.
"""

import argparse
import gzip
import json
import re
import time
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from headwater.stories.extractive_summary import SummarySource, summarise
from headwater.stories.terms import count_terms
from headwater.text.sentences import split_sentences

COUNT = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    with gzip.open(parser.parse_args().data / "summaries" / "validation.jsonl.gz", "rt") as lines:
        rows = [json.loads(line) for line in lines]
    name, peer = lexrank()
    figures = {"headwater": run(ours, rows), "lead-3": run(lead, rows), name: run(peer, rows)}
    print(f"{'':<20}{'ROUGE-1':>9}{'odd ones':>10}{'ms':>8}")
    for way, row in figures.items():
        print(f"{way:<20}{row['rouge1']:>9.4f}{row['rouge1_odd']:>10.4f}{row['ms']:>8.2f}")
    print(
        json.dumps({**figures, "times_lexrank": round(figures[name]["ms"] / figures["headwater"]["ms"], 1)})
    )


def run(summary: Callable[[str], list[str]], rows: list[dict]) -> dict[str, float]:
    summary(rows[0]["article"])
    start = time.process_time()
    summaries = [summary(row["article"]) for row in rows]
    cost = 1000 * (time.process_time() - start) / len(rows)
    scores = [rouge(" ".join(t), row["highlights"]) for t, row in zip(summaries, rows, strict=True)]
    return {
        "rouge1": round(float(np.mean(scores)), 4),
        "rouge1_odd": round(float(np.mean(scores[1::2])), 4),
        "ms": round(cost, 3),
    }


def rouge(summary: str, reference: str) -> float:
    a, b = (Counter(re.findall(r"\w+", text.lower())) for text in (summary, reference))
    return 2 * (a & b).total() / max(1, a.total() + b.total())


def ours(article: str) -> list[str]:
    return [claim.text for claim in summarise([SummarySource("a", article)], COUNT)]


def lead(article: str) -> list[str]:
    return split_sentences(article)[:COUNT]


def lexrank() -> tuple[str, Callable[[str], list[str]]]:
    if find_spec("sumy") is None:
        return "LexRank (NumPy)", textbook
    parser = import_module("sumy.parsers.plaintext").PlaintextParser
    summarizer = import_module("sumy.summarizers.lex_rank").LexRankSummarizer()

    class Words:
        def to_sentences(self, text):
            return split_sentences(text)

        def to_words(self, sentence):
            return re.findall(r"\w+", sentence.lower())

    def run_sumy(article: str) -> list[str]:
        return [str(s) for s in summarizer(parser.from_string(article, Words()).document, COUNT)]

    return "LexRank (sumy)", run_sumy


def textbook(article: str) -> list[str]:
    """Cosines of TF-IDF above 0.1 as a graph, its stationary distribution by power iteration."""
    sentences = split_sentences(article)
    bags = [count_terms(sentence) for sentence in sentences]
    places = {term: n for n, term in enumerate(sorted({t for bag in bags for t in bag}))}
    rows = np.zeros((len(sentences), len(places)))
    for number, bag in enumerate(bags):
        for term, count in bag.items():
            rows[number, places[term]] = count
    rows *= np.log(len(sentences) / np.maximum(1, (rows > 0).sum(axis=0)))
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    linked = (rows @ rows.T > 0.1).astype(float) + np.eye(len(sentences))
    linked /= linked.sum(axis=1, keepdims=True)
    rank = np.full(len(sentences), 1 / len(sentences))
    for _ in range(100):
        rank = 0.15 / len(sentences) + 0.85 * linked.T @ rank
    return [sentences[n] for n in sorted(np.argsort(-rank, kind="stable")[:COUNT])]


if __name__ == "__main__":
    main()
