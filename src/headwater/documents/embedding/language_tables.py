"""Brings the vectors of all languages into one space: that of English.

The encoder was trained on 16 languages. The vectors of each language lie around a mean of their own, which says what
language a text is in and nothing about its subject: it is replaced by the English mean. Languages that the encoder was not
trained on have a table as well. It predicts the English vector from the encoder's own vector and from the letters of the
text, in hashed groups. `training/languages.py` makes the tables; nothing here needs more than NumPy.
"""

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from headwater.documents.language.codes import primary_code
from headwater.documents.language.detect_language import rank_languages
from headwater.documents.language.detector import LanguageRules, identify_language

Matrix = npt.NDArray[np.float32]
FILE = Path(__file__).parent / "languages.npz"
ENGLISH = "en"

GROUP_SIZES = (2, 3, 4, 5, 6)
MAX_CHARACTERS = 1200
"""What the encoder reads of a text is not longer."""

DETECTION_CHARACTERS = 300
RULES = LanguageRules(min_letters=4)
_MULTIPLIERS = np.array(
    [
        *(0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9),
        *(0xD6E8FEB86659FD93, 0xA0761D6478BD642F, 0xE7037ED1A0B428DB),
    ],
    dtype=np.uint64,
)
_MIX = np.uint64(0xFF51AFD7ED558CCD)


@dataclass(frozen=True, slots=True)
class LetterGroups:
    """The hashed letter groups of a text: buckets, and a weight for each, signed by the hash; of unit length."""

    buckets: npt.NDArray[np.int64]
    weights: Matrix


def letter_groups(text: str, buckets: int) -> LetterGroups:
    """Groups of two to six characters within words; the spaces around a word belong to it."""
    spaced = f" {' '.join(unicodedata.normalize('NFC', text[:MAX_CHARACTERS]).lower().split())} "
    codes = np.frombuffer(spaced.encode("utf-32-le", "surrogatepass"), dtype=np.uint32).astype(np.uint64)
    is_space = codes == ord(" ")
    hashes = [_hashes(codes, is_space, size) for size in GROUP_SIZES if size < len(codes)]
    distinct, counts = np.unique(
        np.concatenate(hashes) if hashes else np.empty(0, dtype=np.uint64), return_counts=True
    )
    signs = np.where(distinct & np.uint64(1), 1.0, -1.0)
    weights = signs * (1 + np.log(counts))
    weights /= max(float(np.linalg.norm(weights)), 1e-9)
    return LetterGroups(
        ((distinct >> np.uint64(1)) % np.uint64(buckets)).astype(np.int64), weights.astype(np.float32)
    )


def _hashes(
    codes: npt.NDArray[np.uint64], is_space: npt.NDArray[np.bool_], size: int
) -> npt.NDArray[np.uint64]:
    count = len(codes) - size + 1
    hashes = np.full(count, size, dtype=np.uint64)
    crosses = np.zeros(count, dtype=np.bool_)
    for place in range(size):
        hashes = (hashes + codes[place : place + count]) * _MULTIPLIERS[place]
        if 0 < place < size - 1:
            crosses |= is_space[place : place + count]
    hashes = hashes[~crosses]
    hashes ^= hashes >> np.uint64(33)
    hashes *= _MIX
    hashes ^= hashes >> np.uint64(29)
    return hashes


@dataclass(frozen=True, slots=True)
class LanguageTable:
    """`letters` has a row per bucket, `own` one per dimension of the encoder's own vector; each column has a scale."""

    letters: npt.NDArray[np.int8]
    letter_scale: Matrix
    own: npt.NDArray[np.int8]
    own_scale: Matrix

    def predict(self, text: str, vector: Matrix) -> Matrix:
        """What the English vector adds to the English mean, in the basis of the tables."""
        groups = letter_groups(text, len(self.letters))
        by_letters = groups.weights @ self.letters[groups.buckets].astype(np.float32)
        prediction: Matrix = (
            by_letters * self.letter_scale + (vector @ self.own.astype(np.float32)) * self.own_scale
        )
        return prediction


PACKED = 4
"""Letters have four levels, -3, -1, 1 and 3, of which a byte holds four: a text has hundreds of groups, and their errors
cancel."""


def pack_levels(levels: npt.NDArray[np.int8]) -> npt.NDArray[np.uint8]:
    codes = ((levels + 3) // 2).astype(np.uint8).reshape(len(levels), -1, PACKED)
    packed: npt.NDArray[np.uint8] = (codes << np.arange(0, 2 * PACKED, 2, dtype=np.uint8)).sum(
        axis=2, dtype=np.uint8
    )
    return packed


def unpack_levels(packed: npt.NDArray[np.uint8]) -> npt.NDArray[np.int8]:
    codes = (packed[:, :, None] >> np.arange(0, 2 * PACKED, 2, dtype=np.uint8)) & 3
    return (codes.astype(np.int8) * 2 - 3).reshape(len(packed), -1)


@dataclass(frozen=True, slots=True)
class LanguageTables:
    """`means` and `quality` by language code. `table` returns the table of a language, if it has one; `basis` has a row
    per column of the tables. `spread` is the usual distance of an English vector from the English mean."""

    means: Mapping[str, Matrix]
    quality: Mapping[str, float]
    table: Callable[[str], LanguageTable | None]
    basis: Matrix
    spread: float

    def align(self, vectors: Matrix, texts: Sequence[str], languages: Sequence[str]) -> Matrix:
        """Unit vectors in the space of English. A vector of an unknown language stays as it is."""
        english = self.means[ENGLISH]
        aligned = vectors.copy()
        for position, language in enumerate(languages):
            code = primary_code(language)
            if code == ENGLISH or code not in self.means or not vectors[position].any():
                continue
            table = self.table(code)
            if table is None:
                aligned[position] += english - self.means[code]
            else:
                meaning = table.predict(texts[position], vectors[position]) @ self.basis
                # A regression is cautious: without this, texts of a hard language would all lie near the mean.
                meaning *= self.spread / max(float(np.linalg.norm(meaning)), 1e-9)
                aligned[position] = english + meaning
        lengths = np.linalg.norm(aligned, axis=1, keepdims=True)
        unit_vectors: Matrix = (aligned / np.maximum(lengths, 1e-9)).astype(np.float32)
        return unit_vectors


def text_language(text: str) -> str:
    """The language of a text by its first lines; `und` if it has too few letters."""
    return identify_language(text[:DETECTION_CHARACTERS], rank_languages, RULES).language


@cache
def load_language_tables(path: Path = FILE) -> LanguageTables:
    """The tables that come with Headwater. That of a language is read when the first text in it is aligned."""
    with np.load(path, allow_pickle=False) as arrays:
        codes, trained = arrays["codes"].tolist(), frozenset(arrays["trained"].tolist())
        return LanguageTables(
            means=dict(zip(codes, arrays["means"].astype(np.float32), strict=True)),
            quality=dict(zip(codes, arrays["quality"].tolist(), strict=True)),
            table=lambda code: _read_table(path, code) if code in trained else None,
            basis=arrays["basis"].astype(np.float32),
            spread=float(arrays["spread"]),
        )


@cache
def _read_table(path: Path, code: str) -> LanguageTable:
    with np.load(path, allow_pickle=False) as arrays:
        return LanguageTable(
            unpack_levels(arrays[f"letters.{code}"]),
            arrays[f"letter_scale.{code}"],
            arrays[f"own.{code}"],
            arrays[f"own_scale.{code}"],
        )
