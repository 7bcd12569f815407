"""The HTML templates of the news sites."""

from headwater_demo.article_templates.amp import amp
from headwater_demo.article_templates.blog import blog
from headwater_demo.article_templates.modern import modern
from headwater_demo.article_templates.page import Template, TemplatePage
from headwater_demo.article_templates.semantic import semantic
from headwater_demo.article_templates.soup import soup
from headwater_demo.article_templates.tables import tables
from headwater_demo.publishers import TemplateName

TEMPLATES: dict[TemplateName, Template] = {
    "semantic": semantic,
    "soup": soup,
    "tables": tables,
    "modern": modern,
    "blog": blog,
    "amp": amp,
}

__all__ = ["TEMPLATES", "TemplatePage"]
