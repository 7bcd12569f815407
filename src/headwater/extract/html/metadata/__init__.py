"""What a page says about itself."""

from headwater.extract.html.metadata.describe import Described, absolute, describe
from headwater.extract.html.metadata.evidence import Evidence, gather_stated, gather_visible

__all__ = ["Described", "Evidence", "absolute", "describe", "gather_stated", "gather_visible"]
