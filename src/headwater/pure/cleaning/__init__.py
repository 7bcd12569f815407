"""Clean text."""

from headwater.pure.cleaning.cleaning import Cleaned, CleaningRules, clean
from headwater.pure.cleaning.encoding import MOJIBAKE, mend_mojibake, repair

__all__ = ["MOJIBAKE", "Cleaned", "CleaningRules", "clean", "mend_mojibake", "repair"]
