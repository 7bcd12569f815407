"""The portals' templates: the same parts as definition lists, accordions, tabs, tables, chapters, fields, questions."""

from collections.abc import Callable
from html import escape

from headwater_demo.procedures.content import DemoPortal, ProcedureText
from headwater_demo.procedures.labels import LEGAL, label
from headwater_demo.procedures.parts import Piece, pieces

Template = Callable[[DemoPortal, ProcedureText, int], str]


def frame(portal: DemoPortal, title: str, main: str, *, head: str = "") -> str:
    """A page with the header, menu and footer of a public portal around its text."""
    home, organism = label(portal.language, "inicio", 0), escape(portal.organism)
    privacy = label(portal.language, "tecnicos", 1)
    return (
        f'<!doctype html><html lang="{portal.language}"><head><meta charset="utf-8"><title>{escape(title)} - {organism}</title>{head}</head><body>'
        f'<div class="cookie-banner"><p>Cookies</p><button>OK</button></div>'
        f'<header><a class="logo" href="/"><img src="/logo.svg" alt="{organism}"></a><nav><ul><li><a href="/">{home}</a></li></ul></nav></header>'
        f'<div class="breadcrumb"><a href="/">{home}</a> &gt; <span>{escape(title)}</span></div>'
        f"{main}<footer><h2>{privacy}</h2><p>{LEGAL[portal.language].format(organism=organism)}</p><p>© {organism}</p></footer></body></html>"
    )


def body(piece: Piece) -> str:
    if piece.kind == "list" and len(piece.lines) > 1:
        return "<ul>" + "".join(f"<li>{line}</li>" for line in piece.lines) + "</ul>"
    return "".join(f"<p>{line}</p>" for line in piece.lines)


def definitions(portal: DemoPortal, text: ProcedureText, turn: int) -> str:
    rows = "".join(
        f"<dt>{escape(piece.label)}</dt><dd>{body(piece)}</dd>" for piece in pieces(portal, text, turn)
    )
    return frame(
        portal, text.nombre, f'<main><h1>{escape(text.nombre)}</h1><dl class="ficha">{rows}</dl></main>'
    )


def ficha(portal: DemoPortal, text: ProcedureText, turn: int) -> str:
    rows = "".join(
        f'<tr><th scope="row">{escape(piece.label)}</th><td>{body(piece)}</td></tr>'
        for piece in pieces(portal, text, turn)
    )
    name = f'<tr><th scope="row">Denominación del trámite</th><td>{escape(text.nombre)}</td></tr>'
    return frame(
        portal,
        text.nombre,
        f'<div id="contenido"><h1>Ficha del procedimiento</h1><table class="datos">{name}{rows}</table></div>',
    )


def accordion(portal: DemoPortal, text: ProcedureText, turn: int) -> str:
    first, *following = pieces(portal, text, turn)
    panels = "".join(
        f'<div class="card"><h3 class="card-header"><button class="btn" aria-expanded="false" aria-controls="c{n}">{escape(piece.label)}</button></h3>'
        f'<div id="c{n}" class="collapse">{body(piece)}</div></div>'
        for n, piece in enumerate(following)
    )
    closed = f"<details><summary>{label(portal.language, 'tecnicos', 0)}</summary><p>Navegador actualizado, certificado digital y documentación en formato PDF.</p></details>"
    return frame(
        portal,
        text.nombre,
        f'<main><h1>{escape(text.nombre)}</h1><p class="intro">{first.lines[0]}</p><div class="accordion">{panels}{closed}</div></main>',
    )


def tabs(portal: DemoPortal, text: ProcedureText, turn: int) -> str:
    first, *following = pieces(portal, text, turn)
    names = "".join(
        f'<li role="presentation"><a role="tab" id="tab-{n}" href="#p{n}" aria-controls="p{n}">{escape(piece.label)}</a></li>'
        for n, piece in enumerate(following)
    )
    panels = "".join(
        f'<div role="tabpanel" id="p{n}" aria-labelledby="tab-{n}"{" hidden" if n else ""}>{body(piece)}</div>'
        for n, piece in enumerate(following)
    )
    return frame(
        portal,
        text.nombre,
        f'<main><h1>{escape(text.nombre)}</h1><p>{first.lines[0]}</p><ul class="nav nav-tabs" role="tablist">{names}</ul><div class="tab-content">{panels}</div></main>',
    )


def chapters(portal: DemoPortal, text: ProcedureText, turn: int) -> str:
    """Headings for some parts, bold lines for the others, deadlines below one heading."""
    all_pieces = pieces(portal, text, turn)
    index = "".join(f'<li><a href="#{piece.field}">{escape(piece.label)}</a></li>' for piece in all_pieces)
    sections = "".join(_chapter(piece, n) for n, piece in enumerate(all_pieces))
    return frame(
        portal,
        text.nombre,
        f'<article><h1>{escape(text.nombre)}</h1><ul class="indice">{index}</ul>{sections}</article>',
    )


def _chapter(piece: Piece, place: int) -> str:
    if piece.field in {"telefono", "organismo", "tasas"}:
        return f"<p><strong>{escape(piece.label)}:</strong> {'<br>'.join(piece.lines)}</p>"
    if place % 2:
        return f'<h2 id="{piece.field}">{escape(piece.label)}</h2>{body(piece)}'
    return f'<p id="{piece.field}"><b>{escape(piece.label)}</b></p>{body(piece)}'


def fields(portal: DemoPortal, text: ProcedureText, turn: int) -> str:
    rows = "".join(
        f'<div class="field field--name-{n}"><div class="field__label">{escape(piece.label)}</div><div class="field__item">{body(piece)}</div></div>'
        for n, piece in enumerate(pieces(portal, text, turn))
    )
    return frame(
        portal,
        text.nombre,
        f'<div role="main"><h1 class="page-title">{escape(text.nombre)}</h1><div class="node__content">{rows}</div></div>',
    )


def questions(portal: DemoPortal, text: ProcedureText, turn: int) -> str:
    sections = "".join(
        f'<section><h2>{n}. {escape(piece.label)}</h2><div class="answer">{body(piece)}</div></section>'
        for n, piece in enumerate(pieces(portal, text, turn), 1)
    )
    related = f"<section><h2>{label(portal.language, 'tecnicos', 2)}</h2><ul><li><a href='/services/other'>Other services</a></li></ul></section>"
    return frame(portal, text.nombre, f"<main><h1>{escape(text.nombre)}</h1>{sections}{related}</main>")


TEMPLATES: dict[str, Template] = {
    "definitions": definitions,
    "ficha": ficha,
    "accordion": accordion,
    "tabs": tabs,
    "chapters": chapters,
    "fields": fields,
    "questions": questions,
}
