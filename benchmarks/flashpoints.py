"""Stories within one flashpoint: `python -m benchmarks.flashpoints --data DIR [--model NAME] [--halves N]`. The last line is JSON
(B-cubed F1).

With `--halves`, each affair is also clustered N times with a random half of its events: the mean says how much of a figure depends on
which events are there.

With `--demo` instead of `--data`, the flashpoints of the demo: six languages, with and without copies and updates. A round-up is a
story of its own there.

DIR holds `stories/events.jsonl.xz`: full articles of events, with the affair to which each event belongs. Each affair is
clustered alone, as a flashpoint is; `together` scores them as one. The gold has two monthly round-ups of one affair as stories of 44
articles about as many events, which no clustering of events can find: "without round-ups" leaves those articles out. Needs the
extra nlp, or scores words alone.
"""

import argparse
import json
import lzma
import random
import tempfile
from collections import defaultdict
from datetime import timedelta
from pathlib import Path

from benchmarks.stories import bcubed_scores
from headwater.documents.embedding.encoder import open_encoder
from headwater.documents.embedding.models import nlp_installed
from headwater.stories.clustering.cluster_items import cluster_items
from headwater.stories.clustering.roundups import is_roundup
from headwater.stories.clustering.similarity import ENCODER_TOKENS, StoryItem
from headwater.stories.item_vectors import TextEncoder, item_vectors, with_languages
from headwater_demo.clock import START
from headwater_demo.flashpoints.flashpoint_list import reports_of

ORIGIN = "wikinews"
WITHOUT = ", without round-ups"
REPEATED = ("copy", "edited_copy", "update")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--demo", action="store_true")
    parser.add_argument("--model", default="multilingual")
    parser.add_argument("--halves", type=int, default=0)
    options = parser.parse_args()
    affairs = affairs_of_demo() if options.demo else affairs_of_events(options.data)
    with tempfile.TemporaryDirectory() as folder:
        encoder = (
            open_encoder(Path(folder), options.model, max_tokens=ENCODER_TOKENS) if nlp_installed() else None
        )
        labels = {name: story_labels(part, encoder) for name, part in affairs.items()}
        halves = {
            f"{name}, halves": mean_of_halves(part, encoder, options.halves)
            for name, part in affairs.items()
            if options.halves
        }
    figures = {name: f1([row["story"] for row in part], labels[name]) for name, part in affairs.items()}
    for ending in sorted({"".join(name.partition(",")[1:]) for name in affairs}):
        parts = [(name, part) for name, part in affairs.items() if "".join(name.partition(",")[1:]) == ending]
        gold = [row["story"] for _, part in parts for row in part]
        figures[f"together{ending}"] = f1(gold, [label for name, _ in parts for label in labels[name]])
        figures[f"mean{ending}"] = round(sum(figures[name] for name, _ in parts) / len(parts), 4)
    figures |= halves
    for name, value in figures.items():
        print(f"{name:<36}{value:>7.3f}")
    print(json.dumps(figures))


def affairs_of_events(data: Path) -> dict[str, list[dict]]:
    affairs: dict[str, list[dict]] = defaultdict(list)
    with lzma.open(data / "stories" / "events.jsonl.xz", "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            affairs[row["group"]].append(row)
            if not is_roundup(row["story"].partition(ORIGIN)[0]):
                affairs[row["group"] + WITHOUT].append(row)
    return affairs


def affairs_of_demo() -> dict[str, list[dict]]:
    affairs: dict[str, list[dict]] = defaultdict(list)
    for report in reports_of("full"):
        row = {
            "id": report.url,
            "title": report.title,
            "text": report.text,
            "language": report.language,
            "published_at": START + timedelta(hours=report.hours),
            "story": report.story or report.url,
            "group": report.flashpoint,
        }
        if report.hours <= 0:
            affairs[report.flashpoint].append(row)
            if report.kind not in REPEATED:
                affairs[f"{report.flashpoint}, without copies"].append(row)
    return affairs


def story_labels(rows: list[dict], encoder: TextEncoder | None) -> list[tuple[str, int]]:
    items = with_languages(
        [
            StoryItem(
                id=row["id"],
                title=row["title"],
                text=row["text"],
                language=row.get("language", ""),
                published_at=row.get("published_at"),
            )
            for row in rows
        ]
    )
    labels = [("", 0)] * len(items)
    clusters = cluster_items(items, None if encoder is None else item_vectors(items, encoder))
    for number, cluster in enumerate(clusters):
        for position, _ in cluster.members:
            labels[position] = (rows[position]["group"], number)
    return labels


def mean_of_halves(rows: list[dict], encoder: TextEncoder | None, count: int) -> float:
    """The mean F1 over random halves of the events, the same ones in every run."""
    events = sorted({row["story"] for row in rows})
    scores = []
    for seed in range(count):
        half = set(random.Random(seed).sample(events, max(2, len(events) // 2)))
        part = [row for row in rows if row["story"] in half]
        scores.append(f1([row["story"] for row in part], story_labels(part, encoder)))
    return round(sum(scores) / len(scores), 4)


def f1(gold: list[str], labels: list[tuple[str, int]]) -> float:
    return bcubed_scores(gold, labels)["f1"]


if __name__ == "__main__":
    main()
