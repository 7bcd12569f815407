"""Text folded to lower case without accents, and words found in it."""

import re
import unicodedata
from collections.abc import Sequence

GAP = re.compile(r"[\W_]+")


def fold_text(text: str) -> str:
    """Words only, in lower case, without accents, with one space between them."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    return GAP.sub(" ", plain.casefold()).strip()


def find_markers(text: str, markers: Sequence[str]) -> tuple[str, ...]:
    """The markers that occur in the text at the start of a word: `plazo` is found in `Plazos`, not in `reemplazo`."""
    searched = f" {fold_text(text)}"
    return tuple(marker for marker in markers if (plain := fold_text(marker)) and f" {plain}" in searched)
