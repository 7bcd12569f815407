"""What a page says about itself."""

from headwater.extract.html.metadata.evidence import PageEvidence, gather_stated, gather_visible
from headwater.extract.html.metadata.page_metadata import PageMetadata, page_metadata

__all__ = ["PageEvidence", "PageMetadata", "gather_stated", "gather_visible", "page_metadata"]
