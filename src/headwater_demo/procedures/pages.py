"""Every page and file of the portals, with the truth about it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from headwater_demo.procedures.content import (
    LATE_PORTALS,
    LATER_PORTALS,
    LATEST_PORTALS,
    PORTALS,
    Portal,
    Text,
    portal_texts,
)
from headwater_demo.procedures.late_templates import LATE_TEMPLATES
from headwater_demo.procedures.later_templates import LATER_TEMPLATES
from headwater_demo.procedures.latest_templates import LATEST_TEMPLATES
from headwater_demo.procedures.others import other_pages
from headwater_demo.procedures.papers import DOCX, ODT, PDF, docx, odt, pdf
from headwater_demo.procedures.templates import TEMPLATES
from headwater_demo.procedures.truth import expected

HTML = "text/html; charset=utf-8"
PAPERS = {"pdf": (pdf, PDF), "docx": (docx, DOCX), "odt": (odt, ODT)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """`truth` is empty for a page that is no procedure."""

    portal: Portal
    path: str
    body: bytes
    media_type: str
    template: str
    truth: Mapping[str, Any]

    @property
    def url(self) -> str:
        return f"http://{self.portal.host}{self.path}"


@cache
def made_pages() -> tuple[Made, ...]:
    return _all(PORTALS)


@cache
def late_pages() -> tuple[Made, ...]:
    """In templates that the reader's rules were not made with."""
    return _all(LATE_PORTALS)


@cache
def later_pages() -> tuple[Made, ...]:
    """The same, a second time: after what the first ones taught."""
    return _all(LATER_PORTALS)


@cache
def latest_pages() -> tuple[Made, ...]:
    """And a third time."""
    return _all(LATEST_PORTALS)


@cache
def pages_that_are_none() -> tuple[Made, ...]:
    by_host = {portal.host: portal for portal in PORTALS}
    return tuple(
        Made(
            portal=by_host[host], path=path, body=markup.encode(), media_type=HTML, template="none", truth={}
        )
        for (host, path), markup in other_pages().items()
    )


def _all(portals: tuple[Portal, ...]) -> tuple[Made, ...]:
    return tuple(
        _made(portal, text, turn)
        for portal in portals
        for turn, text in enumerate(portal_texts(portal.texts))
    )


def _made(portal: Portal, text: Text, turn: int) -> Made:
    kind = portal.papers.get(text.key)
    if kind:
        write, media_type = PAPERS[kind]
        body, ending = write(portal, text, turn), f".{kind}"
    else:
        body, media_type, ending = (
            {**TEMPLATES, **LATE_TEMPLATES, **LATER_TEMPLATES, **LATEST_TEMPLATES}[portal.template](
                portal, text, turn
            ).encode(),
            HTML,
            "",
        )
    path = f"{portal.folder}{text.key}{ending}"
    url = f"http://{portal.host}{path}"
    truth = _for_paper(expected(portal, text, url)) if kind else expected(portal, text, url)
    return Made(
        portal=portal,
        path=path,
        body=body,
        media_type=media_type,
        template=kind or portal.template,
        truth=truth,
    )


def _for_paper(truth: dict[str, Any]) -> dict[str, Any]:
    """Paper has no links: what only a link says is not there."""
    where = {name: value for name, value in truth.get("donde_solicitar", {}).items() if name == "direcciones"}
    laws = [name.partition(" (BOE-")[0] for name in truth.get("base_legal", ())]
    changed = {**truth, "donde_solicitar": where, "base_legal": laws}
    return {name: value for name, value in changed.items() if value}
