"""Whether a document is good enough to go on with."""

from headwater.pure.quality.markers import markers_in
from headwater.pure.quality.scoring import Score, label, score_parse_quality
from headwater.pure.quality.words import count_words

__all__ = ["Score", "count_words", "label", "markers_in", "score_parse_quality"]
