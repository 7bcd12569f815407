"""Stories within one flashpoint: `python -m benchmarks.flashpoints --data DIR [--model NAME]`. The last line is JSON (B-cubed F1).

DIR holds `stories/events.jsonl.xz`: full articles of events, with the affair to which each event belongs. Each affair is
clustered alone, as a flashpoint is; `together` scores them as one. The gold has two monthly round-ups of one affair as stories of 44
articles about as many events, which no clustering of events can find: "without round-ups" leaves those articles out. Needs the
extra nlp, or scores words alone.
"""

import argparse
import json
import lzma
import tempfile
from collections import defaultdict
from pathlib import Path

from benchmarks.stories import bcubed_scores
from headwater.documents.embedding.encoder import open_encoder
from headwater.documents.embedding.models import nlp_installed
from headwater.stories.clustering.cluster_items import cluster_items
from headwater.stories.clustering.roundups import is_roundup
from headwater.stories.clustering.similarity import ENCODER_TOKENS, StoryItem
from headwater.stories.item_vectors import TextEncoder, item_vectors, with_languages

ORIGIN = "wikinews"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", default="multilingual")
    options = parser.parse_args()
    with lzma.open(options.data / "stories" / "events.jsonl.xz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    affairs: dict[str, list[dict]] = defaultdict(list)
    for row in rows:
        affairs[row["group"]].append(row)
        if not is_roundup(row["story"].partition(ORIGIN)[0]):
            affairs[f"{row['group']}, without round-ups"].append(row)
    with tempfile.TemporaryDirectory() as folder:
        encoder = (
            open_encoder(Path(folder), options.model, max_tokens=ENCODER_TOKENS) if nlp_installed() else None
        )
        labels = {name: story_labels(part, encoder) for name, part in affairs.items()}
    figures = {name: f1([row["story"] for row in part], labels[name]) for name, part in affairs.items()}
    for ending in ("", ", without round-ups"):
        parts = [(name, part) for name, part in affairs.items() if name.endswith("round-ups") == bool(ending)]
        gold = [row["story"] for _, part in parts for row in part]
        figures[f"together{ending}"] = f1(gold, [label for name, _ in parts for label in labels[name]])
        figures[f"mean{ending}"] = round(sum(figures[name] for name, _ in parts) / len(parts), 4)
    for name, value in figures.items():
        print(f"{name:<36}{value:>7.3f}")
    print(json.dumps(figures))


def story_labels(rows: list[dict], encoder: TextEncoder | None) -> list[tuple[str, int]]:
    items = with_languages([StoryItem(id=row["id"], title=row["title"], text=row["text"]) for row in rows])
    labels = [("", 0)] * len(items)
    clusters = cluster_items(items, None if encoder is None else item_vectors(items, encoder))
    for number, cluster in enumerate(clusters):
        for position, _ in cluster.members:
            labels[position] = (rows[position]["group"], number)
    return labels


def f1(gold: list[str], labels: list[tuple[str, int]]) -> float:
    return bcubed_scores(gold, labels)["f1"]


if __name__ == "__main__":
    main()
