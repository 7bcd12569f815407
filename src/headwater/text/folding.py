"""Text folded for comparison: case, accents and punctuation removed."""

import re
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache

from headwater.text.typography import space_marks

GAP = re.compile(r"[\W_]+")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_SHORT_RUN = 16
# For ASCII a translation table does the same in a tenth of the time.
_ASCII_GAPS = "".join(chr(code) if chr(code).isalnum() else " " for code in range(128))
_FIRST_MARK, _AFTER_LAST_MARK = 0x300, 0x1F000


# Letters that Unicode does not decompose, as people type them who do not have them.
_PLAIN_LETTERS = {
    "ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ß": "ss", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h", "ŧ": "t",
    "ŋ": "n", "ĸ": "k", "ƒ": "f", "ɛ": "e", "ɔ": "o", "ə": "e", "ƀ": "b", "ɓ": "b", "ɗ": "d", "ǝ": "e", "ɣ": "g",
    "ǥ": "g", "ɨ": "i", "ƙ": "k", "ƴ": "y", "ƶ": "z",
}  # fmt: skip
_PLAIN = str.maketrans(
    _PLAIN_LETTERS
    | {letter.upper(): plain.capitalize() for letter, plain in _PLAIN_LETTERS.items() if letter not in "ßıĸ"}
    | {"ẞ": "SS"}
)
_UNDECOMPOSED = re.compile(f"[{''.join(map(chr, _PLAIN))}]")


def fold_accents(text: str) -> str:
    """The text in its compatibility form, without the marks on its letters: `Łódź` is `Lodz`, `Bjørn` is `Bjorn`."""
    return text if text.isascii() else _NOT_ASCII.sub(_fold_accents_of_match, text)


def _fold_accents_of_match(match: re.Match[str]) -> str:
    """ASCII neither changes nor joins what stands beside it, so that runs without ASCII are folded by themselves. Short ones
    recur: quotation marks, dashes, letters with accents, words of other alphabets."""
    run = match[0]
    return _fold_known_run(run) if len(run) <= _SHORT_RUN else _fold_run(run)


def _fold_run(run: str) -> str:
    unmarked = _marks().sub("", unicodedata.normalize("NFKD", run))
    return unmarked.translate(_PLAIN) if _UNDECOMPOSED.search(unmarked) else unmarked


_fold_known_run = lru_cache(maxsize=20_000)(_fold_run)


@cache
def _marks() -> re.Pattern[str]:
    codes = range(_FIRST_MARK, _AFTER_LAST_MARK)
    return re.compile(f"[{''.join(chr(code) for code in codes if unicodedata.combining(chr(code)))}]+")


def fold_text(text: str) -> str:
    """The words in lower case, without accents, separated by one space."""
    if not text.isascii():
        text = space_marks(text)
        if not text.isascii():
            text = _NOT_ASCII.sub(_fold_text_of_match, text.casefold())
    if text.isascii():
        return " ".join(text.lower().translate(_ASCII_GAPS).split())
    return GAP.sub(" ", text.casefold()).strip()


def _fold_text_of_match(match: re.Match[str]) -> str:
    run = match[0]
    return _fold_known_words(run) if len(run) <= _SHORT_RUN else _fold_words(run)


def _fold_words(run: str) -> str:
    return GAP.sub(" ", _fold_run(run).casefold())


_fold_known_words = lru_cache(maxsize=20_000)(_fold_words)


def find_markers(text: str, markers: Sequence[str]) -> tuple[str, ...]:
    """The markers that occur in the text at the start of a word: `plazo` is found in `Plazos`, not in `reemplazo`."""
    folded_text = f" {fold_text(text)}"
    return tuple(
        marker for marker in markers if (folded := fold_text(marker)) and f" {folded}" in folded_text
    )
