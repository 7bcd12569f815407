"""Stories of the demo's news, whose events are known: `python -m benchmarks.demo_stories [--models FOLDER]`. The last line is JSON.

The articles of the sites that the tutorial follows, of those that the recipe `news` follows in `headwater demo run`, and of all. Every
article of the demo is an event of its own, apart from edited copies: news of one field in the same sentences, which common words
would join. `copies`: without the recognition of duplicates before. B-cubed precision, recall and F1, and the largest story. `words` is
the default installation; with `--models`, where the encoder is kept, also `meaning` (the extra nlp).
"""

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.stories import bcubed_scores
from headwater.documents.embedding.encoder import open_encoder
from headwater.model.recipe import Cluster
from headwater.stories.clustering.cluster_items import cluster_items
from headwater.stories.clustering.similarity import ENCODER_TOKENS, StoryItem
from headwater.stories.item_vectors import item_vectors
from headwater_demo.clock import START
from headwater_demo.newsroom import Newsroom

TUTORIAL = ("ledgerlane", "blockharbour", "cadenaclara", "tokentribune")
NEWS = ("hashfield", "kettenkurier", "tokentribune")
CORPORA = {
    "tutorial": ("small", TUTORIAL),
    "news demo": ("full", NEWS),
    "all, small": ("small", ()),
    "all, full": ("full", ()),
}
Method = Callable[[Sequence[StoryItem]], Sequence[Cluster]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=Path, help="the folder of models of the method `meaning`")
    options = parser.parse_args()
    methods: dict[str, Method] = {"words": cluster_items}
    if options.models:
        encoder = open_encoder(options.models, "multilingual", max_tokens=ENCODER_TOKENS)
        methods["meaning"] = lambda items: cluster_items(items, item_vectors(items, encoder))
    figures = {}
    for name, (size, sites) in CORPORA.items():
        for form, with_copies in ((name, False), (f"{name}, copies", True)):
            items, events = labelled_articles(size, sites, with_copies=with_copies)
            for method, cluster in methods.items():
                figures[f"{method}: {form}"] = measure(items, events, cluster)
    for name, values in figures.items():
        print(f"{name:<28}" + "  ".join(f"{key} {value}" for key, value in values.items()))
    print(json.dumps(figures))


def labelled_articles(
    size: str, sites: Sequence[str], *, with_copies: bool
) -> tuple[list[StoryItem], list[str]]:
    """The articles, oldest first, and the event of each. Without copies, the first of each event."""
    newsroom, items, events = Newsroom(seed=7, size=size, start=START), list[StoryItem](), list[str]()
    for article in reversed(newsroom.articles(START)):
        is_wanted = not sites or article.host.removesuffix(".example") in sites
        if not is_wanted or (article.story in events and not with_copies):
            continue
        text = "\n\n".join(article.paragraphs)
        items.append(
            StoryItem(
                id=article.id,
                title=article.title,
                text=text,
                published_at=article.published,
                language=article.language,
            )
        )
        events.append(article.story)
    return items, events


def measure(items: Sequence[StoryItem], events: Sequence[str], cluster: Method) -> dict[str, float]:
    labels, clusters = [0] * len(items), cluster(items)
    for number, members in enumerate(clusters):
        for position, _ in members.members:
            labels[position] = number
    scores = bcubed_scores(events, labels)
    return {
        "articles": len(items),
        "events": len(set(events)),
        **{name: scores[name] for name in ("precision", "recall", "f1")},
        "largest": max(len(members.members) for members in clusters),
    }


if __name__ == "__main__":
    main()
