"""Portals of invented administrations: procedures in five languages, each in its site's own template, with the truth."""

from headwater_demo.procedures.content import PORTALS, Portal, Text, portal_texts
from headwater_demo.procedures.pages import (
    Made,
    late_pages,
    later_pages,
    latest_pages,
    made_pages,
    pages_that_are_none,
)
from headwater_demo.procedures.truth import expected

__all__ = [
    "PORTALS",
    "Made",
    "Portal",
    "Text",
    "expected",
    "late_pages",
    "later_pages",
    "latest_pages",
    "made_pages",
    "pages_that_are_none",
    "portal_texts",
]
