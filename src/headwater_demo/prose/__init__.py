"""The texts of the demo internet."""

from headwater_demo.prose.editing import correction, edit_text
from headwater_demo.prose.report import market_report
from headwater_demo.prose.text import ArticleText
from headwater_demo.prose.writer import write

__all__ = ["ArticleText", "correction", "edit_text", "market_report", "write"]
