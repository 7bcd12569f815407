"""Which lines and paragraphs of a text stay."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from headwater.pure.cleaning.boilerplate import CONTROLS, is_boilerplate

STRUCTURE = ("#", "|", "-", "*", "+", ">", "`", "    ")
ENDS_PROSE = re.compile(r"[.!?…。！？؟।][\"'”’»)\]*_]*$")
ENDS_SENTENCE = re.compile(r"[.!?:;…。！？؟।][\"'”’»)\]*_]*$")
REPEATED_FROM = 20  # characters: shorter lines may well be said twice
TEMPLATE_TIMES = 3
LAST_WORDS = 2

UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff]")

Paragraph = list[str]


def paragraphs_of(text: str) -> list[Paragraph]:
    return [block.split("\n") for block in text.split("\n\n") if block.strip()]


def text_of(paragraphs: Iterable[Paragraph]) -> str:
    return "\n\n".join("\n".join(lines) for lines in paragraphs if lines)


def _key(text: str) -> str:
    return " ".join(text.casefold().split())


def without_repeats(paragraphs: Sequence[Paragraph]) -> tuple[list[Paragraph], int]:
    """Paragraphs said before go, and lines of a template that come three times and more; the first stays."""
    times = Counter(_key(line) for lines in paragraphs for line in lines)
    seen: set[str] = set()
    seen_lines: set[str] = set()
    kept: list[Paragraph] = []
    gone = 0
    for lines in paragraphs:
        key = _key("\n".join(lines))
        if key in seen and _counts(key):
            gone += 1
            continue
        seen.add(key)
        fresh = [line for line in lines if not _is_template(line, times, seen_lines)]
        gone += len(lines) - len(fresh)
        if fresh:
            kept.append(fresh)
    return kept, gone


def _counts(key: str) -> bool:
    return len(key) >= REPEATED_FROM and not key.startswith(("#", "|"))


def _is_template(line: str, times: Counter[str], seen: set[str]) -> bool:
    key = _key(line)
    if times[key] < TEMPLATE_TIMES or not _counts(key):
        return False
    repeated = key in seen
    seen.add(key)
    return repeated


def without_boilerplate(
    paragraphs: Sequence[Paragraph], pattern: re.Pattern[str]
) -> tuple[list[Paragraph], int]:
    kept = [[line for line in lines if not is_boilerplate(line, pattern)] for lines in paragraphs]
    gone = sum(map(len, paragraphs)) - sum(map(len, kept))
    return [lines for lines in kept if lines], gone


def without_orphans(paragraphs: Sequence[Paragraph]) -> tuple[list[Paragraph], int]:
    """Single lines that say nothing: strokes and dots, the words of buttons, and a heading at the end with nothing
    under it."""
    kept = [lines for lines in paragraphs if not _is_orphan(lines)]
    if len(kept) > 1 and ENDS_PROSE.search(kept[-2][-1]) and _introduces_nothing(kept[-1]):
        kept.pop()  # after other short lines it would be the last one of a list
    return kept, len(paragraphs) - len(kept)


def _is_orphan(lines: Paragraph) -> bool:
    if len(lines) != 1:
        return False
    bare = lines[0].strip(" *_#>|•·–—-:»«›‹…[]()").casefold()
    return bare in CONTROLS or not any(map(str.isalnum, bare))


def _introduces_nothing(lines: Paragraph) -> bool:
    if len(lines) != 1 or ENDS_SENTENCE.search(lines[0]):
        return False
    heading = lines[0].startswith("#")
    if not heading and lines[0].startswith(STRUCTURE):
        return False
    if UNSPACED.search(lines[0]):
        return False  # one "word" there may be a whole sentence
    return len(lines[0].split()) <= LAST_WORDS + heading
