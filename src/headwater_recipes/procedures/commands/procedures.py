"""`headwater procedures`: the knowledge base that the procedures recipe writes, looked at from outside."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from headwater.app import App
from headwater.cli.environment import document_search, open_app
from headwater.cli.options import Json, command_group
from headwater.cli.render.console import cell, console, print_json, print_json_lines, table
from headwater.model.errors import Refused
from headwater_recipes.procedures import NAME
from headwater_recipes.procedures.knowledge_base.catalogue import ingestion_catalogue, run_metrics
from headwater_recipes.procedures.knowledge_base.checks import check_knowledge_base, drift_report
from headwater_recipes.procedures.knowledge_base.layout import KnowledgeBaseLayout
from headwater_recipes.procedures.knowledge_base.review import ReviewQueue
from headwater_recipes.procedures.retrieval.chain import RetrievalSources, Retriever, get_retriever
from headwater_recipes.procedures.retrieval.files import select_documents
from headwater_recipes.procedures.retrieval.store import StoreRetriever
from headwater_recipes.procedures.standalone import procedures_in_bytes

app = command_group("Look at the knowledge base of procedures: figures, search, checks.")
LARGEST = 64_000_000


@app.command("metrics")
def show_metrics(context: typer.Context, as_json: Json = False) -> None:
    """How far pages came, how complete the procedures are, what went wrong."""
    told = read_metrics(open_app(context))
    if as_json:
        print_json(told)
    else:
        _show_metrics(told)


def read_metrics(app: App) -> dict[str, Any]:
    layout, provenance = KnowledgeBaseLayout(app.output(NAME)), app.provenance
    waiting = len(ReviewQueue(layout).waiting())
    return run_metrics(
        provenance.leads(NAME),
        len(provenance.fetched_captures(NAME)),
        ingestion_catalogue(layout, {}),
        waiting,
    )


def _show_metrics(told: Mapping[str, Any]) -> None:
    out = console()
    made = table("", "count", numbers=("count",))
    for name in (
        "discovered",
        "fetched",
        "extracted",
        "normalised",
        "stored",
        "waiting_for_review",
        "skipped",
        "duplicates",
    ):
        made.add_row(name.replace("_", " "), str(told[name]))
    for name, count in told["errors"].items():
        made.add_row(cell(name.replace("_", " "), "yellow"), str(count))
    out.print(made)
    out.print("\ncompleteness", style="bold")
    counts = told["completeness"]["histogram"]
    most = max(counts.values(), default=0) or 1
    for name, count in counts.items():
        out.print(f"{name}  {'█' * round(40 * count / most):40s} {count}")
    if told["completeness"]["average"] is not None:
        share = told["completeness"]["share_of_target"]
        out.print(f"on average {told['completeness']['average']:.2f}; {share:.0%} reach the target of 0.70")


@app.command("list")
def list_procedures(
    context: typer.Context,
    *,
    territory: Annotated[str, typer.Option(help="A level, a community or a municipality.")] = "",
    organism: Annotated[str, typer.Option(help="Part of its name, or its abbreviation.")] = "",
    kind: Annotated[str, typer.Option(help="certificado, ayuda, licencia, …")] = "",
    channel: Annotated[str, typer.Option(help="electronico, presencial or mixto.")] = "",
    language: Annotated[str, typer.Option(help="es, ca, eu, gl or en.")] = "",
    as_json: Json = False,
) -> None:
    """List procedures, all or by these filters."""
    folder = _folder(open_app(context))
    found = select_documents(
        folder, territory=territory, organism=organism, kind=kind, channel=channel, language=language
    )
    if as_json:
        print_json_lines(told for _, told in found)
        return
    made = table("id", "name", "organism", "complete", numbers=("complete",), flexible="name")
    made.expand = True
    for stem, told in found:
        score = told.get("completeness_score")
        made.add_row(
            cell(stem, "cyan"), cell(told.get("nombre")), cell(told.get("organismo"), "dim"), cell(score)
        )
    console().print(made if found else "No procedure fits.")


@app.command("find")
def find_procedure(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help="What somebody might ask.")],
    language: Annotated[str, typer.Option(help="Prefer procedures in this language.")] = "",
    *,
    pages: Annotated[bool, typer.Option("--pages", help="Search the text of the pages as well.")] = False,
    as_json: Json = False,
) -> None:
    """The procedure that answers a question, as the assistant would choose it."""
    app = open_app(context)
    retriever = store_retriever(app) if pages else chosen_retriever(app)
    answer = retriever.retrieve(query, language)
    if as_json:
        print_json(None if answer is None else dict(answer.datos))
    elif answer is None:
        console().print("No procedure answers that.")
    else:
        console().print(
            f"{answer.tramite}: {answer.datos.get('nombre')}\n{answer.fuente_url or _whom(answer.datos)}",
            soft_wrap=True,
        )


def _whom(datos: Mapping[str, Any]) -> str:
    """For an answer whose page may not be cited."""
    return ", ".join(str(datos[name]) for name in ("organismo", "telefono") if datos.get(name))


def store_retriever(app: App) -> StoreRetriever:
    """For programs that hold an installation open."""
    return StoreRetriever(
        _folder(app), lambda query, language: document_search(app).pages(NAME, query, language)
    )


def chosen_retriever(app: App) -> Retriever:
    """As RAG_ENABLED and RAG_FALLBACK_CHAIN say."""
    shelf = RetrievalSources(
        folder=_folder(app), search=lambda query, language: document_search(app).pages(NAME, query, language)
    )
    return get_retriever(shelf, os.environ)


@app.command("check")
def check_procedures(context: typer.Context, as_json: Json = False) -> None:
    """Check every file: valid, citable, found by its own name; ends with status 1 if one is not."""
    found = check_knowledge_base(_folder(open_app(context)))
    if as_json:
        print_json(found)
    else:
        out = console()
        for row in found["problems"]:
            out.print(f"{row['file']}: {row['problem']}", soft_wrap=True)
        out.print(f"{found['files']} files, {len(found['problems'])} problems.")
    raise typer.Exit(1 if found["problems"] else 0)


@app.command("drift")
def show_drift(context: typer.Context, as_json: Json = False) -> None:
    """Which files are current, stale, drifted, or missing their page."""
    app = open_app(context)
    found = drift_report(_folder(app), app.provenance.leads(NAME), app.clock())
    if as_json:
        print_json_lines(found)
        return
    made = table("id", "status", "last seen", flexible="id")
    for row in found:
        made.add_row(cell(row["id"], "cyan"), cell(row["status"]), cell(row["last_verified_at"], "dim"))
    console().print(made if found else "There are no procedures yet.")


@app.command("read")
def read_file(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="A web page, PDF, Word or OpenDocument file.")],
    url: Annotated[
        str, typer.Option(help="The address it is from.")
    ] = "https://sede.example/tramites/documento",
) -> None:
    """Print the procedures in a file as JSON, one a line, without storing anything."""
    try:
        if path.stat().st_size > LARGEST:
            raise Refused("too_large", f"{path} is larger than {LARGEST} bytes")
        data = path.read_bytes()
    except OSError as error:
        raise Refused("unreadable_file", f"{path} cannot be read: {error.strerror}") from error
    print_json_lines(one.document for one in procedures_in_bytes(data, url=url))


def _folder(app: App) -> Path:
    return app.output(NAME) / "tramites"
