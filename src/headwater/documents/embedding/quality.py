"""How well an encoder knows a language, for a search that has to weigh meaning against words."""

from headwater.documents.embedding.build import ENGLISH, MULTILINGUAL
from headwater.documents.embedding.language_tables import load_language_tables
from headwater.documents.language.codes import primary_code

ENGLISH_ENCODER_QUALITY = {"en": 1.0, "es": 0.47, "tr": 0.19, "zh": 0.07, "ru": 0.03, "ar": 0.01}
UNMEASURED = 0.1
"""Of languages that nobody measured: names and loanwords alone."""


def language_quality(encoder: str, language: str) -> float | None:
    """The share of sentences in a language whose nearest English sentence, of 600, is their translation: 1 is perfect.
    None if the encoder is not built in or the language is unknown, because nothing is known then."""
    code = primary_code(language)
    if not code:
        return None
    if encoder == MULTILINGUAL.name:
        return load_language_tables().quality.get(code) or UNMEASURED
    return ENGLISH_ENCODER_QUALITY.get(code, UNMEASURED) if encoder == ENGLISH.name else None
