"""Whether a document is good enough to go on with."""

from headwater.documents.quality.checks import find_markers
from headwater.documents.quality.parse_quality import QualityScore, quality_label, score_parse_quality
from headwater.text.words import count_words

__all__ = ["QualityScore", "count_words", "find_markers", "quality_label", "score_parse_quality"]
