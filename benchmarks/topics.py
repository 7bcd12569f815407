"""Topics of articles that nothing was trained on: `python -m benchmarks.topics --data DIR`. The last line is one JSON object.

DIR holds `stories/events.jsonl.xz` and `stories/events-topics.jsonl` (a first and, for some, a second code), and
`parallel/ntrex-dev.jsonl.xz`: 63 news documents in 44 languages beside English, whose codes stand in `topics-of-languages.tsv`,
given by the same guideline before anything was measured. An abstention counts as wrong. Needs the extra nlp.
"""

import argparse
import json
import tempfile
from pathlib import Path

from training.languages import code_of, read_lines
from training.topics import measure_articles, read_articles

from headwater.documents.embedding.build import MULTILINGUAL
from headwater.documents.embedding.encoder import Encoder, open_encoder
from headwater.stories.clustering.similarity import ENCODER_TOKENS, StoryItem
from headwater.stories.item_vectors import item_vectors, with_languages
from headwater.stories.topics.classifier import hashed_words, topic_features
from headwater.stories.topics.classify import classify_by_vectors
from headwater.stories.topics.media_topics import UNKNOWN_TOPIC
from headwater.stories.topics.model_file import load_classifier, load_word_classifier

LABELS = Path(__file__).with_name("topics-of-languages.tsv")
SIXTEEN = frozenset(
    ["ar", "zh", "nl", "en", "de", "fr", "it", "pt", "es", "ja", "ko", "ru", "pl", "th", "tr", "id"]
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    data = parser.parse_args().data
    texts, codes = read_articles(data)
    with tempfile.TemporaryDirectory() as folder:
        encoder = open_encoder(Path(folder), MULTILINGUAL.name, max_tokens=ENCODER_TOKENS)
        vectors, by_language = encoder(texts), measure_languages(data, encoder)
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
    figures |= by_language
    for name, row in figures.items():
        print(f"{name:<20}", "  ".join(f"{figure} {value:.3f}" for figure, value in row.items()))
    print(json.dumps(figures))


def measure_languages(data: Path, encoder: Encoder) -> dict[str, dict[str, float]]:
    """Documents in other languages: those of the encoder itself, and those that reach it through a table or not at all."""
    labels = {
        name: (f"{first}000000", f"{second[0]}000000" if second else "")
        for name, first, *second in (line.split("\t") for line in LABELS.read_text().splitlines())
    }
    figures = {}
    lines = [
        line for line in read_lines(data / "parallel" / "ntrex-dev.jsonl.xz") if line["language"] != "eng"
    ]
    for name, of_encoder in (("languages of the encoder", True), ("other languages", False)):
        part = [line for line in lines if (code_of(line["language"]) in SIXTEEN) == of_encoder]
        items = with_languages(
            [
                StoryItem(
                    id=str(number), title=line["sentences"][0].strip(), text=" ".join(line["sentences"][1:])
                )
                for number, line in enumerate(part)
            ]
        )
        topics = classify_by_vectors(items, item_vectors(items, encoder), encoder.name)
        right = [topic.code in labels[line["document"]] for topic, line in zip(topics, part, strict=True)]
        unknown = [topic.code == UNKNOWN_TOPIC for topic in topics]
        figures[name] = {
            "documents": len(part),
            "right": round(sum(right) / len(right), 3),
            "abstained": round(sum(unknown) / len(right), 3),
        }
    return figures


if __name__ == "__main__":
    main()
