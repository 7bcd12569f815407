"""The looks of the news sites."""

from headwater_demo.publishers import TemplateName
from headwater_demo.templates.amp import amp
from headwater_demo.templates.blog import blog
from headwater_demo.templates.modern import modern
from headwater_demo.templates.page import Page, Template
from headwater_demo.templates.semantic import semantic
from headwater_demo.templates.soup import soup
from headwater_demo.templates.tables import tables

TEMPLATES: dict[TemplateName, Template] = {
    "semantic": semantic,
    "soup": soup,
    "tables": tables,
    "modern": modern,
    "blog": blog,
    "amp": amp,
}

__all__ = ["TEMPLATES", "Page"]
