"""Words that show that a page has the structure it should have."""

import re
import unicodedata
from collections.abc import Sequence


def plain(text: str) -> str:
    """Without accents and case: Documentación and DOCUMENTACION are one."""
    apart = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in apart if not unicodedata.combining(character))


def markers_in(text: str, markers: Sequence[str]) -> tuple[str, ...]:
    """Those of the markers that begin a word of the text ("plazo" is in "los plazos", not in "emplazo")."""
    bare = text.lower() if text.isascii() else plain(text)
    return tuple(marker for marker in markers if re.search(rf"(?<!\w){re.escape(plain(marker))}", bare))
