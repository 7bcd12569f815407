"""Templates added after the rules for reading procedures: unseen at first; the rules were then improved with them."""

from collections.abc import Callable, Mapping
from html import escape

from headwater_demo.procedures.content import DemoPortal, ProcedureText
from headwater_demo.procedures.parts import Piece, pieces
from headwater_demo.procedures.portal_templates import Template, body, frame

LabelledPieces = list[tuple[str, Piece]]

QUESTION_LABELS: Mapping[str, Mapping[str, str]] = {
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
STATEMENT_LABELS: Mapping[str, Mapping[str, str]] = {
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


def _labelled_pieces(
    labels: Mapping[str, str], portal: DemoPortal, text: ProcedureText, turn: int
) -> LabelledPieces:
    keys = iter(text.plazos)
    return [
        (labels[next(keys) if piece.field == "plazos" else piece.field], piece)
        for piece in pieces(portal, text, turn)
    ]


def _question_pieces(portal: DemoPortal, text: ProcedureText, turn: int) -> LabelledPieces:
    return _labelled_pieces(QUESTION_LABELS[portal.language], portal, text, turn)


def _statement_pieces(portal: DemoPortal, text: ProcedureText, turn: int) -> LabelledPieces:
    return _labelled_pieces(STATEMENT_LABELS[portal.language], portal, text, turn)


def cards(portal: DemoPortal, text: ProcedureText, turn: int) -> str:
    """Marked up as questions and answers, each in a card, with a side column."""
    cards = "".join(
        f'<article class="faq-card" itemscope itemprop="mainEntity" itemtype="https://schema.org/Question"><div class="faq-q" itemprop="name"><i class="icon"></i>{escape(words)}</div>'
        f'<div itemscope itemprop="acceptedAnswer" itemtype="https://schema.org/Answer"><div itemprop="text">{body(piece)}</div></div></article>'
        for words, piece in _question_pieces(portal, text, turn)
    )
    side = '<aside><h3>Otros trámites</h3><ul><li><a href="/x">Padrón</a></li><li><a href="/y">Tasas</a></li></ul></aside>'
    return frame(
        portal,
        text.nombre,
        f'<div class="layout"><h1 class="hero__title">{escape(text.nombre)}</h1><div class="cards">{cards}</div>{side}</div>',
    )


def letter(portal: DemoPortal, text: ProcedureText, turn: int) -> str:
    """Numbered capitals in paragraphs, lists typed by hand, everything in one cell of a table."""
    lines = []
    for number, piece in enumerate(pieces(portal, text, turn), 1):
        head = f"<p><u>{number}.- {escape(piece.label.upper())}</u></p>"
        if piece.kind == "list" and len(piece.lines) > 1:
            typed = "<br>".join(f"{'abcdefgh'[place]}) {line}" for place, line in enumerate(piece.lines))
            lines.append(f"{head}<p>{typed}</p>")
        else:
            lines.append(head + "".join(f"<p>{line}</p>" for line in piece.lines))
    inside = f'<table><tr><td><p align="center"><font size="5">{escape(text.nombre)}</font></p>{"".join(lines)}</td></tr></table>'
    return frame(portal, text.nombre, inside)


def grid(portal: DemoPortal, text: ProcedureText, turn: int) -> str:
    """Headings with tables below: papers by rows, deadlines by rows, ways by rows."""
    all_pieces = pieces(portal, text, turn)
    dated = [piece for piece in all_pieces if piece.field == "plazos"]
    rows = "".join(f"<tr><td>{escape(piece.label)}</td><td>{piece.lines[0]}</td></tr>" for piece in dated)
    parts = []
    for piece in all_pieces:
        if piece is dated[0]:
            parts.append(
                f"<h3>Plazos</h3><table><thead><tr><th>Trámite</th><th>Plazo</th></tr></thead><tbody>{rows}</tbody></table>"
            )
        elif piece.field == "documentos":
            papers = "".join(f"<tr><td>{line}</td><td>Sí</td></tr>" for line in piece.lines)
            parts.append(
                f"<h3>{escape(piece.label)}</h3><table><tr><th>Documento</th><th>Obligatorio</th></tr>{papers}</table>"
            )
        elif piece.field != "plazos":
            parts.append(f"<h3>{escape(piece.label)}</h3>{body(piece)}")
    return frame(
        portal, text.nombre, f'<section id="content"><h2>{escape(text.nombre)}</h2>{"".join(parts)}</section>'
    )


def columns(portal: DemoPortal, text: ProcedureText, turn: int) -> str:
    """Labels and values side by side in a grid, with nothing but its columns to tell them apart."""
    rows = "".join(
        f'<div class="row mb-2"><div class="col-md-3">{escape(words)}</div><div class="col-md-9">{body(piece)}</div></div>'
        for words, piece in _statement_pieces(portal, text, turn)
    )
    comments = '<div id="comentarios"><h3>Comentarios</h3><p>Ana: ¿Y los requisitos? Plazo: no me contestan. Tasa: cara.</p></div>'
    return frame(
        portal, text.nombre, f'<div class="container"><h1>{escape(text.nombre)}</h1>{rows}{comments}</div>'
    )


def groups(portal: DemoPortal, text: ProcedureText, turn: int) -> str:
    """Parts gathered under headings of their own; the parts themselves are titles of a lower rank."""
    labelled = _statement_pieces(portal, text, turn)
    first = [pair for pair in labelled if pair[1].field in {"descripcion", "requisitos", "cuantias"}]
    second = [
        pair for pair in labelled if pair[1].field in {"documentos", "como", "donde", "plazos", "tasas"}
    ]
    third = [pair for pair in labelled if pair not in first and pair not in second]
    sections = "".join(
        f"<section><h2>{title}</h2>{''.join(f'<h5>{escape(words)}</h5><div>{body(piece)}</div>' for words, piece in section_pieces)}</section>"
        for title, section_pieces in (
            ("Lo esencial", first),
            ("El trámite paso a paso", second),
            ("Para saber más", third),
        )
    )
    note = "<section><h2>Requisitos técnicos</h2><p>Para tramitar por internet necesita un navegador actualizado y un certificado. Documentación en PDF.</p></section>"
    return frame(portal, text.nombre, f"<main><h1>{escape(text.nombre)}</h1>{sections}{note}</main>")


def definitions_in_text(portal: DemoPortal, text: ProcedureText, turn: int) -> str:
    """Labels at the beginning of paragraphs, with a dash, in italics and small capitals."""
    lines = []
    for words, piece in _statement_pieces(portal, text, turn):
        if piece.kind == "list" and len(piece.lines) > 1:
            lines.append(
                f'<p class="etq"><em>{escape(words)}</em></p><ol>{"".join(f"<li>{line}</li>" for line in piece.lines)}</ol>'
            )
        else:
            lines.append(
                f'<p class="etq"><em>{escape(words)}</em></p>'
                + "".join(f"<p>{line}</p>" for line in piece.lines)
            )
    return frame(portal, text.nombre, f'<div id="texto"><h1>{escape(text.nombre)}</h1>{"".join(lines)}</div>')


def _template(lay_out: Callable[[str, LabelledPieces], str]) -> Template:
    def render(portal: DemoPortal, text: ProcedureText, turn: int) -> str:
        labels = QUESTION_LABELS.get(portal.language) or STATEMENT_LABELS[portal.language]
        labelled = _labelled_pieces(labels, portal, text, turn)
        return frame(portal, text.nombre, lay_out(escape(text.nombre), labelled))

    return render


def untied_tabs(title: str, labelled: LabelledPieces) -> str:
    names = "".join(
        f'<li class="pestana" data-n="{n}">{escape(words)}</li>' for n, (words, _) in enumerate(labelled)
    )
    panels = "".join(f'<div class="solapa-contenido">{body(piece)}</div>' for _, piece in labelled)
    return f'<div id="wrap"><h1>{title}</h1><div class="pestanas"><ul>{names}</ul>{panels}</div></div>'


def pairs_in_a_list(title: str, labelled: LabelledPieces) -> str:
    rows = "".join(
        f'<li><span class="campo">{escape(words)}</span><span class="dato">{"; ".join(piece.lines)}</span></li>'
        for words, piece in labelled
    )
    return f'<section><h1>{title}</h1><ul class="listaficha">{rows}</ul></section>'


def wide_rows(title: str, labelled: LabelledPieces) -> str:
    rows = "".join(
        f'<tr><th colspan="2">{escape(words)}</th></tr><tr><td colspan="2">{body(piece)}</td></tr>'
        for words, piece in labelled
    )
    return f'<main><h1>{title}</h1><table class="tabla">{rows}</table></main>'


def named_regions(title: str, labelled: LabelledPieces) -> str:
    regions = "".join(
        f'<section aria-label="{escape(words)}">{body(piece)}</section>' for words, piece in labelled
    )
    return f"<main><h1>{title}</h1>{regions}</main>"


def dashes(title: str, labelled: LabelledPieces) -> str:
    lines = "".join(
        f"<b>{escape(words)}</b> - {piece.lines[0]}<br>"
        if len(piece.lines) == 1
        else f"<b>{escape(words)}</b><br>" + "".join(f"&nbsp;&nbsp;- {line}<br>" for line in piece.lines)
        for words, piece in labelled
    )
    return f'<div id="cuerpo"><h1>{title}</h1><p>{lines}</p></div>'


UNSEEN_TEMPLATES: dict[str, Template] = {
    "cards": cards,
    "letter": letter,
    "grid": grid,
    "columns": columns,
    "groups": groups,
    "italics": definitions_in_text,
    "untied-tabs": _template(untied_tabs),
    "pairs-in-a-list": _template(pairs_in_a_list),
    "wide-rows": _template(wide_rows),
    "named-regions": _template(named_regions),
    "dashes": _template(dashes),
}
