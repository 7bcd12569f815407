"""Stories told in many languages: `python -m benchmarks.story_languages --data DIR [--tables FILE]`. The last line is JSON.

DIR holds `parallel/ntrex-dev.jsonl.xz`: each news document is a story, told once in each language, as a headline, in whole, or with
other sentences in each language. Only the documents that `training.languages` holds out are used. The shipped tables have seen
them; `--tables` names the file that `training.languages --half FILE` wrote, which has not. Needs the extra nlp.
"""

import argparse
import json
import tempfile
from dataclasses import replace
from pathlib import Path

from training.languages import code_of, is_held_out, read_lines

from benchmarks.stories import bcubed_scores
from headwater.documents.embedding.encoder import open_encoder
from headwater.documents.embedding.language_tables import FILE, load_language_tables
from headwater.stories.clustering.cluster_items import cluster_items
from headwater.stories.clustering.similarity import ENCODER_TOKENS, StoryItem
from headwater.stories.item_vectors import item_vectors

LANGUAGES = {
    "ten large": ["en", "es", "de", "fr", "it", "pt", "ru", "ar", "zh", "ja"],
    "twelve": ["en", "es", "ru", "uk", "ro", "el", "he", "hi", "vi", "fa", "hu", "cs"],
    "fourteen small": ["uk", "ro", "cs", "sv", "hu", "el", "he", "fa", "hi", "vi", "eu", "ca", "bg", "sr"],
}
KINDS = ("headline", "whole", "part")
PARTS = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--tables", type=Path, default=FILE)
    options = parser.parse_args()
    documents = [
        (line["document"], code_of(line["language"]), [text.strip() for text in line["sentences"]])
        for line in read_lines(options.data / "parallel" / "ntrex-dev.jsonl.xz")
        if is_held_out(line["document"])
    ]
    with tempfile.TemporaryDirectory() as folder:
        encoder = open_encoder(Path(folder), "multilingual", max_tokens=ENCODER_TOKENS)
        encoder = replace(encoder, tables=load_language_tables(options.tables))
        figures = {
            f"{name}, {kind}": measure(documents, languages, kind, encoder)
            for name, languages in LANGUAGES.items()
            for kind in KINDS
        }
    for name, value in figures.items():
        print(f"{name:<30}{value:>8.3f}")
    print(json.dumps(figures))


def measure(
    documents: list[tuple[str, str, list[str]]], languages: list[str], kind: str, encoder: object
) -> float:
    chosen = [row for row in documents if row[1] in languages]
    items = [
        story_item(str(number), code, sentences, kind, languages.index(code) % PARTS)
        for number, (_, code, sentences) in enumerate(chosen)
    ]
    labels = [0] * len(items)
    for number, cluster in enumerate(cluster_items(items, item_vectors(items, encoder))):
        for position, _ in cluster.members:
            labels[position] = number
    return float(bcubed_scores([document for document, *_ in chosen], labels)["f1"])


def story_item(name: str, code: str, sentences: list[str], kind: str, part: int) -> StoryItem:
    if kind == "part":
        sentences = sentences[part::PARTS] or sentences
    text = "" if kind == "headline" else " ".join(sentences[1:])
    return StoryItem(id=name, title=sentences[0], text=text, language=code)


if __name__ == "__main__":
    main()
