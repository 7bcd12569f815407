"""Subjects found in text by their names."""

from headwater.pure.mentions.alias import CONFIDENCE, Alias
from headwater.pure.mentions.matcher import PROFILES, Matcher, build_matcher

__all__ = ["CONFIDENCE", "PROFILES", "Alias", "Matcher", "build_matcher"]
