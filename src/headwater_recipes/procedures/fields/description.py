"""What a procedure is for: one paragraph of the page, in at most two sentences."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from headwater.text.folding import fold_text
from headwater_recipes.procedures.detection import CORE
from headwater_recipes.procedures.fields.entries import NOTE
from headwater_recipes.procedures.fields.responsible import responsible_in
from headwater_recipes.procedures.fields.telephones import number_in
from headwater_recipes.procedures.fields.title import NOT_ABOUT
from headwater_recipes.procedures.fields.value import NO_VALUE, FieldValue, spans_of
from headwater_recipes.procedures.sections.classifier import CLASSES, section_shares
from headwater_recipes.procedures.sections.parts import PagePart, SectionLine
from headwater_recipes.procedures.sections.sentences import sentences
from headwater_recipes.procedures.sections.word_meaning import text_meaning

MOST_SENTENCES, LONGEST_LIST = 2, 700
SHORTEST, FEWEST_WORDS = 20, 6
# The first paragraph below the title describes the procedure, unless a later one is this much likelier. Both numbers are in a wide
# range with the same result: a strange paragraph above the description is passed over in three of four cases, one below it is
# taken in one of a hundred.
PLAINLY, NEARNESS, UNLIKELY = 1.6, 4.0, 0.02
ABOUT_THE_PAGE = frozenset({"nombre", "nombre_alternativo", "organismo", "codigo_sia", "ignored", "contacto"})
ENDS = (".", "!")
CALLING = re.compile(
    r"\b(?:tel|telf|telefon\w*|tlf|tfno|llam[ae]\w*|truca\w*|truqu\w*|chama\w*|chame\w*|deitu\w*|call|ring|dial|phone|telephone)\b"
)


@dataclass(frozen=True, slots=True)
class _Paragraph:
    """A paragraph with the items of the list that it introduces."""

    lines: tuple[SectionLine, ...]

    @property
    def text(self) -> str:
        if len(self.lines) == 1:
            return self.lines[0].text
        return " ".join(
            line.text if line.text.endswith((*ENDS, "?", ":", ";")) else f"{line.text}."
            for line in self.lines
        )

    @property
    def is_sentence(self) -> bool:
        return self.text.endswith(ENDS)


def description_of(parts: Sequence[PagePart], name: str, meta: str) -> tuple[FieldValue, FieldValue]:
    """The paragraph that says what the procedure is for, and the remaining text about it. A section about it comes first, then
    the text below the title, then a section about it that follows the answers of the procedure: that one explains something
    else more often."""
    early, late = _labelled(parts)
    opening = [_Paragraph((line,)) for line in _opening_lines(parts)]
    candidates = (_first_prose(early), _likeliest(opening, name), _first_prose(late), *opening)
    chosen = next((paragraph for paragraph in candidates if paragraph is not None), None)
    if chosen is None:
        enough = len(meta.strip()) >= SHORTEST
        return (FieldValue(meta.strip(), origin="frame:description") if enough else NO_VALUE), NO_VALUE
    selected, further = _cut(chosen)
    others = [paragraph for paragraph in (*early, *late) if paragraph != chosen]
    lines = [line for paragraph in ([chosen] if further else []) + others for line in paragraph.lines]
    remaining = " ".join([*further, *(paragraph.text for paragraph in others)])
    return FieldValue(selected, spans_of(chosen.lines)), FieldValue(remaining, spans_of(lines))


def description_from_name(name: FieldValue, organism: FieldValue) -> FieldValue:
    """The name, and the organism if the name is short, for pages that describe nothing, such as forms. A document needs a
    description; without one the whole page would wait for a person."""
    if not name or len(name.value) >= SHORTEST:
        return name
    if not organism:
        return NO_VALUE
    text = f"{name.value} ({organism.value})"
    spans = tuple(sorted({*name.spans, *organism.spans}))
    return FieldValue(text, spans, name.origin or organism.origin) if len(text) >= SHORTEST else NO_VALUE


def _cut(paragraph: _Paragraph) -> tuple[str, list[str]]:
    """The first sentences, and the others. Sentences that only say who is responsible or whom to call belong to other fields."""
    first_sentence, *further = sentences(paragraph.text) or [""]
    relevant = [first_sentence, *(text for text in further if not _belongs_elsewhere(text))]
    if len(relevant) <= MOST_SENTENCES and len(relevant) == len(further) + 1:
        return paragraph.text, []
    return " ".join(relevant[:MOST_SENTENCES]), relevant[MOST_SENTENCES:]


def _belongs_elsewhere(sentence: str) -> bool:
    calls = CALLING.search(fold_text(sentence)) is not None and bool(number_in(sentence))
    return calls or bool(responsible_in(sentence))


def _labelled(parts: Sequence[PagePart]) -> tuple[list[_Paragraph], list[_Paragraph]]:
    """The paragraphs of sections about the procedure, before and after the first answer of the procedure."""
    early: list[_Paragraph] = []
    late: list[_Paragraph] = []
    passed = False
    for part in parts:
        passed = passed or (part.field in CORE and bool(part.lines))
        if part.field == "descripcion":
            (late if passed else early).extend(_paragraphs(part.lines))
    return early, late


def _paragraphs(lines: Sequence[SectionLine]) -> Iterator[_Paragraph]:
    gathered: list[SectionLine] = []
    for line in lines:
        if (
            line.kind not in {"text", "item"}
            or NOTE.match(line.text)
            or NOT_ABOUT.match(fold_text(line.text))
        ):
            continue
        if gathered and not _continues(gathered, line):
            yield _Paragraph(tuple(gathered))
            gathered = []
        gathered.append(line)
    if gathered:
        yield _Paragraph(tuple(gathered))


def _continues(gathered: Sequence[SectionLine], line: SectionLine) -> bool:
    """Whether the line is an item of the list that the paragraph introduces."""
    introduces = line.kind == "item" and gathered[0].text.endswith(":")
    return introduces and sum(len(other.text) for other in gathered) < LONGEST_LIST


def _first_prose(paragraphs: Sequence[_Paragraph]) -> _Paragraph | None:
    """The first paragraph of a section that says more than who is responsible, or else the first. Its words may be no sentence
    ("Permiso para obras"), but one or two words before a sentence are no description."""
    enough = [paragraph for paragraph in paragraphs if len(paragraph.text) >= SHORTEST]
    plain = [
        paragraph
        for paragraph in enough
        if paragraph.is_sentence or len(paragraph.text.split()) >= FEWEST_WORDS
    ]
    about = [paragraph for paragraph in plain if not _is_elsewhere(paragraph)]
    return next(iter([*about, *plain, *enough]), None)


def _is_elsewhere(paragraph: _Paragraph) -> bool:
    return all(_belongs_elsewhere(text) for text in sentences(paragraph.text))


def _likeliest(opening: Sequence[_Paragraph], name: str) -> _Paragraph | None:
    """The first sentences below the title and outside all labelled sections, unless later ones are plainly likelier."""
    about = [paragraph for paragraph in opening if paragraph.is_sentence and not _is_elsewhere(paragraph)]
    chosen = next(iter(about), None)
    for paragraph in about[1:]:
        if chosen and _likelihood(paragraph, name) - _likelihood(chosen, name) > PLAINLY:
            chosen = paragraph
    return chosen


def _likelihood(paragraph: _Paragraph, name: str) -> float:
    """How plainly the words are those of a description, and of this procedure."""
    share = float(section_shares("", paragraph.lines)[CLASSES.index("descripcion")])
    nearness = float(text_meaning(fold_text(paragraph.text)) @ text_meaning(fold_text(name)))
    return math.log(share + UNLIKELY) + NEARNESS * nearness


def _opening_lines(parts: Sequence[PagePart]) -> list[SectionLine]:
    opening: list[SectionLine] = []
    passed = False
    for part in parts:
        if part.field == "codigo_sia" and not passed:
            opening += _prose(part.lines[1:])  # a code is one line; the rest belongs to the page
        elif part.label is not None:
            passed = passed or part.field not in ABOUT_THE_PAGE
        elif _is_opening(part, passed=passed, opening=opening):
            opening += _prose(part.lines)
    return opening


def _is_opening(part: PagePart, *, passed: bool, opening: Sequence[SectionLine]) -> bool:
    """Whether the part belongs to the opening. Key facts may come before the title; the text below the title still counts."""
    sentence_before = any(line.text.endswith(ENDS) for line in opening)
    if part.level == 1 and not opening:
        return True
    if part.title and sentence_before and part.level > 1:
        return False  # a section of its own, whatever it says
    if part.title and not passed and not opening:
        return True
    return part.level <= 2 and not (passed and (part.title or sentence_before))


def _prose(lines: Sequence[SectionLine]) -> list[SectionLine]:
    return [
        line
        for line in lines
        if line.kind == "text"
        and len(line.text.split()) >= FEWEST_WORDS
        and not line.text.endswith("?")
        and not NOTE.match(line.text)
        and not NOT_ABOUT.match(fold_text(line.text))
    ]
