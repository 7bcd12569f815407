"""A text as parts in order: label and content, for any template to lay out."""

from dataclasses import dataclass
from html import escape

from headwater_demo.procedures.content import DemoPortal, ProcedureText
from headwater_demo.procedures.labels import label

CHANNEL_LABELS = {
    "online": "online",
    "presencial": "presencial",
    "telefono": "telefonica",
    "correo": "correo",
}


@dataclass(frozen=True, slots=True)
class Piece:
    """`kind` is paragraph, list or markup; `field` lets templates treat some pieces differently."""

    field: str
    label: str
    lines: tuple[str, ...]
    kind: str = "paragraph"


def pieces(portal: DemoPortal, text: ProcedureText, turn: int) -> list[Piece]:
    """Lines are markup already; a list's lines are its items."""

    def labelled(part: str) -> str:
        return label(portal.language, part, turn)

    parts = [
        Piece("descripcion", labelled("descripcion"), (escape(text.descripcion),)),
        Piece("requisitos", labelled("requisitos"), _escape_all(text.requisitos), "list"),
        Piece("documentos", labelled("documentos"), _escape_all(text.documentos), "list"),
    ]
    parts += [Piece("plazos", labelled(key), (escape(value),)) for key, value in text.plazos.items()]
    if text.tasas:
        parts.append(Piece("tasas", labelled("tasas"), (escape(_fee(portal, text, turn)),)))
    if text.cuantias:
        parts.append(Piece("cuantias", labelled("cuantias"), tuple(map(escape, text.cuantias.values()))))
    parts.append(Piece("como", labelled("como"), tuple(_way(portal, way) for way in text.como), "list"))
    if where := _where(portal, text, turn):
        parts.append(Piece("donde", labelled("donde"), where))
    if text.base_legal:
        parts.append(Piece("base_legal", labelled("base_legal"), tuple(map(_law, text.base_legal)), "list"))
    if text.telefono:
        parts.append(Piece("telefono", labelled("telefono"), (text.telefono,)))
    if text.datos:
        parts.append(Piece("datos", labelled("datos"), _escape_all(text.datos)))
    parts.append(Piece("organismo", labelled("organismo"), (escape(portal.organism),)))
    return parts


def _escape_all(lines: list[str]) -> tuple[str, ...]:
    return tuple(map(escape, lines))


def _fee(portal: DemoPortal, text: ProcedureText, turn: int) -> str:
    return label(portal.language, "gratis", turn) if text.tasas == "Gratuito" else str(text.tasas)


def _way(portal: DemoPortal, way: tuple[str, str]) -> str:
    name = label(portal.language, CHANNEL_LABELS[way[0]], 0)
    return f"<strong>{escape(name)}:</strong> {escape(way[1])}"


def _where(portal: DemoPortal, text: ProcedureText, turn: int) -> tuple[str, ...]:
    links = [f'<a href="{path}">{escape(words)}</a>' for words, path in text.urls]
    if text.cita:
        links.append(f'<a href="{text.cita}">{escape(label(portal.language, "cita", turn))}</a>')
    return (*links, *map(escape, text.direcciones))


def _law(law: tuple[str, str]) -> str:
    name, number = law
    if not number:
        return escape(name)
    return f'<a href="https://www.boe.es/buscar/act.php?id={number}">{escape(name)}</a>'
