"""Subjects found in text by their names."""

from headwater.documents.mentions.matcher import PROFILES, Matcher, build_matcher
from headwater.model.subject import CONFIDENCE_BY_KIND, Alias

__all__ = ["CONFIDENCE_BY_KIND", "PROFILES", "Alias", "Matcher", "build_matcher"]
