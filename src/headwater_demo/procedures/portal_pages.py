"""Every page and file of the portals, with the expected fields."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from headwater_demo.procedures.content import (
    FIRST_UNSEEN_PORTALS,
    PORTALS,
    SECOND_UNSEEN_PORTALS,
    THIRD_UNSEEN_PORTALS,
    DemoPortal,
    ProcedureText,
    portal_texts,
)
from headwater_demo.procedures.document_files import DOCX, ODT, PDF, docx, odt, pdf
from headwater_demo.procedures.expected_fields import expected_fields
from headwater_demo.procedures.other_pages import other_pages
from headwater_demo.procedures.portal_templates import TEMPLATES
from headwater_demo.procedures.unseen_templates import UNSEEN_TEMPLATES

HTML = "text/html; charset=utf-8"
FILE_WRITERS = {"pdf": (pdf, PDF), "docx": (docx, DOCX), "odt": (odt, ODT)}


@dataclass(frozen=True, slots=True, kw_only=True)
class PortalPage:
    """`truth` is empty where the page does not describe a procedure."""

    portal: DemoPortal
    path: str
    body: bytes
    media_type: str
    template: str
    truth: Mapping[str, Any]

    @property
    def url(self) -> str:
        return f"http://{self.portal.host}{self.path}"


@cache
def procedure_pages() -> tuple[PortalPage, ...]:
    return _build_pages(PORTALS)


@cache
def first_unseen_pages() -> tuple[PortalPage, ...]:
    """In templates that were unseen when they were added; the rules were then improved with them."""
    return _build_pages(FIRST_UNSEEN_PORTALS)


@cache
def second_unseen_pages() -> tuple[PortalPage, ...]:
    """A second set of such templates, added after the rules were improved with the first."""
    return _build_pages(SECOND_UNSEEN_PORTALS)


@cache
def third_unseen_pages() -> tuple[PortalPage, ...]:
    """A third set, added after the rules were improved with the second."""
    return _build_pages(THIRD_UNSEEN_PORTALS)


@cache
def pages_without_procedure() -> tuple[PortalPage, ...]:
    by_host = {portal.host: portal for portal in PORTALS}
    return tuple(
        PortalPage(
            portal=by_host[host], path=path, body=markup.encode(), media_type=HTML, template="none", truth={}
        )
        for (host, path), markup in other_pages().items()
    )


def _build_pages(portals: tuple[DemoPortal, ...]) -> tuple[PortalPage, ...]:
    return tuple(
        _build_page(portal, text, turn)
        for portal in portals
        for turn, text in enumerate(portal_texts(portal.texts))
    )


def _build_page(portal: DemoPortal, text: ProcedureText, turn: int) -> PortalPage:
    kind = portal.files.get(text.key)
    if kind:
        write, media_type = FILE_WRITERS[kind]
        body, ending = write(portal, text, turn), f".{kind}"
    else:
        template = (TEMPLATES | UNSEEN_TEMPLATES)[portal.template]
        body, media_type, ending = template(portal, text, turn).encode(), HTML, ""
    path = f"{portal.folder}{text.key}{ending}"
    url = f"http://{portal.host}{path}"
    truth = _without_links(expected_fields(portal, text, url)) if kind else expected_fields(portal, text, url)
    return PortalPage(
        portal=portal,
        path=path,
        body=body,
        media_type=media_type,
        template=kind or portal.template,
        truth=truth,
    )


def _without_links(truth: dict[str, Any]) -> dict[str, Any]:
    """Files have no links, so what only a link says is absent."""
    where = {name: value for name, value in truth.get("donde_solicitar", {}).items() if name == "direcciones"}
    laws = [name.partition(" (BOE-")[0] for name in truth.get("base_legal", ())]
    changed = {**truth, "donde_solicitar": where, "base_legal": laws}
    return {name: value for name, value in changed.items() if value}
