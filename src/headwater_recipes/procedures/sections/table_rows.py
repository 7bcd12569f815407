"""Rows of tables: which of them only name the columns."""

import re
from collections.abc import Sequence

from headwater.text.folding import fold_text
from headwater_recipes.procedures.sections.parts import SectionLine

COLUMNS = re.compile(
    r"^(?:documento?s?|documentaci\w+|requisitos?|requisits?|tipos?|tipus|modalidad\w*|modalitat\w*|modalidade|descripcion|descripcio|descricion|conceptos?|concepte|kontzeptua|agiria|agiriak|dokumentua|document|requirements?|n o|num\w*|orden|obligatori\w*|observacion\w*|observacions|notas?|importes?|import|zenbatekoa|prezioa|tarifas?|tarifa|precios?|preu|prezo|prices?|fees?|amount|cuantias?|quantia|contia|plazos?|termini|prazo|epea|deadline|fases?|tramites?|tramit|izapidea|step|pasos?|pas|urratsa|canal\w*|via|medio|mitja|bidea|channel|norma\w*|fecha|data|formato|format|grupo|grup|taldea|categoria|supuesto|caso|item|who|quien|qui|nor|ejemplo|cuando|when|donde|where|detalles?|detall|xehetasunak|details?)\b"
)
MOST_WORDS = 5
DIGIT = re.compile(r"\d")


def is_header_row(lines: Sequence[SectionLine], place: int) -> bool:
    """Whether this is the first row of a table and names its columns."""
    line = lines[place]
    if line.kind != "row" or (place > 0 and lines[place - 1].kind == "row"):
        return False
    if place + 1 >= len(lines) or lines[place + 1].kind != "row":
        return False
    cells = [fold_text(cell) for cell in line.cells]
    short = all(len(cell.split()) <= MOST_WORDS and not DIGIT.search(cell) for cell in cells)
    if not short or any(cell.endswith((".", ";")) for cell in line.cells):
        return False
    return bool(cells) and (not cells[0] or any(COLUMNS.match(cell) for cell in cells))


def without_header_rows(lines: Sequence[SectionLine]) -> list[SectionLine]:
    return [line for place, line in enumerate(lines) if not is_header_row(lines, place)]
