"""One page may tell of several procedures, and in several languages."""

import re
from collections.abc import Sequence

from headwater.text.folding import fold_text
from headwater_recipes.procedures.page.page import LanguageDetector
from headwater_recipes.procedures.sections.parts import PagePart

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
"""Names of streets, offices and laws stay in their own language on any page."""
VARIANT = re.compile(
    r"(?:modalidad|modalitat|opcion|opcio|caso|cas|supuesto|grupo|grup|tipo|tipus|linea|linia|si|para|per|personas|persones|persoas|persona|solicitantes|categoria|fase|paso|anexo|capitulo|titulo|articulo|article|artikulu)\b"
)
FEWEST_SHARED = 2
Chapter = tuple[PagePart | None, list[PagePart]]


def separate_procedures(parts: Sequence[PagePart]) -> list[Chapter]:
    """Each procedure's heading with its parts. What stands outside of all belongs to every one of them; a page with
    one procedure gives all parts under no heading."""
    for level in (1, 2, 3, 4):
        chapters = _chapters(parts, level)
        if len(chapters) > 1 and _alike(chapters):
            inside = {id(part) for head, below in chapters for part in [head, *below]}
            shared = [
                part
                for part in parts
                if id(part) not in inside and part.label is not None and part.level >= level
            ]
            return [(head, [head, *below, *shared]) for head, below in chapters]
    return [(None, list(parts))]


def _chapters(parts: Sequence[PagePart], level: int) -> list[tuple[PagePart, list[PagePart]]]:
    found: list[tuple[PagePart, list[PagePart]]] = []
    inside: list[PagePart] | None = None
    for part in parts:
        if part.title and part.level <= level:
            inside = None
            if part.level == level and part.label is None and not VARIANT.match(fold_text(part.title)):
                inside = []
                found.append((part, inside))
        elif inside is not None:
            inside.append(part)
    return [(head, below) for head, below in found if len(fields_of(below)) >= FEWEST_SHARED]


def fields_of(parts: Sequence[PagePart]) -> set[str]:
    return {part.field for part in parts if part.own and part.lines} & CORE


def _alike(chapters: Sequence[tuple[PagePart, list[PagePart]]]) -> bool:
    """They answer the same questions, each for itself."""
    common = set.intersection(*(fields_of(below) for _, below in chapters))
    return len(common) >= FEWEST_SHARED


def in_language(parts: Sequence[PagePart], wanted: str, other: str, tell: LanguageDetector) -> list[PagePart]:
    """Of a page in two languages, the parts in the first one; a part whose language cannot be told stays, unless the
    same part in the wanted language is there."""
    if not other or other == wanted:
        return list(parts)
    told = [tell(f"{part.title}\n{part.text}") for part in parts]
    settled = {
        (part.field, part.key) for part, language in zip(parts, told, strict=True) if language == wanted
    }
    kept = []
    for part, language in zip(parts, told, strict=True):
        if language == other and part.field in NAMES and (part.field, part.key) not in settled:
            kept.append(part)
        elif language == other or (
            language != wanted and (part.field, part.key) in settled and part.field in CORE
        ):
            continue
        else:
            kept.append(part)
    return kept
