"""Searches stored documents again for the subjects of a recipe, after their names changed."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from headwater.app import App
from headwater.documents.mentions.find_mentions import FindMentions
from headwater.model.document import Document, TrailEntry
from headwater.model.errors import Refused
from headwater.model.recipe import Recipe, StepContext

BATCH = 200


@dataclass
class RerunCounts:
    """`current`: documents that had been searched with these names; `passed_over`: documents that a worker holds."""

    version: str = ""
    seen: int = 0
    changed: int = 0
    same: int = 0
    current: int = 0
    passed_over: int = 0


def mentions_step(recipe: Recipe) -> FindMentions:
    steps = [step for step in recipe.steps if isinstance(step, FindMentions)]
    if not steps:
        raise Refused(
            "no_subjects",
            f"the recipe '{recipe.name}' has no subjects; set recipes.{recipe.name}.subjects to a file of them",
        )
    return steps[-1]


def rerun_mentions(
    app: App,
    recipe: str,
    step: FindMentions,
    counts: RerunCounts,
    report: Callable[[], None],
    *,
    everything: bool,
) -> None:
    """Updates `counts` and calls `report` after each batch. With `everything` also documents that are up to date."""
    store, last_id = app.mentions, ""
    context = StepContext(recipe, app.clock(), app.store)
    while batch := store.kept_documents(recipe, last_id, BATCH):
        last_id = batch[-1].id
        stale = [document for document in batch if everything or not searched_with(document, step)]
        searched = [outcome for outcome in step(stale, context) if isinstance(outcome, Document)]
        result = store.rewrite([with_mentions_entry(document, step) for document in searched])
        counts.seen += len(batch)
        counts.current += len(batch) - len(stale)
        counts.changed += result.changed
        counts.same += result.same
        counts.passed_over += result.passed_over
        report()


def searched_with(document: Document, step: FindMentions) -> bool:
    return any(entry.step == step.name and entry.version == step.version for entry in document.trail)


def with_mentions_entry(document: Document, step: FindMentions) -> Document:
    """The trail records the names with which the document was last searched."""
    entry = TrailEntry(step.name, step.version, ("mentions",), document.notes)
    others = tuple(other for other in document.trail if other.step != step.name)
    return replace(document, trail=(*others, entry), notes={})
