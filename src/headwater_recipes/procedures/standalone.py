"""Extracts procedures from a file or page without an installation: bytes in, ProcedureDocs out."""

from collections.abc import Sequence
from dataclasses import replace

from headwater.documents.cleaning.encoding import repair_text
from headwater.documents.language.detect_language import rank_languages
from headwater.documents.language.detector import (
    DETECTED_ORIGIN,
    LanguageRules,
    detect_language,
    identify_language,
    resolve_language,
)
from headwater.extract.sandbox.sandboxed import Sandboxed
from headwater.model.outcomes import ExtractHints, Reading
from headwater_recipes.procedures.normalise import Procedure, normalise
from headwater_recipes.procedures.page.page import ProcedurePage
from headwater_recipes.procedures.page.reader import read_procedure
from headwater_recipes.procedures.registry.portals import PortalRegistry, packaged_registry
from headwater_recipes.procedures.scores import LANGUAGES

RULES = LanguageRules(languages=LANGUAGES)
LEAST_CONFIDENCE = 0.6
OVERRULE_CONFIDENCE = 0.8


def detect_portal_language(text: str) -> str:
    """The language of a text among the five. Empty when the confidence is too low."""
    guess = identify_language(text, rank_languages, RULES)
    return guess.language if guess.confidence >= LEAST_CONFIDENCE else ""


def page_from(reading: Reading, url: str) -> ProcedurePage:
    text, _ = repair_text(reading.text)
    detected = detect_language(text, rank_languages, RULES)
    resolved = resolve_language(
        reading.language, reading.origins.get("language", DETECTED_ORIGIN), detected, OVERRULE_CONFIDENCE
    )
    return ProcedurePage(
        url=url,
        text=text,
        title=reading.title,
        description=reading.description,
        language=resolved.language,
        secondary=detected.secondary if detected.secondary in LANGUAGES else "",
        media_type=reading.media_type,
        attributes=reading.attributes,
    )


def procedures_from(
    reading: Reading, url: str, registry: PortalRegistry | None = None
) -> Sequence[Procedure]:
    registry = packaged_registry() if registry is None else registry
    return normalise(page_from(reading, url), registry.owner(url), detect_portal_language)


def procedures_in_bytes(data: bytes, *, url: str, media_type: str | None = None) -> Sequence[Procedure]:
    """The procedures in these bytes. Empty when they cannot be read or contain none. A child process reads them."""
    reading = Sandboxed(read_procedure)(data, ExtractHints(url=url, media_type=media_type))
    return procedures_from(replace(reading), url) if isinstance(reading, Reading) else ()
