"""Makes the table of words that the section classifier reads: `python -m training.word_meaning`. Needs the extra nlp.

The words are those of our own pages and headings, and the most usual whole words among the pieces of the multilingual encoder; their
vectors are the encoder's, reduced to the directions that tell the classes of sections apart. Batches that are held out give neither
words nor directions."""

import json
import random
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from headwater.documents.embedding.build import MULTILINGUAL, build_encoder
from headwater.documents.embedding.encoder import open_encoder
from headwater.documents.embedding.models import TOKENIZER
from headwater.text.folding import fold_text
from headwater_recipes.procedures.sections.classifier import CLASSES, MEANING_LINES, MEANING_SCALE
from headwater_recipes.procedures.sections.word_meaning import (
    DIMENSIONS,
    MOST_WORDS,
    STEM,
    WORDS,
    stem_key,
    word_key,
)
from training.section_bodies import TEXTS
from training.section_headings import HEADINGS, headings
from training.sections import BLIND, Section, composed_sections, fit, labelled_sections, say

WORD = re.compile(r"[^\W\d_]+")
PIECE = re.compile(r"[a-záéíóúàèìòùïüñç]{3,}")
MOST_PIECES, LARGEST_INT8, ENCODED = 16_000, 127, 512
Rarity = Callable[[str], float]


def texts(sections: Sequence[Section]) -> Iterator[tuple[str, str]]:
    """(language, text) of everything whose words the table has."""
    for section in sections:
        yield section.language, section.title
        yield from ((section.language, line.text) for line in section.lines)
    for name, by_language in HEADINGS.items():
        yield from ((language, text) for language in by_language for text in headings(name, language))
    for by_language in TEXTS.values():
        yield from by_language.items()


def usual_pieces(tokenizer: Path) -> list[str]:
    """Whole words in Latin letters among the pieces, the most usual first."""
    pieces = (piece for piece, *_ in json.loads(tokenizer.read_text(encoding="utf-8"))["model"]["vocab"])
    words = (piece[1:] for piece in pieces if piece.startswith("▁"))
    return [word for word in words if PIECE.fullmatch(word)][:MOST_PIECES]


def main() -> None:
    sections = [section for section in labelled_sections() if section.batch not in BLIND]
    languages: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for language, text in texts(sections):
        words = set(WORD.findall(text.lower()))
        counts.update(map(fold_text, words))
        for word in words:
            languages.setdefault(word, language)
    with tempfile.TemporaryDirectory() as folder:
        encoder = open_encoder(Path(folder))
        for piece in usual_pieces(build_encoder(Path(folder), MULTILINGUAL) / TOKENIZER):
            languages.setdefault(piece, "es")
        vectors = encoder(list(languages), list(languages.values()))
    total = sum(counts.values())

    def rarity(word: str) -> float:
        return float(np.log(1 + total / (1 + counts[word])))

    learned = [*sections, *composed_sections()]
    table = reduced(vectors, list(languages), learned, rarity)
    write_table(dict(zip(languages, table, strict=True)), rarity)


def reduced(
    vectors: np.ndarray, words: Sequence[str], sections: Sequence[Section], rarity: Rarity
) -> np.ndarray:
    """The vectors along the directions in which headings, texts and first lines of different classes differ: those of the weights
    of a classifier that has the whole vectors."""
    centred = vectors - vectors.mean(0)
    rows = dict(zip(map(fold_text, words), centred, strict=True))
    rng = random.Random(5)  # noqa: S311 - the same rows every time
    samples: list[np.ndarray] = []
    for section in sections:
        titles = [section.title, *rng.sample(headings(section.name, section.language), 2)]
        lines = [line.text for line in section.lines]
        below = [mean_vector(text, rows, rarity) for text in (" ".join(lines[:MEANING_LINES]), lines[0])]
        samples += [np.concatenate([mean_vector(title, rows, rarity), *below]) for title in titles]
    targets = np.repeat([CLASSES.index(section.name) for section in sections], 3)
    weights, _ = fit(csr_matrix(np.array(samples, dtype=np.float32) * MEANING_SCALE), targets)
    by_word = np.hstack(np.split(weights, 3))
    directions, _, _ = np.linalg.svd(by_word, full_matrices=False)
    reduced_vectors: np.ndarray = centred @ directions[:, :DIMENSIONS]
    return reduced_vectors


def mean_vector(text: str, rows: Mapping[str, np.ndarray], rarity: Rarity) -> np.ndarray:
    words = [word for word in fold_text(text).split()[:MOST_WORDS] if word in rows]
    total = sum((rarity(word) * rows[word] for word in words), np.zeros(ENCODED))
    return total / max(float(np.linalg.norm(total)), 1e-9)


def write_table(vectors: Mapping[str, np.ndarray], rarity: Rarity) -> None:
    by_key: dict[int, list[np.ndarray]] = defaultdict(list)
    weights: dict[int, float] = {}
    for word, vector in vectors.items():
        folded = fold_text(word)
        keys = [word_key(folded), *([stem_key(folded)] if len(folded) >= STEM else [])]
        for key in keys:
            by_key[key].append(vector)
            weights[key] = min(rarity(folded), weights.get(key, rarity(folded)))
    ordered = sorted(by_key)
    rows = np.array([np.mean(by_key[key], axis=0) for key in ordered])
    largest = np.quantile(np.abs(rows), 0.999)
    np.savez_compressed(
        WORDS,
        keys=np.array(ordered, dtype=np.uint32),
        vectors=np.clip(np.round(rows / largest * LARGEST_INT8), -LARGEST_INT8, LARGEST_INT8).astype(np.int8),
        weights=np.array([weights[key] for key in ordered], dtype=np.float16),
    )
    say(len(ordered), "words and stems,", f"{WORDS.stat().st_size / 1024:.0f} KiB")


if __name__ == "__main__":
    main()
