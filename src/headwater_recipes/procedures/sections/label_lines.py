"""Divides lines with several labels, as text recognition and narrow columns leave them: "Plazo: un mes. Tasa: 12 euros"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from headwater_recipes.procedures.labels.recognise import recognise_plain
from headwater_recipes.procedures.sections.parts import SectionLine

FIELDS = frozenset(
    {"requisitos", "documentos_necesarios", "plazos", "tasas", "cuantias", "como_solicitar", "donde_solicitar", "base_legal",
     "descripcion", "organismo"}
)  # fmt: skip
COLON = re.compile(r"\s?:(?=\s)")
BOUNDARY = re.compile(r"[.;!?)|·•]\s+")
WORD = re.compile(r"\S+")
MOST_WORDS, FEWEST_FIELDS, LONGEST = 7, 2, 4000


def divide_label_lines(lines: Sequence[SectionLine]) -> Iterator[SectionLine]:
    """The lines, with those that have labels of several fields divided before each label."""
    for line in lines:
        if (
            line.kind != "text"
            or line.lead
            or line.text.count(":") < FEWEST_FIELDS
            or len(line.text) > LONGEST
        ):
            yield line
            continue
        yield from _divided(line)


def _divided(line: SectionLine) -> Iterator[SectionLine]:
    cuts = list(_label_starts(line.text))
    if len({field for _, field in cuts}) < FEWEST_FIELDS:
        yield line
        return
    starts = [start for start, _ in cuts]
    ends = [*starts[1:], len(line.text)]
    if before := line.text[: starts[0]].strip():
        yield replace(line, text=before)
    for start, end in zip(starts, ends, strict=True):
        yield replace(line, text=line.text[start:end].strip(" |·•;"), links=())


def _label_starts(text: str) -> Iterator[tuple[int, str]]:
    """Where each label begins, with its field."""
    after = 0
    for colon in COLON.finditer(text):
        boundaries = [match.end() for match in BOUNDARY.finditer(text, after, colon.start())]
        beginning = boundaries[-1] if boundaries else after
        start, field = _label_before(text, beginning, colon.start(), whole=bool(boundaries) or not after)
        if field:
            yield start, field
        after = colon.end()


def _label_before(text: str, beginning: int, colon: int, *, whole: bool) -> tuple[int, str]:
    """The whole piece if it is a label, else its last words that begin with a capital letter and are one. A piece that begins
    after another label is a value and a label, so it is not tried as a whole."""
    words = [match.start() + beginning for match in WORD.finditer(text[beginning:colon])][-MOST_WORDS:]
    capitals = [start for start in words if text[start].isupper()]
    shouted = [start for start in capitals if text[start:colon].isupper()]
    for start in dict.fromkeys((*(words[:1] if whole else ()), *shouted, *reversed(capitals))):
        label = recognise_plain(f"{text[start:colon]}:")
        if label is not None and text[start].isupper():
            return start, label.field if label.field in FIELDS else ""
    return colon, ""
