"""Everything the demo internet has to say."""

from headwater_demo.prose.editing import correction, edited
from headwater_demo.prose.report import market_report
from headwater_demo.prose.text import Text
from headwater_demo.prose.writer import write

__all__ = ["Text", "correction", "edited", "market_report", "write"]
