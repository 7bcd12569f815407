"""Clean text."""

from headwater.documents.cleaning.clean import CleaningResult, CleaningRules, clean_text
from headwater.documents.cleaning.encoding import MOJIBAKE, fix_mojibake, repair_text

__all__ = ["MOJIBAKE", "CleaningResult", "CleaningRules", "clean_text", "fix_mojibake", "repair_text"]
