"""Makes the language tables of the multilingual encoder: `python -m training.languages --data DIR`.

DIR holds `parallel/pairs.jsonl.xz` (sentences with their English translation: FLORES, Tatoeba) and
`parallel/ntrex-dev.jsonl.xz` (news documents in 45 languages, sentence by sentence). Half of the news documents is held out
to measure; the tables that are shipped are then trained on all of it. Needs the extra nlp and NumPy.
"""

import argparse
import hashlib
import json
import lzma
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path

import numpy as np

from headwater.documents.embedding.encoder import open_encoder
from headwater.documents.embedding.language_tables import (
    ENGLISH,
    FILE,
    LanguageTable,
    LanguageTables,
    letter_groups,
    pack_levels,
)
from headwater.stories.terms import outline

NATIVE = [
    "ar",
    "de",
    "en",
    "es",
    "fr",
    "gl",
    "id",
    "it",
    "ja",
    "ko",
    "nl",
    "pl",
    "pt",
    "ru",
    "th",
    "tr",
    "zh",
]
"""The languages that the encoder knows; they need their mean only."""

TRAINED = [
    "uk",
    "ro",
    "cs",
    "sv",
    "hu",
    "el",
    "he",
    "fa",
    "hi",
    "vi",
    "eu",
    "ca",
    "bg",
    "sr",
    "da",
    "no",
    "fi",
    "sk",
    "hr",
    "sl",
    "et",
    "lv",
    "lt",
    "be",
]
HARD = ["uk", "hu", "el", "he", "fa", "hi", "vi"]
"""Languages of which the encoder knows little; their tables have more buckets."""

BUCKETS, BUCKETS_OF_HARD = 4096, 8192
CODES = {
    "ukr": "uk",
    "ron": "ro",
    "ces": "cs",
    "swe": "sv",
    "hun": "hu",
    "ell": "el",
    "heb": "he",
    "pes": "fa",
    "fas": "fa",
    "hin": "hi",
    "vie": "vi",
    "eus": "eu",
    "cat": "ca",
    "bul": "bg",
    "srp": "sr",
    "nld": "nl",
    "dan": "da",
    "nob": "no",
    "nb": "no",
    "fin": "fi",
    "slk": "sk",
    "hrv": "hr",
    "slv": "sl",
    "est": "et",
    "lav": "lv",
    "lvs": "lv",
    "lit": "lt",
    "bel": "be",
    "arb": "ar",
    "deu": "de",
    "fra": "fr",
    "glg": "gl",
    "ind": "id",
    "ita": "it",
    "jpn": "ja",
    "kor": "ko",
    "pol": "pl",
    "por": "pt",
    "rus": "ru",
    "spa": "es",
    "tha": "th",
    "tur": "tr",
    "zho": "zh",
    "eng": "en",
    "bos": "bs",
}
ENCODER_WORDS = 80
RANK = 256
RIDGE = 0.3
STEP = 0.498
"""Half of the distance between two of four levels, for the least error of normally distributed values."""

PASSAGE_STEP, PASSAGE_SIZES = 2, (2, 3, 4, 6)
LARGEST_INT8 = 127
REPORT = Path(__file__).parent / "languages-report.md"

Encode = Callable[[Sequence[str]], np.ndarray]


@dataclass(frozen=True)
class Pairs:
    """Sentences of one language with the vectors of both sides; `held_out` marks those of held-out documents."""

    texts: list[str]
    own: np.ndarray
    english: np.ndarray
    held_out: np.ndarray
    is_news: np.ndarray

    def where(self, chosen: np.ndarray) -> "Pairs":
        texts = [text for text, is_chosen in zip(self.texts, chosen, strict=True) if is_chosen]
        return Pairs(
            texts, self.own[chosen], self.english[chosen], self.held_out[chosen], self.is_news[chosen]
        )


def read_lines(path: Path) -> Iterable[dict]:
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def code_of(name: str) -> str:
    code, _, _ = name.partition("-")
    return CODES.get(code, code)


def is_held_out(document: str) -> bool:
    return hashlib.sha256(document.encode()).digest()[0] % 2 == 1


