"""`headwater review`: what the procedures recipe would rather have a person look at."""

from typing import Annotated, Any

import typer

from headwater.app import App
from headwater.cli.environment import open_app
from headwater.cli.options import Json, command_group
from headwater.cli.render.console import cell, console, print_json, print_json_lines, table
from headwater.model.jobs import State
from headwater_recipes.procedures import NAME
from headwater_recipes.procedures.knowledge_base.layout import KnowledgeBaseLayout
from headwater_recipes.procedures.knowledge_base.review import ReviewQueue

app = command_group("Look at proposed procedures: accept them into the knowledge base or reject them.")
Key = Annotated[str, typer.Argument(metavar="ID", help="The procedure's id, as `review list` shows it.")]
MOST = 1_000


@app.command("list")
def list_proposals(context: typer.Context, as_json: Json = False) -> None:
    """List proposals and pages of which no procedure could be made, each with the reason."""
    found = waiting(open_app(context))
    if as_json:
        print_json_lines(found)
        return
    made = table("id", "why", "page", flexible="page")
    made.expand = True
    for row in found:
        made.add_row(
            cell(row["id"], "cyan"), cell(", ".join(row["reasons"]), "yellow"), cell(row["url"], "dim")
        )
    console().print(made if found else "Nothing waits for review.")


@app.command("show")
def show_proposal(context: typer.Context, key: Key, as_json: Json = False) -> None:
    """Show one proposal: why it waits, and what it would change."""
    found = _queue(open_app(context)).proposal(key)
    if as_json:
        print_json(found)
        return
    out = console()
    out.print(f"{found['id']}: {', '.join(found['reasons'])}", style="bold", soft_wrap=True)
    out.print(found["url"], soft_wrap=True)
    for line in found["diff"]:
        style = "green" if line.startswith("+") else "red" if line.startswith("-") else "dim"
        out.print(cell(line, style), soft_wrap=True)


@app.command("accept")
def accept_proposal(context: typer.Context, key: Key, as_json: Json = False) -> None:
    """Make the proposal the file, verified by hand; the file before it is kept among the versions."""
    app = open_app(context)
    path = _queue(app).accept(key, app.clock().isoformat())
    app.close_run(NAME)
    _tell({"id": key, "accepted": True, "file": str(path)}, f"{key} is accepted: {path}", as_json=as_json)


@app.command("reject")
def reject_proposal(context: typer.Context, key: Key, as_json: Json = False) -> None:
    """Throw the proposal away; it does not come back until its page changes."""
    _queue(open_app(context)).reject(key)
    _tell({"id": key, "rejected": True}, f"{key} is rejected.", as_json=as_json)


def waiting(app: App) -> list[dict[str, Any]]:
    """Proposals by id; pages that gave none by the beginning of their key, which `headwater explain` takes."""
    proposed = [
        {"id": one["id"], "url": one["url"], "reasons": one["reasons"], "proposal": True}
        for one in _queue(app).waiting()
    ]
    aside = [
        {"id": row["id"], "url": row["url"], "reasons": [row["reason"]], "proposal": False}
        for row in app.catalogue.documents(NAME, [State.ASIDE, State.QUARANTINED], MOST)
    ]
    return proposed + aside


def _queue(app: App) -> ReviewQueue:
    return ReviewQueue(KnowledgeBaseLayout(app.output(NAME)))


def _tell(record: dict[str, Any], sentence: str, *, as_json: bool) -> None:
    if as_json:
        print_json(record)
    else:
        console().print(sentence, soft_wrap=True)
