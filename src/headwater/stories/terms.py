"""Texts as terms: words folded, small words left out, the plural of the commonest kind taken off."""

import re
import unicodedata
from collections import Counter
from itertools import islice

from headwater.documents.language.lexicon import STOPWORDS

LONGEST = 20_000
"""So many characters of a text are counted; a page of a million must not cost a minute."""

WORD = re.compile(r"\w+")
SPELT = re.compile(r"\w(?:[\w'’.-]*\w)?")
POSSESSIVE = re.compile(r"['’]s\b")
IDEOGRAMS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0eff]{2,}")
NEWS_WORDS = (
    "said says say told tell after over up out than into what who why how he she him them we i me my so just now one two"
    " first us mr mrs ms get gets report reports news update updates video watch live could should being did s t u"
    " dit hij zegt sagte sagt laut nach selon après dijo según tras disse segundo após ha detto secondo dopo сказал после"
)
# Small words of one language that say what a text is about in another.
CONTENT_WORDS = (
    "war sea drug die son sin care sense side word pro solo hat hay pot pie polo dove mint volt van era dig"
)
STOP_TERMS = frozenset().union(*STOPWORDS.values()) - frozenset(CONTENT_WORDS.split()) | frozenset(
    NEWS_WORDS.split()
)


def count_terms(text: str) -> Counter[str]:
    """Each term with how often it occurs. Scripts without spaces give pairs of neighbouring characters."""
    folded = _folded(text[:LONGEST])
    found: Counter[str] = Counter()
    for word in WORD.findall(folded):
        if len(word) > 1 and word not in STOP_TERMS:
            found.update(_parts(word))
    return found


def outline(text: str, most: int) -> str:
    """The text, if it has no more words than that; else its first words as they are written, without the small ones."""
    found = SPELT.findall(text)
    if len(found) <= most:
        return text
    return " ".join(
        islice((word for word in found if len(word) > 1 and word.casefold() not in STOP_TERMS), most)
    )


def _folded(text: str) -> str:
    lower = text.casefold()
    if not lower.isascii():
        split = unicodedata.normalize("NFKD", lower)
        lower = unicodedata.normalize("NFC", "".join(c for c in split if not unicodedata.combining(c)))
    return POSSESSIVE.sub("", lower)


def _parts(word: str) -> list[str]:
    if IDEOGRAMS.fullmatch(word):
        return [word[i : i + 2] for i in range(len(word) - 1)]
    plural = len(word) > 4 and word.endswith("s") and not word.endswith("ss")
    return [word[:-1] if plural else word]
