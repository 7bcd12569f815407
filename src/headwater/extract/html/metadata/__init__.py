"""What a page says about itself."""

from headwater.extract.html.metadata.describe import Described, describe
from headwater.extract.html.metadata.evidence import Evidence, gather_stated, gather_visible

__all__ = ["Described", "Evidence", "describe", "gather_stated", "gather_visible"]
