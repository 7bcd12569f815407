"""Words that show what a page is, found whatever their case and accents."""

import re
import unicodedata
from collections.abc import Sequence

GAP = re.compile(r"[\W_]+")


def fold_text(text: str) -> str:
    """Words only, in lower case, without accents, one blank between them."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    return GAP.sub(" ", plain.casefold()).strip()


def find_markers(text: str, markers: Sequence[str]) -> tuple[str, ...]:
    """The markers that stand in the text. One begins where a word begins, and may be continued: `plazo` is found in
    `Plazos`, not in `reemplazo`."""
    searched = f" {fold_text(text)}"
    return tuple(marker for marker in markers if (plain := fold_text(marker)) and f" {plain}" in searched)
