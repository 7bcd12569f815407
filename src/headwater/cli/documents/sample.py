"""`headwater sample`."""

import getpass
from dataclasses import asdict
from itertools import groupby
from typing import Annotated, Any

import typer

from headwater.cli.environment import open_app, select_recipes
from headwater.cli.options import Json, OptionalLimit, RecipeName, Since, Until, command_group
from headwater.cli.period import read_period
from headwater.cli.render.console import (
    cell,
    console,
    format_count,
    print_json,
    print_json_lines,
    short_id,
    table,
)
from headwater.model.errors import Refused
from headwater.model.jobs import State
from headwater.model.review import DEFAULT_SHARE, ReviewSummary, ReviewVerdict, summarize_reviews
from headwater.store.changes.reviews import SampleRequest

app = command_group(
    "Draw a random sample of documents for a review by people; store and sum up the verdicts."
)


@app.command("draw")
def draw(
    context: typer.Context,
    recipe: RecipeName,
    *,
    share: Annotated[
        float, typer.Option(min=0.000001, max=1.0, help="The share of the documents to draw.")
    ] = DEFAULT_SHARE,
    seed: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="The same seed draws the same documents; default: today's date."),
    ] = None,
    state: Annotated[
        list[State] | None,
        typer.Option(help="Draw from documents in this state; can be repeated; default: kept."),
    ] = None,
    since: Since = None,
    until: Until = None,
    as_json: Json = False,
) -> None:
    """Draw a random sample of a recipe's documents, by default 1 % of those that were kept, and store it.

    The sample is named RECIPE-SEED. Drawn again, it keeps its documents and their verdicts.
    """
    app = open_app(context)
    select_recipes(app, recipe)
    period = read_period(app, since, until)
    now = app.clock()
    request = SampleRequest(
        recipe=recipe,
        share=share,
        seed=seed or f"{now:%Y-%m-%d}",
        states=tuple(state or (State.KEPT,)),
        since=period.since,
        until=period.until,
    )
    count = app.reviews.draw(request, now)
    total = len(app.reviews.list_reviews(request.name))
    if not total:
        raise Refused("nothing_to_draw", f"{recipe} has no such documents")
    if as_json:
        print_json({"sample": request.name, "drawn": total, "new": count, "seed": request.seed})
        return
    console().print(
        cell(f"{request.name}: {format_count(total, 'document')} to review, {count} of them new.")
    )
    console().print(
        cell(
            f"See them with `headwater sample list {request.name}`, then `headwater sample verdict ID right`."
        )
    )


@app.command("verdict")
def give_verdict(
    context: typer.Context,
    document: Annotated[
        str, typer.Argument(metavar="ID|URL", help="Id, the first 8 or more characters of it, or URL.")
    ],
    verdict: Annotated[ReviewVerdict, typer.Argument(help="right, wrong or unsure.")],
    *,
    why: Annotated[str, typer.Option(metavar="TEXT", help="The reason for the verdict.")] = "",
    field: Annotated[
        list[str] | None, typer.Option(metavar="FIELD", help="A field that is wrong; can be repeated.")
    ] = None,
    by: Annotated[
        str | None, typer.Option(metavar="NAME", help="Who judged; default: the name of your login.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Store your verdict about a document of a sample. A second verdict replaces the first."""
    app = open_app(context)
    reviewer = by or getpass.getuser()
    samples = app.reviews.give_verdict(
        document, verdict, reviewer=reviewer, reason=why, fields=field or (), now=app.clock()
    )
    if as_json:
        print_json({"document": document, "verdict": verdict, "reviewer": reviewer, "samples": samples})
    else:
        console().print(cell(f"Stored in {', '.join(samples)}: {verdict} by {reviewer}."))


@app.command("list")
def list_reviews(
    context: typer.Context,
    sample: Annotated[str | None, typer.Argument(metavar="SAMPLE", help="Only this sample.")] = None,
    *,
    open_only: Annotated[bool, typer.Option("--open", help="Only documents without a verdict.")] = False,
    limit: OptionalLimit = None,
    as_json: Json = False,
) -> None:
    """List drawn documents with their verdicts, and the precision of each sample with its 95 % interval."""
    app = open_app(context)
    rows = app.reviews.list_reviews(sample)
    if sample is not None and not rows:
        raise Refused(
            "unknown_sample", f"there is no sample '{sample}'; list them with `headwater sample list`"
        )
    if as_json:
        print_json_lines(_records(rows, limit, open_only=open_only))
        return
    if not rows:
        console().print("No samples yet. Draw one with `headwater sample draw RECIPE`.")
    for name, drawn in groupby(rows, key=lambda row: row["sample"]):
        _show(name, list(drawn), limit, open_only=open_only)


def _listed(rows: list[dict[str, Any]], limit: int | None, *, open_only: bool) -> list[dict[str, Any]]:
    return [row for row in rows if not open_only or row["verdict"] is None][:limit]


def _records(rows: list[dict[str, Any]], limit: int | None, *, open_only: bool) -> list[dict[str, Any]]:
    records = _listed(rows, limit, open_only=open_only)
    for name, drawn in groupby(rows, key=lambda row: row["sample"]):
        summary = summarize_reviews([row["verdict"] for row in drawn])
        records.append({"sample": name, "summary": asdict(summary) | {"open": summary.open}})
    return records


def _show(name: str, rows: list[dict[str, Any]], limit: int | None, *, open_only: bool) -> None:
    listing = table("id", "state", "verdict", "by", "title", "why", flexible="title")
    for row in _listed(rows, limit, open_only=open_only):
        fields = ", ".join(row["fields"] or ())
        why = ": ".join(part for part in (fields, row["reason"] or "") if part)
        listing.add_row(
            short_id(row["document_id"]),
            row["state"],
            row["verdict"] or "",
            cell(row["reviewer"] or ""),
            cell(row["title"] or row["url"]),
            cell(why, "dim"),
        )
    console().print(cell(name, "bold cyan"))
    console().print(listing)
    console().print(cell(_summary_line(summarize_reviews([row["verdict"] for row in rows]))))


def _summary_line(summary: ReviewSummary) -> str:
    counts = f"{summary.right} right, {summary.wrong} wrong, {summary.unsure} unsure, {summary.open} open"
    if summary.precision is None or summary.low is None or summary.high is None:
        return f"{counts}; no precision yet"
    return (
        f"{counts}; precision {summary.precision:.1%} (95 % interval {summary.low:.1%} to {summary.high:.1%})"
    )
