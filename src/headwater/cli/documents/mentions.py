"""`headwater mentions`."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Annotated

import typer

from headwater.app import App
from headwater.cli.environment import open_app
from headwater.cli.options import Json, Quiet, RecipeName, command_group
from headwater.cli.render.console import (
    cell,
    console,
    error_console,
    format_count,
    print_json,
    print_json_lines,
    table,
)
from headwater.cli.render.progress import Throttle
from headwater.documents.mentions.find_mentions import FindMentions
from headwater.model.document import Document, TrailEntry
from headwater.model.errors import Refused
from headwater.model.recipe import Recipe, StepContext
from headwater.store.admin.mentions import MentionStore

AT_ONCE = 200
TELL_EVERY = 1.0

app = command_group("Subjects and the documents that name them.")


@app.command("list")
def list_subjects(context: typer.Context, recipe: RecipeName, as_json: Json = False) -> None:
    """List the subjects of a recipe: how many names each has, and how many documents name it."""
    app = open_app(context)
    app.recipe(recipe)
    found = MentionStore(app.store.engine).list_subjects(recipe)
    if as_json:
        print_json_lines(found)
        return
    made = table("id", "name", "kind", "active", "names", "documents", numbers=("names", "documents"))
    for row in found:
        made.add_row(
            cell(row["id"], "cyan"),
            cell(row["name"]),
            cell(row["kind"]),
            cell("yes" if row["active"] else "no"),
            cell(row["names"]),
            cell(row["documents"]),
        )
    console().print(made if found else "No subjects are stored; `headwater mentions rerun` stores them.")


@app.command("rerun")
def rerun_mentions(
    context: typer.Context,
    recipe: RecipeName,
    *,
    everything: Annotated[
        bool, typer.Option("--all", help="Also documents that were searched with the present names.")
    ] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Look for the present names in every stored document.

    To be called after names changed. Goes through the kept documents in batches and passes over those that were
    searched with the present names already: stopped halfway, it goes on where it was; called twice, it changes
    nothing. Nothing is delivered again.
    """
    app = open_app(context)
    chosen = app.recipe(recipe)
    step = mentions_step(chosen)
    stored = MentionStore(app.store.engine)
    stored.declare(recipe, app.subjects(recipe))
    total = stored.count(recipe)
    told = Throttle(TELL_EVERY, lambda: None)
    counts = RerunCounts()
    if not quiet:
        told = Throttle(
            TELL_EVERY, lambda: error_console().print(f"{counts.seen} of {format_count(total, 'document')}")
        )
    counts.version = step.version
    _rerun(app, recipe, step, counts, told, everything=everything)
    if as_json:
        print_json(asdict(counts))
    else:
        console().print(counts.line(), soft_wrap=True)


@dataclass
class RerunCounts:
    version: str = ""
    seen: int = 0
    changed: int = 0
    same: int = 0
    current: int = 0
    passed_over: int = 0

    def line(self) -> str:
        return (
            f"{format_count(self.seen, 'document')}: {self.changed} changed, {self.same} searched without a change, "
            f"{self.current} had been searched with these names already"
            + (f"; {self.passed_over} at work elsewhere, run again for these" if self.passed_over else "")
        )


def mentions_step(recipe: Recipe) -> FindMentions:
    found = [step for step in recipe.steps if isinstance(step, FindMentions)]
    if not found:
        raise Refused(
            "no_subjects",
            f"the recipe '{recipe.name}' looks for no subjects; set recipes.{recipe.name}.subjects to a file of them",
        )
    return found[-1]


def _rerun(
    app: App,
    recipe: str,
    step: FindMentions,
    counts: RerunCounts,
    tell: Callable[[], None],
    *,
    everything: bool,
) -> None:
    stored, after = MentionStore(app.store.engine), ""
    context = StepContext(recipe, app.clock(), app.store)
    while batch := stored.kept_documents(recipe, after, AT_ONCE):
        after = batch[-1].id
        stale = [document for document in batch if everything or not searched_with(document, step)]
        found = [outcome for outcome in step(stale, context) if isinstance(outcome, Document)]
        done = stored.rewrite([with_mentions_entry(document, step) for document in found])
        counts.seen += len(batch)
        counts.current += len(batch) - len(stale)
        counts.changed += done.changed
        counts.same += done.same
        counts.passed_over += done.passed_over
        tell()


def searched_with(document: Document, step: FindMentions) -> bool:
    return any(mark.step == step.name and mark.version == step.version for mark in document.trail)


def with_mentions_entry(document: Document, step: FindMentions) -> Document:
    """The history says with which names it was searched last."""
    mark = TrailEntry(step.name, step.version, ("mentions",), document.notes)
    others = tuple(one for one in document.trail if one.step != step.name)
    return replace(document, trail=(*others, mark), notes={})
