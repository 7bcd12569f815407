"""RTF as a stream of tokens, and a parser that turns them into blocks, group by group."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from headwater.extract.blocks import Block, Heading, ListItem, Paragraph, Table
from headwater.extract.rtf.control_words import (
    CHARACTERS,
    CODE_PAGES,
    COLLECTED_GROUPS,
    FONT_CHARSETS,
    IGNORED_GROUPS,
)

_TOKEN = re.compile(
    rb"\\(?:([a-zA-Z]{1,32})(-?[0-9]{1,10})? ?|'([0-9a-fA-F]{2})|([^a-zA-Z']))|([{}])|[\r\n]+|([^\\{}\r\n]+)|\\"
)


class RtfToken(NamedTuple):
    """`kind`: word, symbol, byte, open, close or text."""

    kind: str
    word: str = ""
    number: int | None = None
    data: bytes = b""


def rtf_tokens(data: bytes) -> Iterator[RtfToken]:
    position, end = 0, len(data)
    while position < end:
        match = _TOKEN.match(data, position)
        if match is None:
            return
        position = match.end()
        word, number, escaped, symbol, brace, text = match.groups()
        if word:
            token = RtfToken("word", word.decode("ascii"), int(number) if number else None)
            if token.word == "bin":  # so many raw bytes follow
                position += max(0, token.number or 0)
            else:
                yield token
        elif text:
            yield RtfToken("text", data=text)
        elif brace:
            yield RtfToken("open" if brace == b"{" else "close")
        elif escaped:
            yield RtfToken("byte", data=bytes.fromhex(escaped.decode("ascii")))
        elif symbol:
            yield RtfToken("symbol", symbol.decode("latin-1"))


DEEPEST = 2_000
_STYLE = re.compile("\0(\\d{1,6})\0([^\0;]*)")
_HEADING = re.compile(r"\s*(?:heading|título|titulo|überschrift|titre|titolo)\s*([1-6])\s*\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RtfGroup:
    """The state inside a pair of braces. `target` names where its text goes: "" is the document, None is nowhere."""

    target: str | None = ""
    font: int = 0
    after_unicode: int = 1
    hidden: bool = False


@dataclass(slots=True)
class RtfParser:
    blocks: list[Block] = field(default_factory=list)
    collected: dict[str, list[str]] = field(default_factory=dict)
    code_page: str = "cp1252"
    fonts: dict[int, str] = field(default_factory=dict)
    group: RtfGroup = field(default_factory=RtfGroup)
    outer: list[RtfGroup] = field(default_factory=list)
    line: list[str] = field(default_factory=list)
    pending: bytearray = field(default_factory=bytearray)
    skip: int = 0
    starred: bool = False
    style: int | None = None
    outline: int | None = None
    cells: list[str] = field(default_factory=list)
    rows: list[tuple[str, ...]] = field(default_factory=list)
    in_table: bool = False
    high_half: int = 0
    headings: dict[int, int] | None = None

    def feed(self, token: RtfToken) -> None:
        if token.kind in {"text", "byte"}:
            self._bytes(token.data)
            return
        self._flush()
        match token.kind:
            case "open":
                self._open()
            case "close":
                self._close()
            case "symbol":
                self._symbol(token.word)
            case _:
                self._word(token.word, token.number)

    def finish(self) -> None:
        self._flush()
        self._end_paragraph()
        self._end_table()

    def _open(self) -> None:
        self.skip = 0
        self.outer.append(self.group)

    def _close(self) -> None:
        self.skip = 0
        if self.outer:
            self.group = self.outer.pop()

    def _symbol(self, symbol: str) -> None:
        if symbol == "*":
            self.starred = True
        elif symbol in {"\n", "\r"}:
            self._end_paragraph()
        elif symbol in "{}\\":
            self._put(symbol)
        elif symbol in CHARACTERS:
            self._put(CHARACTERS[symbol])

    def _word(self, word: str, number: int | None) -> None:
        starred, self.starred = self.starred, False
        if word in COLLECTED_GROUPS:
            self.group = replace(self.group, target=word if self.group.target is not None else None)
        elif word in IGNORED_GROUPS or (starred and word not in {"shppict", "shptxt"}):
            self.group = replace(self.group, target=None)
        elif word == "u":
            self._unicode(number or 0)
        elif word in CHARACTERS:
            self._put(CHARACTERS[word])
        elif word in CODE_PAGES:
            self.code_page = CODE_PAGES[word]
        else:
            self._state(word, number)

    def _state(self, word: str, number: int | None) -> None:
        """Control words that change how the following text is read."""
        match word:
            case "par" | "sect" | "page":
                self._end_paragraph()
            case "pard":
                self.style = self.outline = None
                self.in_table = False
            case "plain":
                self.group = replace(self.group, hidden=False)
            case "intbl":
                self.in_table = True
            case "cell" | "nestcell":
                self._end_cell()
            case "row" | "nestrow":
                self._end_row()
            case "s":
                self._named_style(number)
            case "outlinelevel":
                self.outline = number
            case _:
                self._character(word, number)

    def _character(self, word: str, number: int | None) -> None:
        match word:
            case "f":
                self.group = replace(self.group, font=number or 0)
            case "fcharset":
                if number in FONT_CHARSETS:
                    self.fonts[self.group.font] = FONT_CHARSETS[number]
            case "ansicpg":
                self.code_page = f"cp{number}" if number else self.code_page
            case "uc":
                self.group = replace(self.group, after_unicode=min(max(number or 0, 0), 8))
            case "v":
                self.group = replace(self.group, hidden=number != 0)
            case "yr" | "mo" | "dy" | "hr" | "min" | "sec" if self.group.target in {"creatim", "revtim"}:
                self.collected.setdefault(self.group.target, []).append(f"{number or 0:02d}")

    def _named_style(self, number: int | None) -> None:
        if self.group.target == "stylesheet":
            self.collected.setdefault("stylesheet", []).append(f"\0{number or 0}\0")
        else:
            self.style = number

    def _unicode(self, code: int) -> None:
        """A signed 16-bit unit; the characters that follow for old readers are skipped."""
        code &= 0xFFFF
        self.skip = self.group.after_unicode
        if 0xD800 <= code < 0xDC00:
            self.high_half = code
        elif 0xDC00 <= code < 0xE000:
            if self.high_half:
                self._put(chr(0x10000 + ((self.high_half - 0xD800) << 10) + code - 0xDC00))
            self.high_half = 0
        else:
            self._put(chr(code))

    def _bytes(self, data: bytes) -> None:
        if self.skip:
            passed = min(self.skip, len(data))
            self.skip -= passed
            data = data[passed:]
        if self.group.target is not None and not self.group.hidden:
            self.pending += data

    def _flush(self) -> None:
        """Decodes the pending bytes together: a character may take several."""
        if self.pending:
            page = self.fonts.get(self.group.font, self.code_page)
            try:
                text = self.pending.decode(page, "replace")
            except LookupError:
                text = self.pending.decode("cp1252", "replace")
            self.pending.clear()
            self._put(text)

    def _put(self, text: str) -> None:
        target = self.group.target
        if target == "":
            if not self.group.hidden:
                self.line.append(text)
        elif target is not None:
            self.collected.setdefault(target, []).append(text)

    def _end_paragraph(self) -> None:
        if self.group.target != "":
            return
        if self.in_table:
            self.line.append("\n")
            return
        text = "".join(self.line)
        self.line.clear()
        if text.strip():
            self._end_table()
            self.blocks.append(self._block(text))
        self.collected.pop("listtext", None)

    def _block(self, text: str) -> Block:
        level = self.outline + 1 if self.outline is not None and 0 <= self.outline < 6 else self._styled()
        if level:
            return Heading(text, level)
        mark = "".join(self.collected.get("listtext", [])).strip()
        if mark:
            return ListItem(text, 0, mark if mark[0].isalnum() and len(mark) < 8 else "")
        return Paragraph(text)

    def _styled(self) -> int:
        if self.headings is None:
            self.headings = heading_styles("".join(self.collected.get("stylesheet", [])))
        return self.headings.get(self.style, 0) if self.style is not None else 0

    def _end_cell(self) -> None:
        self.cells.append("".join(self.line))
        self.line.clear()
        self.in_table = True

    def _end_row(self) -> None:
        if self.cells:
            self.rows.append(tuple(self.cells))
            self.cells.clear()
        self.in_table = False

    def _end_table(self) -> None:
        if self.cells:
            self._end_row()
        if self.rows:
            self.blocks.append(Table(tuple(self.rows)))
            self.rows.clear()


def heading_styles(sheet: str) -> dict[int, int]:
    """Style number to heading level, by the styles' names."""
    headings_by_number = {int(number): _HEADING.match(name) for number, name in _STYLE.findall(sheet)}
    return {number: int(match[1]) for number, match in headings_by_number.items() if match}
