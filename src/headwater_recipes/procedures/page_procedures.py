"""The procedures of a page, with their places, their quality and the reasons for a review."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from headwater.documents.language.codes import primary_code
from headwater.documents.language.detect_language import LANGUAGE_CONFIDENCE, SECONDARY_LANGUAGE
from headwater.model.document import FIELD_PLACES, Document
from headwater.model.outcomes import Drop, SetAside
from headwater.model.recipe import Outcome
from headwater_recipes.procedures.citation_policy import citation_address
from headwater_recipes.procedures.field_places import field_places, place_text, value_text
from headwater_recipes.procedures.link_type import is_home_page
from headwater_recipes.procedures.normalise import Procedure, normalise, recognised_fields
from headwater_recipes.procedures.page.page import ProcedurePage
from headwater_recipes.procedures.registry.portals import Portal, PortalRegistry, expected_languages
from headwater_recipes.procedures.schema import schema_problems
from headwater_recipes.procedures.scores import LANGUAGES, ExtractionQuality, extraction_quality
from headwater_recipes.procedures.standalone import detect_portal_language
from headwater_recipes.procedures.steps import PROCEDURES, QUALITY, REVIEW

# The time of extraction is set when the page is written to its file.
PLACEHOLDER_TIME = "1970-01-01T00:00:00Z"
PLACES = frozenset({"line_places", "frame_places"})
"""Attributes of a reading that the places of fields replace."""


def with_procedures(document: Document, registry: PortalRegistry) -> Outcome:
    """The document with its procedures, unless it has none or was read too badly."""
    page = page_from_document(document)
    owner = registry.owner(page.url)
    procedures = normalise(page, owner, detect_portal_language)
    if not procedures:
        return Drop("not_a_procedure", evidence={"sections": recognised_fields(page.text)})
    quality = _quality(document, procedures)
    if quality.verdict == "reject":
        return SetAside("low_quality", {"score": quality.score, "passed": list(quality.passed)})
    reasons = review_reasons(page, owner, procedures, quality)
    records = [_record(procedure, page) for procedure in procedures]
    attributes = {
        **{name: value for name, value in document.attributes.items() if name not in PLACES},
        FIELD_PLACES: [entry for record in records for entry in _explained_fields(record, len(records) > 1)],
        PROCEDURES: records,
        REVIEW: reasons,
        QUALITY: {"score": quality.score, "verdict": quality.verdict, "passed": list(quality.passed)},
    }
    scores = [procedure.document["completeness_score"] for procedure in procedures]
    changed = replace(document, attributes=attributes, quality=quality.score)
    return changed.with_notes(procedures=len(procedures), completeness=scores, review=reasons)


def page_from_document(document: Document) -> ProcedurePage:
    secondary = document.fact(SECONDARY_LANGUAGE) or ""
    return ProcedurePage(
        url=citation_address(document.url).url,
        text=document.text,
        title=document.title,
        description=document.description,
        language=primary_code(document.language) or "es",
        secondary=secondary if secondary in LANGUAGES else "",
        media_type=document.media_type,
        attributes=document.attributes,
    )


def _quality(document: Document, procedures: Sequence[Procedure]) -> ExtractionQuality:
    parts = max(len(procedure.fields_with_section) for procedure in procedures)
    confidence = document.fact(LANGUAGE_CONFIDENCE) or 0.0
    return extraction_quality(
        document.text, parts=parts, language=primary_code(document.language), confidence=confidence
    )


def review_reasons(
    page: ProcedurePage, owner: Portal | None, procedures: Sequence[Procedure], quality: ExtractionQuality
) -> list[str]:
    """Low quality, an invalid document, an unexpected language, or the address of a home page."""
    reasons = [f"quality:{quality.score}"] if quality.verdict == "review" else []
    for procedure in procedures:
        problems = schema_problems({**procedure.document, "extracted_at": PLACEHOLDER_TIME})
        reasons += [f"normalization_failed:{problem}" for problem in problems[:5]]
    if owner is not None and page.language not in expected_languages(owner):
        reasons.append(f"unexpected_language:{page.language}")
    if is_home_page(page.url):
        reasons.append("homepage")
    return reasons


def _explained_fields(record: Mapping[str, Any], several: bool) -> list[dict[str, str]]:
    """The fields for people: name, value, place, passage, and whether a rule or the classifier placed them."""
    before = f"{record['document']['id']} " if several else ""
    return [
        {
            "field": f"{before}{name}",
            "value": value_text(record["document"].get(name)),
            "attribute": PROCEDURES,
            "place": place_text(place),
            "passage": str(place.get("passage", "")),
            "by": record["placed_by"].get(name, "rule"),
        }
        for name, places in record["places"].items()
        for place in places
    ]


def _record(procedure: Procedure, page: ProcedurePage) -> dict[str, Any]:
    return {
        "places": field_places(procedure, page),
        "document": dict(procedure.document),
        "spans": {name: [list(span) for span in spans] for name, spans in procedure.spans.items()},
        "recognised": list(procedure.fields_with_section),
        "placed_by": dict(procedure.placed_by),
    }
