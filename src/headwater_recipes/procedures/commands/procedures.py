"""`headwater procedures`."""

import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from headwater.app import App
from headwater.cli.environment import open_app
from headwater.cli.options import Json, LanguageFilter, OptionalLimit, command_group
from headwater.cli.render.console import cell, console, print_json, print_json_lines, table
from headwater.model.errors import Refused
from headwater_recipes.procedures import NAME
from headwater_recipes.procedures.knowledge_base.catalogue import ingestion_catalogue, run_metrics
from headwater_recipes.procedures.knowledge_base.checks import check_knowledge_base, drift_report
from headwater_recipes.procedures.knowledge_base.comparison import compare_folders
from headwater_recipes.procedures.knowledge_base.layout import KnowledgeBaseLayout
from headwater_recipes.procedures.knowledge_base.review import ReviewQueue
from headwater_recipes.procedures.retrieval.chain import RetrievalSources, Retriever, get_retriever
from headwater_recipes.procedures.retrieval.files import select_documents
from headwater_recipes.procedures.retrieval.store import StoreRetriever
from headwater_recipes.procedures.standalone import procedures_in_bytes

app = command_group("Search and check the knowledge base of procedures; show metrics.")
MAX_FILE_SIZE = 64_000_000


@app.command("metrics")
def show_metrics(context: typer.Context, as_json: Json = False) -> None:
    """Show how many pages reached each stage, how complete the procedures are, and the errors."""
    record = read_metrics(open_app(context))
    if as_json:
        print_json(record)
    else:
        _show_metrics(record)


def read_metrics(app: App) -> dict[str, Any]:
    layout, provenance = KnowledgeBaseLayout(app.output(NAME)), app.provenance
    waiting = len(ReviewQueue(layout).list_proposals())
    return run_metrics(
        provenance.leads(NAME),
        len(provenance.fetched_captures(NAME)),
        ingestion_catalogue(layout, {}),
        waiting,
    )


def _show_metrics(record: Mapping[str, Any]) -> None:
    out = console()
    listing = table("", "count", numbers=("count",))
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
        listing.add_row(name.replace("_", " "), str(record[name]))
    for name, count in record["errors"].items():
        listing.add_row(cell(name.replace("_", " "), "yellow"), str(count))
    out.print(listing)
    out.print("\ncompleteness", style="bold")
    counts = record["completeness"]["histogram"]
    largest_count = max(counts.values(), default=0) or 1
    for name, count in counts.items():
        out.print(f"{name}  {'█' * round(40 * count / largest_count):40s} {count}")
    if record["completeness"]["average"] is not None:
        share = record["completeness"]["share_of_target"]
        out.print(f"on average {record['completeness']['average']:.2f}; {share:.0%} reach the target of 0.70")


@app.command("list")
def list_procedures(
    context: typer.Context,
    *,
    territory: Annotated[str, typer.Option(help="A level, a community or a municipality.")] = "",
    organism: Annotated[str, typer.Option(help="Part of its name, or its abbreviation.")] = "",
    kind: Annotated[str, typer.Option(help="certificado, ayuda, licencia, …")] = "",
    channel: Annotated[str, typer.Option(help="electronico, presencial or mixto.")] = "",
    language: LanguageFilter = None,
    limit: OptionalLimit = None,
    as_json: Json = False,
) -> None:
    """List procedures, all or filtered."""
    folder = _folder(open_app(context))
    rows = select_documents(
        folder, territory=territory, organism=organism, kind=kind, channel=channel, language=language or ""
    )[:limit]
    if as_json:
        print_json_lines(record for _, record in rows)
        return
    listing = table(
        "id",
        "name",
        "organism",
        "complete",
        numbers=("complete",),
        flexible="name",
        widths={"id": 28, "organism": 24},
    )
    for stem, record in rows:
        score = record.get("completeness_score")
        listing.add_row(
            cell(stem, "cyan"), cell(record.get("nombre")), cell(record.get("organismo"), "dim"), cell(score)
        )
    console().print(listing if rows else "No procedure matches.")


