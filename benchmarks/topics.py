"""Topics of articles that nothing was trained on: `python -m benchmarks.topics --data DIR`. The last line is one JSON object.

DIR holds `stories/events.jsonl.xz` and `stories/events-topics.jsonl` (a first and, for some, a second code); needs the extra nlp.
"""

import argparse
import json
import tempfile
from pathlib import Path

from training.topics import measure_articles, read_articles

from headwater.documents.embedding.build import MULTILINGUAL
from headwater.documents.embedding.encoder import open_encoder
from headwater.stories.clustering.similarity import ENCODER_TOKENS
from headwater.stories.topics.classifier import hashed_words, topic_features
from headwater.stories.topics.model_file import load_classifier, load_word_classifier


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    texts, codes = read_articles(parser.parse_args().data)
    with tempfile.TemporaryDirectory() as folder:
        vectors = open_encoder(Path(folder), MULTILINGUAL.name, max_tokens=ENCODER_TOKENS)(texts)
    by_vectors = load_classifier(MULTILINGUAL.name)
    figures = {
        "vectors and words": measure_articles(
            by_vectors, topic_features(texts, vectors, ["en"] * len(texts)), codes
        ),
        "vectors alone": measure_articles(
            by_vectors, topic_features(texts, vectors, [""] * len(texts)), codes
        ),
        "words alone": measure_articles(load_word_classifier(), hashed_words(texts), codes),
    }
    for name, row in figures.items():
        print(f"{name:<20}", "  ".join(f"{figure} {value:.3f}" for figure, value in row.items()))
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
