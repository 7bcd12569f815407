"""Text folded for comparison: case, accents and punctuation removed."""

import re
import unicodedata
from collections.abc import Sequence

GAP = re.compile(r"[\W_]+")


def fold_accents(text: str) -> str:
    """The text in its compatibility form, without the marks on its letters."""
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


def fold_text(text: str) -> str:
    """The words in lower case, without accents, separated by one space."""
    return GAP.sub(" ", fold_accents(text.casefold()).casefold()).strip()


def find_markers(text: str, markers: Sequence[str]) -> tuple[str, ...]:
    """The markers that occur in the text at the start of a word: `plazo` is found in `Plazos`, not in `reemplazo`."""
    folded_text = f" {fold_text(text)}"
    return tuple(
        marker for marker in markers if (folded := fold_text(marker)) and f" {folded}" in folded_text
    )
