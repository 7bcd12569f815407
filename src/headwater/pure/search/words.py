"""A text as words that compare equal however they were typed."""

import re
import unicodedata

WORD = re.compile(r"[^\W_]+")
# Scripts without spaces: each letter is a word, so that a part of a run is found.
UNSPACED = re.compile(r"([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff])")
LONGEST_WORD = 200


def words_of(text: str) -> list[str]:
    """Letters and digits in lower case without accents. Stretches longer than any word are left out."""
    plain = text.lower() if text.isascii() else _plain(text)
    return [word for word in WORD.findall(plain) if len(word) <= LONGEST_WORD]


def _plain(text: str) -> str:
    # Twice: some letters are capitals only once they are taken apart, and some have marks only in small.
    bare = _bare(_bare(text).casefold())
    return UNSPACED.sub(r" \1 ", unicodedata.normalize("NFC", bare))


def _bare(text: str) -> str:
    apart = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in apart if not unicodedata.combining(letter))
