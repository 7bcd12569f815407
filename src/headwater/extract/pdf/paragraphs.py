"""Lines to blocks: headings by size, paragraphs by distance, words joined over line ends."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from headwater.extract.blocks import Block, Heading, ListItem, Paragraph
from headwater.extract.pdf.geometry import TextLine
from headwater.text.scripts import EAST_ASIAN, WIDE_PUNCTUATION, character_class

_BULLET = re.compile("^[•◦▪▫‣●○■□·–—*\uf0b7\uf0a7\uf0d8-] +(?=\\S)")
_NUMBER = re.compile(r"^(?:\(?\d{1,3}[.)]|\(?[a-z]\)|[ivx]{1,5}\)) +\S")
_ENDS = tuple(".!?:;…。！？")
_CLOSERS = "\"'”’)]»"
_HYPHENS = ("-", "\u2010", "\u00ad")
_HYPHEN = re.compile("(\\w+).$")
_WORD_LENGTH = 60
_FIRST_WORD = re.compile(r"^[^\W\d_]+")
_TOKEN = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LEADERS = re.compile(r" ?\.(?: ?\.){4,} ?")
_WIDE = re.compile(f"[{character_class((*EAST_ASIAN, *WIDE_PUNCTUATION))}]")
_HEADING_LENGTH = 200
_BOLD_LENGTH = 100
_LARGER = 1.12
_DEEPEST = 4


@dataclass(slots=True)
class LineRun:
    """Lines that make one block."""

    lines: list[TextLine] = field(default_factory=list)


def to_blocks(lines: Sequence[TextLine]) -> list[Block]:
    """The blocks of a document, its lines given in reading order."""
    words = [line for line in lines if line.table is None]
    body = _body_size(words)
    levels = _levels(words, body)
    joiner = LineJoiner.over(words)
    blocks: list[Block] = []
    pitch = _pitch(words)
    for run in _runs(lines, pitch):
        first = run.lines[0]
        blocks.append(first.table if first.table is not None else _block(run, levels, body, joiner))
    return blocks


def _body_size(lines: Sequence[TextLine]) -> float:
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[_rounded(line.size)] += len(line.text)
    return max(sizes, key=lambda size: (sizes[size], -size), default=0.0)


def _rounded(size: float) -> float:
    return round(size * 2) / 2


def _levels(lines: Sequence[TextLine], body: float) -> dict[float, int]:
    """Levels by heading size, the largest first; sizes with much of the text are not headings."""
    amounts: Counter[float] = Counter()
    for line in lines:
        amounts[_rounded(line.size)] += len(line.text)
    total = sum(amounts.values())
    larger = [size for size, count in amounts.items() if size >= body * _LARGER and count < 0.3 * total]
    return {size: min(place + 1, _DEEPEST) for place, size in enumerate(sorted(larger, reverse=True))}


def _pitch(lines: Sequence[TextLine]) -> float:
    """How far apart the tops of lines usually are, in line heights."""
    steps = [
        (after.top - before.top) / before.size
        for before, after in pairwise(lines)
        if before.page == after.page and before.size > 0 and 0 < after.top - before.top < 4 * before.size
    ]
    return median(steps) if steps else 1.5


def _runs(lines: Sequence[TextLine], pitch: float) -> list[LineRun]:
    runs: list[LineRun] = []
    for line in lines:
        if runs and _continues(runs[-1].lines, line, pitch):
            runs[-1].lines.append(line)
        else:
            runs.append(LineRun([line]))
    return runs


def _continues(run: Sequence[TextLine], line: TextLine, pitch: float) -> bool:
    before = run[-1]
    if line.table is not None or before.table is not None:
        return False
    if abs(line.size - before.size) > 0.1 * before.size or line.bold != before.bold:
        return False
    if _BULLET.match(line.text) or _NUMBER.match(line.text):
        return False
    if line.page != before.page or line.top < before.top - before.size:
        return not _is_finished(before.text) and line.text[:1].islower()
    near = 1.6 if before.text.endswith(_HYPHENS) and line.text[:1].islower() else 1.25
    if line.top - before.top > pitch * before.size * near:
        return False
    return not _starts_anew(run, line)


def _is_finished(text: str) -> bool:
    return text.rstrip(_CLOSERS).endswith(_ENDS)


def _starts_anew(run: Sequence[TextLine], line: TextLine) -> bool:
    """Whether the line is indented after a finished one, or follows a line that had room for more."""
    before = run[-1]
    if not _is_finished(before.text):
        return False
    width = before.column[1] - before.column[0]
    indented = line.left - before.left > 0.8 * line.size and len(run) > 1
    unfilled = before.column[1] - before.right > 0.25 * width and len(line.text) > 1
    return indented or (unfilled and len(run) > 1)


def _block(run: LineRun, levels: dict[float, int], body: float, joiner: "LineJoiner") -> Block:
    first = run.lines[0]
    text = _LEADERS.sub(" … ", joiner.join([line.text for line in run.lines]))
    level = levels.get(_rounded(first.size), 0)
    if level and len(text) <= _HEADING_LENGTH and any(letter.isalpha() for letter in text):
        return Heading(text, level)
    if bullet := _BULLET.match(text):
        return ListItem(text[bullet.end() :])
    if _is_bold_heading(run, text, body):
        return Heading(text, min(max(levels.values(), default=0) + 1, _DEEPEST + 1))
    return Paragraph(text)


def _is_bold_heading(run: LineRun, text: str, body: float) -> bool:
    first = run.lines[0]
    if not first.bold or len(run.lines) > 2 or len(text) > _BOLD_LENGTH or first.size < body * 0.95:
        return False
    return not text.endswith((".", ",", ";", ":")) and any(letter.isalpha() for letter in text)


@dataclass(frozen=True, slots=True)
class LineJoiner:
    """Joins lines. A word broken at the end of a line is spelled as elsewhere in the document."""

    vocabulary: frozenset[str]

    @classmethod
    def over(cls, lines: Sequence[TextLine]) -> "LineJoiner":
        return cls(frozenset(word for line in lines for word in _TOKEN.findall(line.text.casefold())))

    def join(self, texts: Sequence[str]) -> str:
        joined = texts[0]
        for text in texts[1:]:
            joined = self._joined(joined, text)
        return joined

    def _joined(self, before: str, after: str) -> str:
        broken = _HYPHEN.search(before[-_WORD_LENGTH:]) if before.endswith(_HYPHENS) else None
        if broken:
            first_word = _FIRST_WORD.match(after)
            keeps = (
                first_word is None or not after[:1].islower() or self._is_compound(broken[1], first_word[0])
            )
            return (before if keeps else before[:-1]) + after
        if before and after and _WIDE.match(before[-1]) and _WIDE.match(after[0]):
            return before + after
        return f"{before} {after}"

    def _is_compound(self, start: str, end: str) -> bool:
        joined = (start + end).casefold()
        return joined not in self.vocabulary and f"{start}-{end}".casefold() in self.vocabulary
