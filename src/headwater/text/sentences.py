"""Text split into sentences, in any script with terminal marks."""

import re
from itertools import islice

# One set of first letters: a search jumps to the next of them, which takes a third of the time of alternatives.
END = re.compile(
    r"[.!?…。！？\n](?:(?<=[.!?…])[\"'”’»)\]]*\s+(?=[\"'“‘«(\[¿¡]*[^\W_a-zß-öø-ÿ])|(?<=[。！？])[”’」』）]*"
    r"|(?<=\n)\n+|(?<=\n)(?=[•*-] ))"
)
ABBREVIATIONS = (
    "Mr|Mrs|Ms|Dr|Prof|Gen|Col|Lt|Sgt|Sen|Rep|Gov|Rev|St|Jr|Sr|No|vs|Inc|Ltd|Co|Corp"
    "|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec|Sr|Sra|Dña|Art|Nr|bzw|ca|etc|al|approx|Mt|Ft"
)
ABBREVIATION = re.compile(rf"(?:[A-Z]|[A-Z](?:\.[A-Z])+|{ABBREVIATIONS})\.")
TAIL = 3
"""Letters at the end of a word that tell most words from an abbreviation."""
TAILS = frozenset(word[-TAIL:] for word in ABBREVIATIONS.split("|"))
SENTENCE_END = re.compile(r"[.!?…؟۔।॥։።](?=[\s\"'”’»)\]*_]|$)|[。！？｡]")
MAX_CHARACTERS = 40_000
LAST_WORD = 40
"""Characters at the end of a sentence among which its last word is searched; a longer one is no abbreviation."""


def split_sentences(text: str, most: int | None = None) -> list[str]:
    """The sentences in order, with single spaces; a full stop after a title or an initial does not end one. With `most`, no
    more are read."""
    sentences: list[str] = []
    pending = ""
    start = 0
    text = text[:MAX_CHARACTERS]
    for end in END.finditer(text):
        stop = end.end()
        pending = f"{pending} {text[start:stop].strip()}".strip() if pending else text[start:stop].strip()
        start = stop
        if _ends_with_abbreviation(pending) and "\n\n" not in end[0]:
            continue
        if pending:
            sentences.append(_with_single_spaces(pending))
            pending = ""
            if len(sentences) == most:
                return sentences
    rest = f"{pending} {text[start:].strip()}".strip()
    return [*sentences, _with_single_spaces(rest)] if rest else sentences


def _with_single_spaces(stripped: str) -> str:
    """No white space but the space is printable."""
    if stripped.isprintable() and "  " not in stripped:
        return stripped
    return " ".join(stripped.split())


def _ends_with_abbreviation(piece: str) -> bool:
    if piece[-1:] != ".":
        return False
    tail = piece[-TAIL - 1 : -1]
    if tail not in TAILS and tail.isalpha() and len(tail) == TAIL:
        return False
    word = piece[-LAST_WORD:].rsplit(maxsplit=1)[-1]
    return ABBREVIATION.fullmatch(word, word.rfind("(") + 1) is not None


def count_sentences(text: str, most: int | None = None) -> int:
    """Terminal marks that end a sentence: the point in 3.5 does not. With `most`, no more are counted."""
    return sum(1 for _ in islice(SENTENCE_END.finditer(text), most))