@app.command("find")
def find_procedure(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help="A question.")],
    language: LanguageFilter = None,
    *,
    pages: Annotated[bool, typer.Option("--pages", help="Search the text of the pages as well.")] = False,
    as_json: Json = False,
) -> None:
    """Find the procedure that answers a question, as the assistant does."""
    app = open_app(context)
    retriever = store_retriever(app) if pages else chosen_retriever(app)
    answer = retriever.retrieve(query, language or "")
    if as_json:
        print_json(None if answer is None else dict(answer.datos))
    elif answer is None:
        console().print("No procedure answers this question.")
    else:
        console().print(
            f"{answer.tramite}: {answer.datos.get('nombre')}\n{answer.fuente_url or _whom(answer.datos)}",
            soft_wrap=True,
        )


def _whom(datos: Mapping[str, Any]) -> str:
    """The contact, for a procedure whose page must not be cited."""
    return ", ".join(str(datos[name]) for name in ("organismo", "telefono") if datos.get(name))


def store_retriever(app: App) -> StoreRetriever:
    """For programs that use an open environment."""
    return StoreRetriever(_folder(app), lambda query, language: app.search.pages(NAME, query, language))


def chosen_retriever(app: App) -> Retriever:
    """The retriever that RAG_ENABLED and RAG_FALLBACK_CHAIN select."""
    shelf = RetrievalSources(
        folder=_folder(app), search=lambda query, language: app.search.pages(NAME, query, language)
    )
    return get_retriever(shelf, os.environ)


@app.command("check")
def check_procedures(context: typer.Context, as_json: Json = False) -> None:
    """Check that every file is valid, citable and found by its own name. The exit code is 1 if one is not."""
    report = check_knowledge_base(_folder(open_app(context)))
    if as_json:
        print_json(report)
    else:
        out = console()
        for row in report["problems"]:
            out.print(f"{row['file']}: {row['problem']}", soft_wrap=True)
        out.print(f"{report['files']} files, {len(report['problems'])} problems.")
    raise typer.Exit(1 if report["problems"] else 0)


@app.command("compare")
def compare_with_curated(
    context: typer.Context,
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Curated files, such as the assistant's own.")
    ],
    as_json: Json = False,
) -> None:
    """Compare the files with curated ones about the same procedures, field by field."""
    if not folder.is_dir():
        raise Refused("unreadable_file", f"{folder} is not a folder")
    rows = list(compare_folders(_folder(open_app(context)), folder))
    if as_json:
        print_json_lines(asdict(row) for row in rows)
        return
    listing = table("curated", "field", "verdict", "agreement", numbers=("agreement",), flexible="curated")
    for row in rows:
        listing.add_row(
            cell(row.curated, "cyan"), cell(row.field or "-"), cell(row.verdict), f"{row.agreement:.2f}"
        )
    console().print(listing if rows else "The folder has no files.")


@app.command("drift")
def show_drift(context: typer.Context, limit: OptionalLimit = None, as_json: Json = False) -> None:
    """Show which files are current, stale, drifted, or missing their page."""
    app = open_app(context)
    rows = drift_report(_folder(app), app.provenance.leads(NAME), app.clock())[:limit]
    if as_json:
        print_json_lines(rows)
        return
    listing = table("id", "status", "last seen", flexible="id")
    for row in rows:
        listing.add_row(cell(row["id"], "cyan"), cell(row["status"]), cell(row["last_verified_at"], "dim"))
    console().print(listing if rows else "There are no procedures yet.")


@app.command("read")
def read_file(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="A web page, PDF, Word or OpenDocument file.")],
    url: Annotated[
        str, typer.Option(help="The URL of the page.")
    ] = "https://sede.example/tramites/documento",
) -> None:
    """Print the procedures in a file as JSON, one per line. Nothing is stored."""
    try:
        if path.stat().st_size > MAX_FILE_SIZE:
            raise Refused("too_large", f"{path} is larger than {MAX_FILE_SIZE} bytes")
        data = path.read_bytes()
    except OSError as error:
        raise Refused("unreadable_file", f"{path} cannot be read: {error.strerror}") from error
    print_json_lines(procedure.document for procedure in procedures_in_bytes(data, url=url))


def _folder(app: App) -> Path:
    return app.output(NAME) / "tramites"
