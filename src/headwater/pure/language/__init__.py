"""Which language a text is written in, how surely, and on whose word."""

from headwater.pure.language.codes import UNDETERMINED, WIDELY_WRITTEN, primary
from headwater.pure.language.declaring import DETECTED, Settled, settle
from headwater.pure.language.detecting import Detected, LanguageRules, Rank, Verdict, detect, identify

__all__ = [
    "DETECTED",
    "UNDETERMINED",
    "WIDELY_WRITTEN",
    "Detected",
    "LanguageRules",
    "Rank",
    "Settled",
    "Verdict",
    "detect",
    "identify",
    "primary",
    "settle",
]
