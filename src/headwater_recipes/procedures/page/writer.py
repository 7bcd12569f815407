"""Writes blocks: the levels of headings, the list of blocks, and lines with bold text and links."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from headwater.extract.blocks import Block, Heading, ListItem, Paragraph, Table
from headwater.text.letters import to_one_line
from headwater_recipes.procedures.labels.recognise import LONGEST_LABEL, recognise_plain

DEEPEST_LEVEL = 6
END_OF_LABEL = "\x1f"  # marks the end of a label whose value may be bold as well; never part of the text
_BULLET = re.compile(r"^\s*(?:[•·▪◦‣●○■□➢✓✔–—*]|-(?=\s)|o(?=\s{2}))\s*")
_COUNTED = re.compile(r"^\s*(?:[a-zA-Z]|\d{1,2}(?:\.\d{1,2})?|[ivx]{1,4})\s?[.)º]-?\s+(?=\S)")
_LABELLED = re.compile(r"^[A-ZÁÉÍÓÚÀÈÒÜÇÑ¿][^:.;]{2,60}:\s")
_ENDED, _BEGINS = re.compile(r"[a-zà-ÿ)»][.;]$"), re.compile(r"[A-ZÁÉÍÓÚÀÈÒÜÇÑ¿«]")
_STREET = re.compile(
    r"[cC]\. (?:d\w{0,2}[ '’]\S|[A-ZÀ-Ý])[^.]{1,60}, ?\d"
)  # the abbreviation of a street, not a third item
FEWEST_LABELLED = FEWEST_LISTED = 2
FEWEST_WORDS = 3
_BREAKS_OFF = re.compile(
    r"(?:[,:(/–-]|\b(?:de|del|la|el|los|las|les|els|y|i|e|o|a|al|en|da|do|dos|das|na|no|eta|of|the|and|to|con|amb|para|per|por|que))$"
)
_POSTCODE = re.compile(r"\b(?:0[1-9]|[1-4]\d|5[0-2])\d{3}\b")
_ENDS = re.compile(r"[.;,]$")


@dataclass(slots=True)
class HeadingLevels:
    """Text inside a panel, below a term or in a labelled cell is below its label. `level`: of the last heading. `floor`: the
    lowest level for a heading here. `closed`: the level of the labels whose values have ended since the last block, or 0."""

    level: int = 1
    floor: int = 1
    kinds: dict[str, int] = field(default_factory=dict)
    closed: int = 0

    def real(self, level: int) -> int:
        """The level of a heading that the page marks as one."""
        self.level = min(max(level, self.floor), DEEPEST_LEVEL)
        return self.level

    def below(self, kind: str = "") -> int:
        """One level below the last heading. Labels of one kind all have the same level, whatever headings are between them."""
        level = min(self.level + 1, DEEPEST_LEVEL)
        return max(self.kinds.setdefault(kind, level), self.floor) if kind else level

    @contextmanager
    def under(self, level: int) -> Iterator[None]:
        """Write the value of a label of this level."""
        before = self.level, self.floor
        self.level, self.floor = level, min(level + 1, DEEPEST_LEVEL)
        yield
        self.level, self.floor = before
        self.closed = min(self.closed or level, level)


@dataclass(slots=True)
class BlockList:
    blocks: list[Block] = field(default_factory=list)
    levels: HeadingLevels = field(default_factory=HeadingLevels)

    def add(self, block: Block) -> None:
        """Add a block. Where the value of a label has ended, a rule comes before the next text: the more dashes, the deeper the
        label."""
        closed, self.levels.closed = self.levels.closed, 0
        label_ended = closed and self.blocks and not _is_label(self.blocks[-1])
        if label_ended and not (isinstance(block, Heading) and block.level <= closed):
            self.blocks.append(Paragraph("-" * (closed + 2)))
        self.blocks.append(block)


def is_rule(block: Block) -> bool:
    return isinstance(block, Paragraph) and not block.text.strip("-")


def _is_label(block: Block) -> bool:
    """Whether the block is a heading, or a line that is all bold."""
    return isinstance(block, Heading) or (
        isinstance(block, Paragraph) and block.text.startswith("**") and block.text.endswith("**")
    )


def block_text(block: Block) -> str:
    """The text of a block on one line, for an item or cell that contains it."""
    match block:
        case Heading(text, _):
            return f"**{text}**"
        case Paragraph(text) | ListItem(text, _, _):
            return "" if is_rule(block) else text
        case Table(rows):
            return "; ".join(": ".join(filter(None, row)) for row in rows)


@dataclass(slots=True)
class TextRun:
    text: str
    bold: bool = False


@dataclass(slots=True)
class LineWriter:
    """Collects runs of text up to the next line break. `lines`: the finished lines."""

    runs: list[TextRun] = field(default_factory=list)
    lines: list[list[TextRun]] = field(default_factory=list)

    def write(self, text: str, *, bold: bool) -> None:
        if text:
            self.runs.append(TextRun(text, bold))

    def end_line(self) -> None:
        if any(run.text.strip() for run in self.runs):
            self.lines.append(self.runs)
        self.runs = []

    def take(self) -> list[list[TextRun]]:
        """Return the lines and start anew. Lines that continue the one before are joined to it."""
        self.end_line()
        lines, self.lines = self.lines, []
        joined: list[list[TextRun]] = []
        labelled = [_LABELLED.match(plain_line(line)) is not None for line in lines]
        listed = sum(labelled) >= FEWEST_LABELLED
        separate = _are_separate([plain_line(line) for line in lines])
        for line, has_label in zip(lines, labelled, strict=True):
            sentence_ended = (
                bool(joined) and _ENDED.search(plain_line(joined[-1])) and _BEGINS.match(plain_line(line))
            )
            below_heading = bool(joined) and _is_numbered_heading(joined[-1]) and not is_bold(line)
            continues = not (
                sentence_ended or below_heading or starts_new_block(line) or (listed and has_label)
            )
            if joined and continues and not separate:
                joined[-1] = [*joined[-1], TextRun(" "), *line]
            else:
                joined.append(line)
        return joined


def _are_separate(lines: Sequence[str]) -> bool:
    """Whether line breaks separate things of a list: each begins like one and is long enough, and none breaks off."""
    if len(lines) < FEWEST_LISTED or not all(_BEGINS.match(line) for line in lines):
        return False
    if any(_BREAKS_OFF.search(line) for line in lines[:-1]):
        return False
    addresses = [_POSTCODE.search(line) is not None for line in lines]
    if any(addresses):
        return all(addresses)
    return all(len(line.split()) >= FEWEST_WORDS for line in lines)


LEADERS = re.compile(r"\S\s?\.{4,}\s?\S")
"""Dots that lead from a name to its value."""


def starts_new_block(line: list[TextRun]) -> bool:
    first = next((run for run in line if run.text.strip()), None)
    text = plain_line(line)
    return (
        first is None
        or first.bold
        or bullet_of(text) is not None
        or LEADERS.search(text) is not None
        or (text.endswith(":") and recognise_plain(text) is not None)
    )


def plain_line(line: list[TextRun]) -> str:
    return to_one_line("".join(run.text for run in line))


def bullet_of(text: str) -> str | None:
    """The text after a typed bullet. None when there is none."""
    match = _BULLET.match(text)
    if _STREET.match(text):
        return None
    if match is None and (match := _COUNTED.match(text)) and recognise_plain(text) is not None:
        return None  # a numbered heading
    return text[match.end() :] if match and match.end() < len(text) else None


def is_bold(line: list[TextRun]) -> bool:
    words = [run for run in line if run.text.strip(" :.\u00a0\n\t\x1f")]
    return bool(words) and all(run.bold for run in words)


def is_heading(line: list[TextRun]) -> bool:
    """Whether the line is short and all bold: a heading without markup."""
    ends = [place for place, run in enumerate(line) if END_OF_LABEL in run.text]
    if ends and any(run.text.strip() for run in line[ends[0] :]):
        return False
    text = plain_line(line)
    return (
        is_bold(line) and len(text.split()) <= LONGEST_LABEL and not _ENDS.search(text) and "](" not in text
    )


def _is_numbered_heading(line: list[TextRun]) -> bool:
    return is_heading(line) and _COUNTED.match(plain_line(line)) is not None


def run_markdown(line: list[TextRun]) -> str:
    """The text of the line. A bold beginning keeps its markup, unless the whole line is bold."""
    lead: list[str] = []
    plain: list[str] = []
    closed = False
    for run in line:
        goes_on = (run.bold or not run.text.strip()) and not plain and not closed
        (lead if goes_on else plain).append(run.text)
        closed = closed or END_OF_LABEL in run.text
    head, tail = to_one_line("".join(lead)), to_one_line("".join(plain))
    if head and tail and len(head.split()) <= LONGEST_LABEL and "](" not in head:
        return f"**{head}** {tail}"
    return plain_line(line)
