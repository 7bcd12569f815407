"""Which language a text is written in, how surely, and on whose word."""

from headwater.documents.language.codes import UNDETERMINED, WIDELY_WRITTEN, primary_code
from headwater.documents.language.detector import (
    DETECTED_ORIGIN,
    DetectedLanguage,
    LanguageGuess,
    LanguageRules,
    RankLanguages,
    ResolvedLanguage,
    detect_language,
    identify_language,
    resolve_language,
)

__all__ = [
    "DETECTED_ORIGIN",
    "UNDETERMINED",
    "WIDELY_WRITTEN",
    "DetectedLanguage",
    "LanguageGuess",
    "LanguageRules",
    "RankLanguages",
    "ResolvedLanguage",
    "detect_language",
    "identify_language",
    "primary_code",
    "resolve_language",
]
