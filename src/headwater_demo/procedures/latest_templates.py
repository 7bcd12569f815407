"""A third set of templates that the rules were not made with: structures that say little about themselves."""

from collections.abc import Callable, Mapping
from html import escape

from headwater_demo.procedures.content import Portal, Text
from headwater_demo.procedures.late_templates import SPOKEN
from headwater_demo.procedures.later_templates import WORDS
from headwater_demo.procedures.parts import Piece, pieces
from headwater_demo.procedures.templates import Template, body, frame

Named = list[tuple[str, Piece]]


def _named(portal: Portal, text: Text, turn: int) -> Named:
    keys = iter(text.plazos)
    words = SPOKEN.get(portal.language) or WORDS[portal.language]
    return [
        (words[next(keys) if one.field == "plazos" else one.field], one) for one in pieces(portal, text, turn)
    ]


def _template(lay_out: Callable[[str, Named], str]) -> Template:
    def made(portal: Portal, text: Text, turn: int) -> str:
        return frame(portal, text.nombre, lay_out(escape(text.nombre), _named(portal, text, turn)))

    return made


def untied_tabs(title: str, named: Named) -> str:
    names = "".join(
        f'<li class="pestana" data-n="{n}">{escape(words)}</li>' for n, (words, _) in enumerate(named)
    )
    panels = "".join(f'<div class="solapa-contenido">{body(one)}</div>' for _, one in named)
    return f'<div id="wrap"><h1>{title}</h1><div class="pestanas"><ul>{names}</ul>{panels}</div></div>'


def pairs_in_a_list(title: str, named: Named) -> str:
    rows = "".join(
        f'<li><span class="campo">{escape(words)}</span><span class="dato">{"; ".join(one.lines)}</span></li>'
        for words, one in named
    )
    return f'<section><h1>{title}</h1><ul class="listaficha">{rows}</ul></section>'


def wide_rows(title: str, named: Named) -> str:
    rows = "".join(
        f'<tr><th colspan="2">{escape(words)}</th></tr><tr><td colspan="2">{body(one)}</td></tr>'
        for words, one in named
    )
    return f'<main><h1>{title}</h1><table class="tabla">{rows}</table></main>'


def named_regions(title: str, named: Named) -> str:
    regions = "".join(f'<section aria-label="{escape(words)}">{body(one)}</section>' for words, one in named)
    return f"<main><h1>{title}</h1>{regions}</main>"


def dashes(title: str, named: Named) -> str:
    lines = "".join(
        f"<b>{escape(words)}</b> - {one.lines[0]}<br>"
        if len(one.lines) == 1
        else f"<b>{escape(words)}</b><br>" + "".join(f"&nbsp;&nbsp;- {line}<br>" for line in one.lines)
        for words, one in named
    )
    return f'<div id="cuerpo"><h1>{title}</h1><p>{lines}</p></div>'


LATEST_TEMPLATES: Mapping[str, Template] = {
    "untied-tabs": _template(untied_tabs),
    "pairs-in-a-list": _template(pairs_in_a_list),
    "wide-rows": _template(wide_rows),
    "named-regions": _template(named_regions),
    "dashes": _template(dashes),
}
