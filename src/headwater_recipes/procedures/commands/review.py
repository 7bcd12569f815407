"""`headwater review`."""

from typing import Annotated, Any

import typer

from headwater.app import App
from headwater.cli.environment import open_app
from headwater.cli.options import Json, OptionalLimit, command_group
from headwater.cli.render.console import cell, console, print_json, print_json_lines, print_result, table
from headwater.model.jobs import State
from headwater_recipes.procedures import NAME
from headwater_recipes.procedures.knowledge_base.layout import KnowledgeBaseLayout
from headwater_recipes.procedures.knowledge_base.review import ReviewQueue

app = command_group("Show proposed procedures; accept them into the knowledge base or reject them.")
Key = Annotated[str, typer.Argument(metavar="ID", help="The id of a procedure, as `review list` shows it.")]
MAX_PAGES = 1_000


@app.command("list")
def list_proposals(context: typer.Context, limit: OptionalLimit = None, as_json: Json = False) -> None:
    """List proposals, and pages without a procedure, each with the reason."""
    rows = waiting(open_app(context))[:limit]
    if as_json:
        print_json_lines(rows)
        return
    listing = table("id", "why", "page", flexible="page", widths={"id": 28, "why": 28})
    for row in rows:
        listing.add_row(
            cell(row["id"], "cyan"), cell(", ".join(row["reasons"]), "yellow"), cell(row["url"], "dim")
        )
    console().print(listing if rows else "Nothing is waiting for review.")


@app.command("show")
def show_proposal(context: typer.Context, key: Key, as_json: Json = False) -> None:
    """Show one proposal: why it needs a review, and what it would change."""
    proposal = review_queue(open_app(context)).proposal(key)
    if as_json:
        print_json(proposal)
        return
    out = console()
    out.print(f"{proposal['id']}: {', '.join(proposal['reasons'])}", style="bold", soft_wrap=True)
    out.print(proposal["url"], soft_wrap=True)
    for line in proposal["diff"]:
        style = "green" if line.startswith("+") else "red" if line.startswith("-") else "dim"
        out.print(cell(line, style), soft_wrap=True)


@app.command("accept")
def accept_proposal(context: typer.Context, key: Key, as_json: Json = False) -> None:
    """Replace the file with the proposal, marked as verified by hand. The previous file is kept among the versions."""
    app = open_app(context)
    path = review_queue(app).accept(key, app.clock().isoformat())
    app.close_run(NAME)
    print_result(
        {"id": key, "accepted": True, "file": str(path)}, f"{key} is accepted: {path}", as_json=as_json
    )


@app.command("reject")
def reject_proposal(
    context: typer.Context,
    key: Key,
    reason: Annotated[str, typer.Option(help="Why, for those who read it later.")] = "",
    as_json: Json = False,
) -> None:
    """Discard the proposal; it does not return until its page changes."""
    app = open_app(context)
    review_queue(app).reject(key, reason, app.clock().isoformat())
    print_result({"id": key, "rejected": True}, f"{key} is rejected.", as_json=as_json)


@app.command("undo")
def undo_decision(context: typer.Context, key: Key, as_json: Json = False) -> None:
    """Take the last decision about a procedure back, unless its file has changed since."""
    app = open_app(context)
    decision = review_queue(app).undo(key)["decision"]
    app.close_run(NAME)
    print_result(
        {"id": key, "undone": decision}, f"{key} waits for review again (it was {decision}).", as_json=as_json
    )


def waiting(app: App) -> list[dict[str, Any]]:
    """Proposals by id; pages without one by the beginning of their key, which `headwater explain` accepts."""
    proposals = [
        {"id": proposal["id"], "url": proposal["url"], "reasons": proposal["reasons"], "proposal": True}
        for proposal in review_queue(app).list_proposals()
    ]
    pages = [
        {"id": row["id"], "url": row["url"], "reasons": [row["reason"]], "proposal": False}
        for row in app.catalogue.documents(NAME, [State.ASIDE, State.QUARANTINED], MAX_PAGES)
    ]
    return proposals + pages


def review_queue(app: App) -> ReviewQueue:
    return ReviewQueue(KnowledgeBaseLayout(app.output(NAME)))
