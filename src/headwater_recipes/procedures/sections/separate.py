"""Separates several procedures on one page, and the languages of a bilingual page."""

import re
from collections.abc import Sequence
from dataclasses import replace

from headwater.text.folding import fold_text
from headwater_recipes.procedures.page.page import LanguageDetector
from headwater_recipes.procedures.sections.parts import PagePart, SectionLine

CORE = frozenset(
    {
        "requisitos",
        "documentos_necesarios",
        "plazos",
        "tasas",
        "como_solicitar",
        "donde_solicitar",
        "cuantias",
        "descripcion",
    }
)
NAMES = frozenset({"donde_solicitar", "contacto", "base_legal", "organismo"})
"""Fields with names of streets, offices and laws, which are not translated."""
VARIANT = re.compile(
    r"(?:modalidad|modalitat|opcion|opcio|caso|cas|supuesto|grupo|grup|tipo|tipus|linea|linia|si|para|per|personas|persones|persoas|persona|solicitantes|categoria|fase|paso|anexo|capitulo|titulo|articulo|article|artikulu)\b"
)
FEWEST_SHARED = 2
HALVES = re.compile(r"(?<!\s)\s++[/|]\s+")
Chapter = tuple[PagePart | None, list[PagePart]]


def separate_procedures(parts: Sequence[PagePart]) -> list[Chapter]:
    """Each procedure with its heading and sections. Sections outside all procedures belong to every one of them. A page with
    one procedure returns all sections without a heading."""
    for level in (1, 2, 3, 4):
        chapters = _chapters(parts, level)
        if len(chapters) > 1 and _have_same_fields(chapters):
            inside = {id(part) for head, below in chapters for part in [head, *below]}
            shared = [
                part
                for part in parts
                if id(part) not in inside and part.label is not None and part.level >= level
            ]
            return [(head, [head, *below, *shared]) for head, below in chapters]
    return [(None, list(parts))]


def _chapters(parts: Sequence[PagePart], level: int) -> list[tuple[PagePart, list[PagePart]]]:
    chapters: list[tuple[PagePart, list[PagePart]]] = []
    inside: list[PagePart] | None = None
    for part in parts:
        if part.title and part.level <= level:
            inside = None
            if part.level == level and part.label is None and not VARIANT.match(fold_text(part.title)):
                inside = []
                chapters.append((part, inside))
        elif inside is not None:
            inside.append(part)
    return [(head, below) for head, below in chapters if len(fields_of(below)) >= FEWEST_SHARED]


def fields_of(parts: Sequence[PagePart]) -> set[str]:
    return {part.field for part in parts if part.own and part.lines} & CORE


def _have_same_fields(chapters: Sequence[tuple[PagePart, list[PagePart]]]) -> bool:
    """Whether all chapters have the same fields."""
    common = set.intersection(*(fields_of(below) for _, below in chapters))
    return len(common) >= FEWEST_SHARED


def in_language(
    parts: Sequence[PagePart], first_language: str, other: str, detect: LanguageDetector
) -> list[PagePart]:
    """The sections of a bilingual page in the first language. A section of unknown language stays, unless the same section
    exists in the first language."""
    if not other or other == first_language:
        return list(parts)
    parts = [_in_one_language(part, first_language, other, detect) for part in parts]
    languages = [detect(f"{part.title}\n{part.text}") for part in parts]
    translated = {
        (part.field, part.key)
        for part, language in zip(parts, languages, strict=True)
        if language == first_language
    }
    selected = []
    for part, language in zip(parts, languages, strict=True):
        if language == other and part.field in NAMES and (part.field, part.key) not in translated:
            selected.append(part)
        elif language == other or (
            language != first_language and (part.field, part.key) in translated and part.field in CORE
        ):
            continue
        else:
            selected.append(part)
    return selected


def _in_one_language(part: PagePart, first_language: str, other: str, detect: LanguageDetector) -> PagePart:
    """The section without lines and halves of lines in the other language, where both alternate."""
    if part.field in NAMES:
        return part
    lines = tuple(_first_half(line, first_language, other, detect) for line in part.lines)
    languages = [detect(line.text) for line in lines]
    if first_language in languages and other in languages:
        lines = tuple(line for line, language in zip(lines, languages, strict=True) if language != other)
    return replace(part, lines=lines)


def _first_half(line: SectionLine, first_language: str, other: str, detect: LanguageDetector) -> SectionLine:
    """The half of a line in the first language, if the other half is its translation."""
    halves = HALVES.split(line.text)
    if len(halves) != 2 or line.kind == "row":
        return line
    languages = [detect(half) for half in halves]
    if other not in languages or not {first_language, ""} & set(languages):
        return line
    return replace(line, text=halves[1 - languages.index(other)], lead="", rest="")
