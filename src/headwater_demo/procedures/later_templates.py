"""A second set of templates that the rules were not made with: grids of columns, chapters in prose, nested accordions."""

from collections.abc import Mapping
from html import escape

from headwater_demo.procedures.content import Portal, Text
from headwater_demo.procedures.parts import Piece, pieces
from headwater_demo.procedures.templates import Template, body, frame

WORDS: Mapping[str, Mapping[str, str]] = {
    "es": {
        "descripcion": "Finalidad", "requisitos": "Requisitos que hay que cumplir", "documentos": "Documentos que debe acompañar", "solicitud": "Período de solicitud",
        "resolucion": "Tiempo estimado de resolución", "silencio_administrativo": "Efectos de la falta de resolución", "recurso": "Recursos procedentes",
        "tasas": "Tasa o precio público", "cuantias": "Dotación", "como": "Modalidades de presentación", "donde": "Lugares de atención",
        "base_legal": "Disposiciones aplicables", "telefono": "Atención telefónica", "organismo": "Entidad convocante", "datos": "Notas",
    },
    "gl": {
        "descripcion": "De que se trata", "requisitos": "Quen ten dereito", "documentos": "Documentación que se debe achegar", "solicitud": "Período de solicitude",
        "resolucion": "Tempo de resolución", "silencio_administrativo": "Sentido do silencio", "recurso": "Recursos", "tasas": "Prezo público", "cuantias": "Importe da axuda",
        "como": "Formas de presentación", "donde": "Lugares de presentación", "base_legal": "Regulación", "telefono": "Contacto", "organismo": "Unidade responsable", "datos": "Observacións",
    },
    "eu": {
        "descripcion": "Zertarako da", "requisitos": "Nork egin dezakeen", "documentos": "Eskaerarekin batera aurkeztu beharreko agiriak", "solicitud": "Izena emateko epea",
        "resolucion": "Erantzuteko epea", "silencio_administrativo": "Isiltasunaren ondorioak", "recurso": "Errekurtsoak", "tasas": "Ordaindu beharreko tasa", "cuantias": "Zenbatekoa",
        "como": "Eskaera nola egin", "donde": "Nora joan", "base_legal": "Arau aplikagarriak", "telefono": "Harremanetarako telefonoa", "organismo": "Sail arduraduna", "datos": "Oharrak",
    },
}  # fmt: skip


def _named(portal: Portal, text: Text, turn: int) -> list[tuple[str, Piece]]:
    keys = iter(text.plazos)
    words = WORDS[portal.language]
    return [
        (words[next(keys) if one.field == "plazos" else one.field], one) for one in pieces(portal, text, turn)
    ]


def columns(portal: Portal, text: Text, turn: int) -> str:
    """Labels and values side by side in a grid, with nothing but its columns to tell them apart."""
    rows = "".join(
        f'<div class="row mb-2"><div class="col-md-3">{escape(words)}</div><div class="col-md-9">{body(one)}</div></div>'
        for words, one in _named(portal, text, turn)
    )
    comments = '<div id="comentarios"><h3>Comentarios</h3><p>Ana: ¿Y los requisitos? Plazo: no me contestan. Tasa: cara.</p></div>'
    return frame(
        portal, text.nombre, f'<div class="container"><h1>{escape(text.nombre)}</h1>{rows}{comments}</div>'
    )


def groups(portal: Portal, text: Text, turn: int) -> str:
    """Parts gathered under headings of their own; the parts themselves are titles of a lower rank."""
    named = _named(portal, text, turn)
    first = [pair for pair in named if pair[1].field in {"descripcion", "requisitos", "cuantias"}]
    second = [pair for pair in named if pair[1].field in {"documentos", "como", "donde", "plazos", "tasas"}]
    third = [pair for pair in named if pair not in first and pair not in second]
    told = "".join(
        f"<section><h2>{title}</h2>{''.join(f'<h5>{escape(words)}</h5><div>{body(one)}</div>' for words, one in some)}</section>"
        for title, some in (
            ("Lo esencial", first),
            ("El trámite paso a paso", second),
            ("Para saber más", third),
        )
    )
    note = "<section><h2>Requisitos técnicos</h2><p>Para tramitar por internet necesita un navegador actualizado y un certificado. Documentación en PDF.</p></section>"
    return frame(portal, text.nombre, f"<main><h1>{escape(text.nombre)}</h1>{told}{note}</main>")


def definitions_in_text(portal: Portal, text: Text, turn: int) -> str:
    """Labels at the beginning of paragraphs, with a dash, in italics and small capitals."""
    lines = []
    for words, one in _named(portal, text, turn):
        if one.kind == "list" and len(one.lines) > 1:
            lines.append(
                f'<p class="etq"><em>{escape(words)}</em></p><ol>{"".join(f"<li>{line}</li>" for line in one.lines)}</ol>'
            )
        else:
            lines.append(
                f'<p class="etq"><em>{escape(words)}</em></p>'
                + "".join(f"<p>{line}</p>" for line in one.lines)
            )
    return frame(portal, text.nombre, f'<div id="texto"><h1>{escape(text.nombre)}</h1>{"".join(lines)}</div>')


LATER_TEMPLATES: Mapping[str, Template] = {
    "columns": columns,
    "groups": groups,
    "italics": definitions_in_text,
}
