"""Templates that were written after the rules of the reader: cards of questions, plain letters, grids."""

from collections.abc import Mapping
from html import escape

from headwater_demo.procedures.content import Portal, Text
from headwater_demo.procedures.parts import Piece, pieces
from headwater_demo.procedures.templates import Template, body, frame

SPOKEN: Mapping[str, Mapping[str, str]] = {
    "es": {
        "descripcion": "¿De qué se trata?", "requisitos": "¿A quién va dirigido?", "documentos": "¿Qué tengo que aportar?",
        "solicitud": "¿Hasta cuándo puedo pedirlo?", "resolucion": "¿Cuándo me contestarán?", "silencio_administrativo": "¿Qué pasa si no me contestan?",
        "recurso": "¿Cómo puedo recurrir?", "tasas": "¿Cuánto tengo que pagar?", "cuantias": "¿Cuánto se cobra?", "como": "¿Cómo lo pido?",
        "donde": "¿Adónde tengo que ir?", "base_legal": "¿Qué normas lo regulan?", "telefono": "¿Tiene dudas?", "organismo": "¿Quién lo gestiona?", "datos": "Conviene saber",
    },
    "ca": {
        "descripcion": "De què es tracta?", "requisitos": "Qui hi té dret?", "documentos": "Què he de portar?", "solicitud": "Fins quan ho puc demanar?",
        "resolucion": "Quan em respondran?", "silencio_administrativo": "I si no em responen?", "recurso": "Com puc recórrer?", "tasas": "He de pagar res?",
        "cuantias": "Quant em donaran?", "como": "Com ho faig?", "donde": "On he d'anar?", "base_legal": "Quines normes ho regulen?", "telefono": "Tens dubtes?",
        "organismo": "Qui ho gestiona?", "datos": "Cal saber",
    },
}  # fmt: skip
DEADLINES = ("solicitud", "resolucion", "silencio_administrativo", "recurso", "pago")


def _spoken(portal: Portal, text: Text, turn: int) -> list[tuple[str, Piece]]:
    keys = iter(text.plazos)
    return [
        (SPOKEN[portal.language][next(keys) if one.field == "plazos" else one.field], one)
        for one in pieces(portal, text, turn)
    ]


def cards(portal: Portal, text: Text, turn: int) -> str:
    """Marked up as questions and answers, each in a card, with a side column."""
    cards = "".join(
        f'<article class="faq-card" itemscope itemprop="mainEntity" itemtype="https://schema.org/Question"><div class="faq-q" itemprop="name"><i class="icon"></i>{escape(words)}</div>'
        f'<div itemscope itemprop="acceptedAnswer" itemtype="https://schema.org/Answer"><div itemprop="text">{body(one)}</div></div></article>'
        for words, one in _spoken(portal, text, turn)
    )
    side = '<aside><h3>Otros trámites</h3><ul><li><a href="/x">Padrón</a></li><li><a href="/y">Tasas</a></li></ul></aside>'
    return frame(
        portal,
        text.nombre,
        f'<div class="layout"><h1 class="hero__title">{escape(text.nombre)}</h1><div class="cards">{cards}</div>{side}</div>',
    )


def letter(portal: Portal, text: Text, turn: int) -> str:
    """Numbered capitals in paragraphs, lists typed by hand, everything in one cell of a table."""
    lines = []
    for number, one in enumerate(pieces(portal, text, turn), 1):
        head = f"<p><u>{number}.- {escape(one.label.upper())}</u></p>"
        if one.kind == "list" and len(one.lines) > 1:
            typed = "<br>".join(f"{'abcdefgh'[place]}) {line}" for place, line in enumerate(one.lines))
            lines.append(f"{head}<p>{typed}</p>")
        else:
            lines.append(head + "".join(f"<p>{line}</p>" for line in one.lines))
    inside = f'<table><tr><td><p align="center"><font size="5">{escape(text.nombre)}</font></p>{"".join(lines)}</td></tr></table>'
    return frame(portal, text.nombre, inside)


def grid(portal: Portal, text: Text, turn: int) -> str:
    """Headings with tables below: papers by rows, deadlines by rows, ways by rows."""
    found = pieces(portal, text, turn)
    dated = [one for one in found if one.field == "plazos"]
    rows = "".join(f"<tr><td>{escape(one.label)}</td><td>{one.lines[0]}</td></tr>" for one in dated)
    parts = []
    for one in found:
        if one is dated[0]:
            parts.append(
                f"<h3>Plazos</h3><table><thead><tr><th>Trámite</th><th>Plazo</th></tr></thead><tbody>{rows}</tbody></table>"
            )
        elif one.field == "documentos":
            papers = "".join(f"<tr><td>{line}</td><td>Sí</td></tr>" for line in one.lines)
            parts.append(
                f"<h3>{escape(one.label)}</h3><table><tr><th>Documento</th><th>Obligatorio</th></tr>{papers}</table>"
            )
        elif one.field != "plazos":
            parts.append(f"<h3>{escape(one.label)}</h3>{body(one)}")
    return frame(
        portal, text.nombre, f'<section id="content"><h2>{escape(text.nombre)}</h2>{"".join(parts)}</section>'
    )


LATE_TEMPLATES: Mapping[str, Template] = {"cards": cards, "letter": letter, "grid": grid}
