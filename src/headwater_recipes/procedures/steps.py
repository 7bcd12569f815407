"""Steps of the recipe: may it be cited, and which procedures does it tell of."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from headwater.documents.language.codes import primary_code
from headwater.documents.language.detect_language import LANGUAGE_CONFIDENCE, SECONDARY_LANGUAGE
from headwater.model.document import Document
from headwater.model.outcomes import Drop, SetAside
from headwater.model.recipe import Outcome, StepContext
from headwater.text.folding import find_markers
from headwater_recipes.procedures.citation_policy import citation_address, judge_citation
from headwater_recipes.procedures.normalise import LANGUAGES, Procedure, normalise
from headwater_recipes.procedures.page.page import ProcedurePage
from headwater_recipes.procedures.registry.portals import Portal, PortalRegistry, packaged_registry
from headwater_recipes.procedures.schema import schema_problems
from headwater_recipes.procedures.scores import ExtractionQuality, extraction_quality
from headwater_recipes.procedures.standalone import detect_portal_language

MARKERS = (
    *(
        "requisito",
        "requisit",
        "baldintza",
        "eskakizun",
        "requirement",
        "eligib",
        "condicion",
        "quien puede",
        "who can",
    ),
    *(
        "document",
        "agiri",
        "dokument",
        "plazo",
        "termini",
        "prazo",
        "epe",
        "deadline",
        "when",
        "cuando",
        "quan",
        "cando",
    ),
    *("solicit", "sol·licit", "demanar", "eska", "apply", "tramit", "izapide", "beneficiari", "destinatari"),
)
FEWEST_MARKERS = 2
# Until a page is written to its file, the moment of its extraction stands open.
PLACEHOLDER_TIME = "1970-01-01T00:00:00Z"
PROCEDURES, REVIEW, QUALITY = "procedures", "review", "extraction_quality"


@dataclass(frozen=True)
class RequireCitable:
    """Ends pages of sites that must not be cited; sets aside those of sites that nobody registered."""

    registry: PortalRegistry = field(default_factory=packaged_registry)
    name: str = "citable"
    version: str = "1"

    def __call__(self, batch: Sequence[Document], context: StepContext) -> Sequence[Outcome]:
        del context
        return [self._judge(document) for document in batch]

    def _judge(self, document: Document) -> Outcome:
        verdict = judge_citation(document.url, self.registry)
        if verdict.allowed:
            return document.with_notes(rule=verdict.rule)
        if verdict.rule.startswith("blocked"):
            return Drop("blocked_domain", evidence={"rule": verdict.rule})
        return SetAside("domain_not_registered", {"url": document.url, "rule": verdict.rule})


@dataclass(frozen=True)
class FindProcedures:
    """Puts the page's procedures into its attributes, with the reasons why somebody should look at them first."""

    registry: PortalRegistry = field(default_factory=packaged_registry)
    name: str = "find-procedures"
    version: str = "1"

    def __call__(self, batch: Sequence[Document], context: StepContext) -> Sequence[Outcome]:
        del context
        return [self._find(document) for document in batch]

    def _find(self, document: Document) -> Outcome:
        markers = find_markers(f"{document.title}\n{document.text}", MARKERS)
        if len(markers) < FEWEST_MARKERS:
            return Drop("not_a_procedure", evidence={"markers": list(markers)})
        page = page_from_document(document)
        owner = self.registry.owner(page.url)
        found = normalise(page, owner, detect_portal_language)
        if not found:
            return Drop("not_a_procedure", evidence={"markers": list(markers)})
        how_good = _quality(document, found)
        if how_good.verdict == "reject":
            return SetAside("low_quality", {"score": how_good.score, "passed": list(how_good.passed)})
        reasons = review_reasons(page, owner, found, how_good)
        told = [_told(one) for one in found]
        attributes = {
            **document.attributes,
            PROCEDURES: told,
            REVIEW: reasons,
            QUALITY: {"score": how_good.score, "verdict": how_good.verdict, "passed": list(how_good.passed)},
        }
        scores = [one.document["completeness_score"] for one in found]
        changed = replace(document, attributes=attributes, quality=how_good.score)
        return changed.with_notes(procedures=len(found), completeness=scores, review=reasons)


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


def _quality(document: Document, found: Sequence[Procedure]) -> ExtractionQuality:
    parts = max(len(one.recognised) for one in found)
    confidence = document.fact(LANGUAGE_CONFIDENCE) or 0.0
    return extraction_quality(
        document.text, parts=parts, language=primary_code(document.language), confidence=confidence
    )


def review_reasons(
    page: ProcedurePage, owner: Portal | None, found: Sequence[Procedure], how_good: ExtractionQuality
) -> list[str]:
    """Low quality, a document that the schema does not accept, a language the portal is not known for, a citation of
    a home page."""
    reasons = [f"quality:{how_good.score}"] if how_good.verdict == "review" else []
    for one in found:
        complaints = schema_problems({**one.document, "extracted_at": PLACEHOLDER_TIME})
        reasons += [f"normalization_failed:{complaint}" for complaint in complaints[:5]]
    if owner is not None and page.language not in owner.languages and page.language != "es":
        reasons.append(f"unexpected_language:{page.language}")
    if citation_address(page.url).link_type == "homepage":
        reasons.append("homepage")
    return reasons


def _told(one: Procedure) -> dict[str, Any]:
    return {
        "document": dict(one.document),
        "spans": {name: [list(span) for span in spans] for name, spans in one.spans.items()},
        "recognised": list(one.recognised),
    }
