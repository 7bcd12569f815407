"""The lines of an extracted text, and the sections that they form."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from headwater_recipes.procedures.labels.vocabulary import Label

HEADING = re.compile(r"^(#{1,6})\s+(.+)$")
ITEM = re.compile(r"^\s*(?:[-*+•]|\d{1,2}[.)]|[a-z]\))\s+(?=\S)")
LINK = re.compile(r"\[([^\[\]]{0,500})\]\(([^()\s]{1,2000})\)")
COUNT = re.compile(r"^\s*\d{1,2}\s*$")  # the number of a step on its own line
TYPED_COUNT = re.compile(r"^(\d{1,2})\s+(?=[A-ZÁÉÍÓÚÀÈÒÑÇ¿¡])")
FEWEST_COUNTED = 2
RULE = re.compile(r"^-{3,8}$")
SEPARATOR = re.compile(r"^\|(?:\s*+:?-{3,}+:?\s*+\|)++\s*$")
CELL = re.compile(r"(?<!\\)\|")
BOLD_LEAD = re.compile(r"^\*\*(.{1,160}?)\*\*\s*:?\s*(.*)$")
_FILE = re.compile(r"\.(?:pdf|docx?|odt|xlsx?|zip|rtf)(?:$|[?#])", re.IGNORECASE)
_FETCHES = re.compile(
    r"\W*(?:modelo|model|impreso|impres|descarg\w+|descàrrega|baixa\w*|formulari\w*|pdf|word|odt|docx?|deskargatu|download|eredua|ver|anexo)\b.{0,30}$"
)
_GOES_ON = re.compile(r"\s[a-zà-ÿ]")
_NUMBERED_FORM = re.compile(
    r"(?:(?:modelo|model|impreso|impr[eè]s|formulari\w*|eredua) [\w/-]*[A-Z\d]|an+exo? [IVX\d]+$)",
    re.IGNORECASE,
)
"""The name of a form is a part of the text."""
_NOTE_SIGN = re.compile(
    r"(?:(?<!\s)\s++)?(?:\(\d{1,2}\)|\[\d{1,2}\]|(?<!\bm)(?<!km)(?<!cm)(?<![¹²³⁴⁵])[¹²³⁴⁵]++|(?<=\w)\*{1,3})(?=[.;,]?$)"
)
_MARKS = re.compile(r"\*\*|\u200b|^\\")


@dataclass(frozen=True, slots=True)
class TextLink:
    text: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionLine:
    """`kind`: heading, text, item, row, or rule (the end of labels of its `level`). `lead`: the bold words at the beginning,
    `rest`: the text after them. `cells`: of a row. `start`, `end`: the span in the text. `promoted`: a heading that was
    recognised by its words alone."""

    kind: str
    text: str
    start: int
    end: int
    level: int = 0
    lead: str = ""
    rest: str = ""
    cells: tuple[str, ...] = ()
    links: tuple[TextLink, ...] = ()
    promoted: bool = False
    numbered: bool = False


def with_counted_items(lines: Sequence[SectionLine]) -> list[SectionLine]:
    """The lines, with those that count from one upwards without a mark as numbered items: "1 Rellena la ficha", "2 Ven a vernos"."""
    result = list(lines)
    place = 0
    while place < len(lines):
        counted = _counted_from(lines, place)
        if len(counted) >= FEWEST_COUNTED:
            result[place : place + len(counted)] = counted
        place += max(1, len(counted))
    return result


def _counted_from(lines: Sequence[SectionLine], place: int) -> list[SectionLine]:
    """The lines from here on that begin with 1, 2, 3, without their numbers."""
    counted: list[SectionLine] = []
    for number, line in enumerate(lines[place:], start=1):
        match = TYPED_COUNT.match(line.text) if line.kind == "text" and not line.lead else None
        if match is None or int(match[1]) != number:
            break
        counted.append(replace(line, kind="item", text=line.text[match.end() :], numbered=True))
    return counted


def lines_of(text: str) -> Iterator[SectionLine]:
    """Every line with content."""
    place = 0
    for raw in text.split("\n"):
        start, place = place, place + len(raw) + 1
        if _has_content(raw) and not SEPARATOR.match(raw) and not COUNT.match(raw):
            yield _line(raw, start)


def _has_content(raw: str) -> bool:
    """Whether there is a letter or a number, or a rule; an icon alone says nothing."""
    return any(map(str.isalnum, raw)) or RULE.match(raw) is not None


def _line(raw: str, start: int) -> SectionLine:
    links = tuple(TextLink(match[1].strip(), match[2]) for match in LINK.finditer(raw))
    place: dict[str, Any] = {"start": start, "end": start + len(raw)}
    if match := HEADING.match(raw):
        return SectionLine(
            kind="heading", text=plain_text(match[2]), level=len(match[1]), links=links, **place
        )
    if RULE.match(raw):
        return SectionLine(kind="rule", text="", level=len(raw) - 2, **place)
    if raw.startswith("|"):
        cells = tuple(plain_text(cell.replace("\\|", "|")) for cell in CELL.split(raw.strip())[1:-1])
        return SectionLine(
            kind="row", text=" | ".join(filter(None, cells)), cells=cells, links=links, **place
        )
    if raw.startswith("\\") and ITEM.match(raw[1:]):
        raw = raw[1:]  # a bullet typed by hand, which the extractor escaped
    item = ITEM.match(raw)
    body = raw[item.end() :] if item else raw
    lead, rest = _lead(body)
    return SectionLine(
        kind="item" if item else "text",
        text=plain_text(body),
        lead=lead,
        rest=rest,
        links=links,
        numbered=bool(item and item[0].strip()[0].isdigit()),
        **place,
    )


def _lead(body: str) -> tuple[str, str]:
    match = BOLD_LEAD.match(body.strip().removeprefix("\\"))
    return (plain_text(match[1]).rstrip(" :.-–"), plain_text(match[2]).lstrip(": ")) if match else ("", "")


def has_content(line: SectionLine) -> bool:
    """Whether the line has more text than its links."""
    return " ".join(link.text for link in line.links).casefold().split() != line.text.casefold().split()


def plain_text(text: str) -> str:
    """The text without markup of links and emphasis, footnote signs, and links that only download a form."""
    words = " ".join(_MARKS.sub("", LINK.sub(_link_text, text)).split())
    return _NOTE_SIGN.sub("", words.replace(" ()", "").replace("()", ""))


def _link_text(match: re.Match[str]) -> str:
    only_downloads = _FILE.search(match[2]) and _FETCHES.match(match[1].lower()) and match.start() > 0
    goes_on = _GOES_ON.match(match.string, match.end()) or _NUMBERED_FORM.match(match[1])
    return "" if only_downloads and not goes_on else match[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class PagePart:
    """A section. `label`: of its heading, or of the heading above if its own has none. `own`: the label is that of its own
    heading. `also`: all labels of a heading that names two fields. `by_model`: the network, not a rule, gave the label. `above`: the titles of the headings above."""

    title: str
    level: int
    label: Label | None
    lines: tuple[SectionLine, ...] = ()
    start: int = 0
    own: bool = True
    also: tuple[Label, ...] = ()
    by_model: bool = False
    above: tuple[str, ...] = field(default_factory=tuple)

    @property
    def field(self) -> str:
        return self.label.field if self.label else ""

    @property
    def key(self) -> str:
        return self.label.key if self.label else ""

    @property
    def text(self) -> str:
        return "\n".join(line.text for line in self.lines)


def parts_of_field(parts: Sequence[PagePart], *fields: str) -> list[PagePart]:
    return [part for part in parts if part.field in fields]