def read(data: Path, languages: Sequence[str]) -> dict[str, list[tuple[str, str, bool, bool]]]:
    """Per language: a sentence, its English translation, whether it is held out, whether it is news."""
    rows: dict[str, list[tuple[str, str, bool, bool]]] = {code: [] for code in languages}
    for line in read_lines(data / "parallel" / "pairs.jsonl.xz"):
        code = code_of(line["language"])
        if code in rows and code not in NATIVE:
            rows[code].append((line["foreign"].strip(), line["english"].strip(), False, False))
    news = {
        (line["document"], code_of(line["language"])): [text.strip() for text in line["sentences"]]
        for line in read_lines(data / "parallel" / "ntrex-dev.jsonl.xz")
    }
    for (document, code), sentences in sorted(news.items()):
        if code in rows:
            english = news[document, ENGLISH]
            held_out = is_held_out(document)
            rows[code] += [
                (own, other, held_out, True) for own, other in zip(sentences, english, strict=True)
            ]
    return {code: lines + passages(lines) for code, lines in rows.items() if lines}


def passages(lines: Sequence[tuple[str, str, bool, bool]]) -> list[tuple[str, str, bool, bool]]:
    """Neighbouring sentences together, as the encoder reads an article. Held-out passages have no use."""
    joined = []
    for start in range(0, len(lines) - PASSAGE_STEP, PASSAGE_STEP):
        part = lines[start : start + PASSAGE_SIZES[start // PASSAGE_STEP % len(PASSAGE_SIZES)]]
        if not any(held_out for _, _, held_out, _ in part):
            own, english = (outline(" ".join(line[side] for line in part), ENCODER_WORDS) for side in (0, 1))
            joined.append((own, english, False, False))
    return joined


def encode_pairs(rows: dict[str, list[tuple[str, str, bool, bool]]], encode: Encode) -> dict[str, Pairs]:
    texts = sorted({text for lines in rows.values() for line in lines for text in line[:2]})
    place = {text: number for number, text in enumerate(texts)}
    vectors = encode(texts)
    return {
        code: Pairs(
            [line[0] for line in lines],
            vectors[[place[line[0]] for line in lines]],
            vectors[[place[line[1]] for line in lines]],
            np.array([line[2] for line in lines]),
            np.array([line[3] for line in lines]),
        )
        for code, lines in rows.items()
    }


def letter_rows(texts: Sequence[str], buckets: int) -> np.ndarray:
    rows = np.zeros((len(texts), buckets), dtype=np.float32)
    for number, text in enumerate(texts):
        groups = letter_groups(text, buckets)
        np.add.at(rows[number], groups.buckets, groups.weights)
    return rows


def fit(pairs: Pairs, english_mean: np.ndarray, basis: np.ndarray, buckets: int) -> LanguageTable:
    """Ridge regression in its dual form: there are fewer pairs than buckets."""
    features = np.hstack([letter_rows(pairs.texts, buckets), pairs.own]).astype(np.float32)
    targets = (pairs.english - english_mean) @ basis.T
    products = features @ features.T
    products[np.diag_indices(len(products))] += RIDGE
    weights = features.T @ np.linalg.solve(products.astype(np.float64), targets).astype(np.float32)
    letters, own = weights[:buckets], weights[buckets:]
    letter_scale = STEP * letters.std(axis=0)
    levels = np.clip(2 * np.floor(letters / (2 * letter_scale)) + 1, -3, 3)
    own_scale = np.abs(own).max(axis=0) / LARGEST_INT8
    return LanguageTable(
        levels.astype(np.int8),
        letter_scale.astype(np.float32),
        np.rint(own / own_scale).astype(np.int8),
        own_scale.astype(np.float32),
    )


def principal_rows(vectors: np.ndarray, rank: int) -> np.ndarray:
    """The directions in which English vectors differ most."""
    centred = vectors - vectors.mean(axis=0)
    values, directions = np.linalg.eigh(centred.T @ centred)
    return directions[:, np.argsort(-values)[:rank]].T.astype(np.float32)


def accuracy(vectors: np.ndarray, english: np.ndarray) -> float:
    """The share of sentences whose nearest English sentence is their own translation."""
    return round(float((np.argmax(vectors @ english.T, axis=1) == np.arange(len(vectors))).mean()), 3)


@dataclass(frozen=True)
class Trained:
    tables: LanguageTables
    by_code: dict[str, LanguageTable]


def tables_of(pairs: dict[str, Pairs], quality: dict[str, float], *, everything: bool) -> Trained:
    """Tables from the pairs that are not held out, or from all."""
    pairs_used = {
        code: of_code.where(np.ones_like(of_code.held_out) if everything else ~of_code.held_out)
        for code, of_code in pairs.items()
    }
    english = np.unique(np.vstack([of_code.english for of_code in pairs_used.values()]), axis=0)
    english_mean = pairs_used[ENGLISH].own.mean(axis=0)
    basis = principal_rows(english, RANK)
    by_code = {
        code: fit(pairs_used[code], english_mean, basis, BUCKETS_OF_HARD if code in HARD else BUCKETS)
        for code in TRAINED
        if code in pairs_used
    }
    means = {
        code: of_code.own[of_code.is_news if of_code.is_news.any() else ~of_code.is_news].mean(axis=0)
        for code, of_code in pairs_used.items()
    }
    spread = float(np.linalg.norm(pairs_used[ENGLISH].own - english_mean, axis=1).mean())
    return Trained(LanguageTables(means, quality, by_code.get, basis, spread), by_code)


def measure(pairs: dict[str, Pairs], tables: LanguageTables) -> dict[str, dict[str, float]]:
    """By language, on the held-out news: the plain vectors, with the means alone, with the tables."""
    means_only = replace(tables, table=lambda _: None)
    figures = {}
    for code, of_code in pairs.items():
        news = of_code.where(of_code.held_out)
        if not len(news.texts):
            continue
        languages = [code] * len(news.texts)
        figures[code] = {
            "sentences": len(news.texts),
            "plain": accuracy(news.own, news.english),
            "mean": accuracy(means_only.align(news.own, news.texts, languages), news.english),
            "table": accuracy(tables.align(news.own, news.texts, languages), news.english),
        }
    return figures


def pack(trained: Trained) -> bytes:
    tables, codes, target = trained.tables, sorted(trained.tables.means), BytesIO()
    arrays = {
        "codes": np.array(codes),
        "means": np.array([tables.means[code] for code in codes]).astype(np.float16),
        "quality": np.array([tables.quality.get(code, 0.0) for code in codes]),
        "trained": np.array(sorted(trained.by_code)),
        "basis": tables.basis.astype(np.float16),
        "spread": np.array(tables.spread),
    }
    for code, table in trained.by_code.items():
        arrays |= {f"letters.{code}": pack_levels(table.letters), f"letter_scale.{code}": table.letter_scale}
        arrays |= {f"own.{code}": table.own, f"own_scale.{code}": table.own_scale}
    np.savez_compressed(target, **arrays)
    return target.getvalue()


def report(figures: dict[str, dict[str, float]], tables: int, size: int) -> str:
    lines = [
        "# Languages of the multilingual encoder: results",
        "",
        "By `python -m training.languages --data DIR`. The figure is P@1: the share of sentences whose nearest English sentence,",
        "among those of the held-out news documents, is their own translation. `plain` is the encoder alone, `mean` with the",
        "mean of the language replaced by the English one, `table` with the trained table. Measured with tables that saw none of",
        "these documents; the shipped tables are trained on them as well.",
        "",
        f"A table has {BUCKETS} hashed letter groups ({BUCKETS_OF_HARD} for {', '.join(HARD)}) with {RANK} numbers of two bits each, and the encoder's 512",
        f"dimensions with as many numbers of eight bits. The file has {size / 1e6:.1f} MB for {tables} tables.",
        "",
        "Sources: FLORES and NTREX (CC BY-SA 4.0), Tatoeba (CC BY 2.0). The file has regression weights only, no text.",
        "",
        "| language | sentences | plain | mean | table |",
        "|---|---|---|---|---|",
        *(
            f"| {code} | {row['sentences']} | {row['plain']:.3f} | {row['mean']:.3f} | {row['table']:.3f} |"
            for code, row in sorted(figures.items())
        ),
    ]
    return "\n".join(lines) + "\n"


def train(data: Path, encode: Encode) -> tuple[dict[str, dict[str, float]], Trained, Trained]:
    """Figures of tables that saw no held-out document, these tables, and those of everything."""
    pairs = encode_pairs(read(data, [*NATIVE, *TRAINED]), encode)
    half = tables_of(pairs, {}, everything=False)
    figures = measure(pairs, half.tables)
    quality = {code: row["table"] for code, row in figures.items()}
    return figures, half, tables_of(pairs, quality, everything=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=FILE, help="where the tables are written")
    parser.add_argument("--half", type=Path, help="where those without the held-out documents are written")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        encoder = open_encoder(Path(folder), "multilingual", threads=0)
        figures, half, trained = train(options.data, encoder.plain_vectors)
    if options.half:
        options.half.write_bytes(pack(half))
    data = pack(trained)
    options.out.write_bytes(data)
    REPORT.write_text(report(figures, len(trained.by_code), len(data)), encoding="utf-8")
    sys.stdout.write(json.dumps(figures) + "\n")


if __name__ == "__main__":
    main()
