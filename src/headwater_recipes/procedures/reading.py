"""The procedures in a file or page, without an installation: bytes in, ProcedureDocs out."""

from collections.abc import Sequence
from dataclasses import replace

from headwater.extract.sandbox import Sandboxed
from headwater.model.reading import Hints, Reading
from headwater.pure.cleaning import repair
from headwater.pure.language import DETECTED, LanguageRules, detect, identify, settle
from headwater.steps.language import rank
from headwater_recipes.procedures.normalise import LANGUAGES, Procedure, normalise
from headwater_recipes.procedures.page.page import Page
from headwater_recipes.procedures.page.read import read_procedure
from headwater_recipes.procedures.registry.registry import Registry, packaged

RULES = LanguageRules(languages=LANGUAGES)
SURE = 0.6
OVERRULE = 0.8


def tell(text: str) -> str:
    """The language of a stretch of text among the five; empty when it is not sure."""
    found = identify(text, rank, RULES)
    return found.language if found.confidence >= SURE else ""


def page_from(reading: Reading, url: str) -> Page:
    text, _ = repair(reading.text)
    detected = detect(text, rank, RULES)
    settled = settle(reading.language, reading.origins.get("language", DETECTED), detected, OVERRULE)
    return Page(
        url=url,
        text=text,
        title=reading.title,
        description=reading.description,
        language=settled.language,
        secondary=detected.secondary if detected.secondary in LANGUAGES else "",
        media_type=reading.media_type,
        attributes=reading.attributes,
    )


def procedures_from(reading: Reading, url: str, registry: Registry | None = None) -> Sequence[Procedure]:
    known = packaged() if registry is None else registry
    return normalise(page_from(reading, url), known.owner(url), tell)


def procedures_in_bytes(data: bytes, *, url: str, media_type: str | None = None) -> Sequence[Procedure]:
    """The procedures that these bytes tell of; none when they cannot be read or tell of none. The bytes are read in a
    process of their own."""
    found = Sandboxed(read_procedure)(data, Hints(url=url, media_type=media_type))
    return procedures_from(replace(found), url) if isinstance(found, Reading) else ()
