"""Portals of invented administrations: procedures in five languages, each in the template of its site, with the expected fields."""

from headwater_demo.procedures.content import PORTALS, DemoPortal, ProcedureText, portal_texts
from headwater_demo.procedures.expected_fields import expected_fields
from headwater_demo.procedures.portal_pages import (
    PortalPage,
    first_unseen_pages,
    pages_without_procedure,
    procedure_pages,
    second_unseen_pages,
    third_unseen_pages,
)

__all__ = [
    "PORTALS",
    "DemoPortal",
    "PortalPage",
    "ProcedureText",
    "expected_fields",
    "first_unseen_pages",
    "pages_without_procedure",
    "portal_texts",
    "procedure_pages",
    "second_unseen_pages",
    "third_unseen_pages",
]
