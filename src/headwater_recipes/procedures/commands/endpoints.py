"""What the endpoints of this recipe do, with the same functions as its commands."""

from typing import Any

from headwater.app import App
from headwater_recipes.procedures import NAME
from headwater_recipes.procedures.commands.procedures import chosen_retriever, read_metrics
from headwater_recipes.procedures.commands.review import review_queue, waiting
from headwater_recipes.procedures.endpoints import (
    NoParameters,
    ProcedureFilter,
    ProcedureQuestion,
    ProposalKey,
    Rejection,
)
from headwater_recipes.procedures.retrieval.files import select_documents


def find_procedure(app: App, parameters: ProcedureQuestion) -> dict[str, Any]:
    """`procedure` is None if no procedure answers the question."""
    answer = chosen_retriever(app).retrieve(parameters.question, parameters.language)
    if answer is None:
        return {"procedure": None, "url": None, "record": None}
    return {"procedure": answer.tramite, "url": answer.fuente_url or None, "record": dict(answer.datos)}


def list_procedures(app: App, parameters: ProcedureFilter) -> list[dict[str, Any]]:
    rows = select_documents(
        app.output(NAME) / "tramites",
        territory=parameters.territory,
        organism=parameters.organism,
        kind=parameters.kind,
        channel=parameters.channel,
        language=parameters.language,
    )
    return [{"id": stem, **record} for stem, record in rows]


def show_metrics(app: App, parameters: NoParameters) -> dict[str, Any]:
    del parameters
    return read_metrics(app)


def list_reviews(app: App, parameters: NoParameters) -> list[dict[str, Any]]:
    del parameters
    return waiting(app)


def show_review(app: App, parameters: ProposalKey) -> dict[str, Any]:
    return dict(review_queue(app).proposal(parameters.id))


def accept_review(app: App, parameters: ProposalKey) -> dict[str, Any]:
    path = review_queue(app).accept(parameters.id, app.clock().isoformat())
    app.close_run(NAME)
    return {"id": parameters.id, "accepted": True, "file": path.name}


def reject_review(app: App, parameters: Rejection) -> dict[str, Any]:
    review_queue(app).reject(parameters.id, parameters.reason, app.clock().isoformat())
    return {"id": parameters.id, "rejected": True}


def undo_review(app: App, parameters: ProposalKey) -> dict[str, Any]:
    decision = review_queue(app).undo(parameters.id)
    app.close_run(NAME)
    return {"id": parameters.id, "undone": decision["decision"]}
