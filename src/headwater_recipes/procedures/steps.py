"""Steps of this recipe: drop pages that may not be cited, and find the procedures of the others.

Every worker makes the steps of all recipes, so what recognises procedures is imported with the first page.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from headwater.model.document import Document
from headwater.model.outcomes import Drop, SetAside
from headwater.model.recipe import Outcome, StepContext
from headwater_recipes.procedures.citation_policy import judge_citation
from headwater_recipes.procedures.registry.portals import PortalRegistry, packaged_registry

PROCEDURES, REVIEW, QUALITY = "procedures", "review", "extraction_quality"
"""Attributes of a document: its procedures, the reasons for a review, and how well they were extracted."""


@dataclass(frozen=True)
class RequireCitable:
    """Drops pages of blocked sites, and sets pages of unregistered sites aside."""

    registry: Callable[[], PortalRegistry] = packaged_registry
    name: str = "citable"
    version: str = "1"

    def __call__(self, batch: Sequence[Document], context: StepContext) -> Sequence[Outcome]:
        del context
        return [self._check(document) for document in batch]

    def _check(self, document: Document) -> Outcome:
        verdict = judge_citation(document.url, self.registry())
        if verdict.allowed:
            return document.with_notes(rule=verdict.rule)
        if verdict.rule.startswith("blocked"):
            return Drop("blocked_domain", evidence={"rule": verdict.rule})
        return SetAside("domain_not_registered", {"url": document.url, "rule": verdict.rule})


@dataclass(frozen=True)
class FindProcedures:
    """Sets the procedures of a page in its attributes, with the reasons for a review."""

    registry: Callable[[], PortalRegistry] = packaged_registry
    name: str = "find-procedures"
    version: str = "1"

    def __call__(self, batch: Sequence[Document], context: StepContext) -> Sequence[Outcome]:
        from headwater_recipes.procedures.page_procedures import with_procedures  # noqa: PLC0415 - see above

        del context
        return [with_procedures(document, self.registry()) for document in batch]
