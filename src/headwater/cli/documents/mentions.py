"""`headwater mentions`."""

from dataclasses import asdict
from typing import Annotated

import typer

from headwater.cli.environment import open_app, require_one_recipe
from headwater.cli.options import Json, OptionalLimit, Quiet, RecipeFilter, RecipeName, command_group
from headwater.cli.render.console import (
    cell,
    console,
    format_count,
    print_json,
    print_json_lines,
    table,
)
from headwater.cli.render.progress import Progress
from headwater.ops.mention_rerun import RerunCounts, mentions_step, rerun_mentions

ID_WIDTH = 24

app = command_group("Subjects and the documents that mention them.")


@app.command("list")
def list_subjects(
    context: typer.Context,
    *,
    recipe: RecipeFilter = None,
    limit: OptionalLimit = None,
    as_json: Json = False,
) -> None:
    """List the subjects of a recipe: how many names each has, and how many documents mention it."""
    app = open_app(context)
    rows = app.mentions.list_subjects(require_one_recipe(app, recipe))[:limit]
    if as_json:
        print_json_lines(rows)
        return
    listing = table(
        "id",
        "name",
        "kind",
        "active",
        "names",
        "documents",
        numbers=("names", "documents"),
        flexible="name",
        widths={"id": ID_WIDTH},
    )
    for row in rows:
        listing.add_row(
            cell(row["id"], "cyan"),
            cell(row["name"]),
            cell(row["kind"]),
            cell("yes" if row["active"] else "no"),
            cell(row["names"]),
            cell(row["documents"]),
        )
    console().print(listing if rows else "No subjects are stored; `headwater mentions rerun` stores them.")


@app.command("rerun")
def rerun(
    context: typer.Context,
    recipe: RecipeName,
    *,
    everything: Annotated[
        bool, typer.Option("--all", help="Also documents that were searched with the current names.")
    ] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Search every stored document for the current names. Run it after names changed.

    Documents that were searched with the current names are skipped, so a rerun that was stopped continues where it
    stopped, and a second rerun changes nothing. Nothing is delivered again.
    """
    app = open_app(context)
    step = mentions_step(app.recipe(recipe))
    store = app.mentions
    store.declare(recipe, app.subjects(recipe))
    total = format_count(store.count(recipe), "document")
    counts = RerunCounts(version=step.version)
    with Progress(lambda: f"{counts.seen} of {total} searched", quiet=quiet) as progress:
        rerun_mentions(app, recipe, step, counts, progress, everything=everything)
    if as_json:
        print_json(asdict(counts))
    else:
        console().print(_sentence(counts), soft_wrap=True)


def _sentence(counts: RerunCounts) -> str:
    return (
        f"{format_count(counts.seen, 'document')}: {counts.changed} changed, {counts.same} searched without a change, "
        f"{counts.current} already searched with these names"
        + (f"; {counts.passed_over} in use by a worker, run again for these" if counts.passed_over else "")
    )
