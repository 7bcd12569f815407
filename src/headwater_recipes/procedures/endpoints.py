"""The endpoints of this recipe in the HTTP API: find a procedure, list procedures, and review proposals."""

from collections.abc import Mapping
from typing import Annotated

import msgspec
from msgspec import Meta

from headwater.model.endpoint import Endpoint

HANDLERS = "headwater_recipes.procedures.commands.endpoints"
Text = Annotated[str, Meta(max_length=1_000)]
Key = Annotated[str, Meta(min_length=1, max_length=300)]


class ProcedureQuestion(msgspec.Struct, frozen=True):
    """`question` in plain words; `language` prefers procedures in it."""

    question: Annotated[str, Meta(min_length=1, max_length=1_000)]
    language: Annotated[str, Meta(max_length=20)] = ""


class ProcedureFilter(msgspec.Struct, frozen=True):
    territory: Text = ""
    organism: Text = ""
    kind: Text = ""
    channel: Text = ""
    language: Text = ""


class NoParameters(msgspec.Struct, frozen=True):
    pass


class ProposalKey(msgspec.Struct, frozen=True):
    id: Key


class Rejection(msgspec.Struct, frozen=True):
    """`reason` is for those who read it later."""

    id: Key
    reason: Text = ""


ENDPOINTS: Mapping[str, Endpoint] = {
    "find": Endpoint(
        handler=f"{HANDLERS}:find_procedure",
        parameters=ProcedureQuestion,
        help="Find the procedure that answers a question.",
        tool="find_procedure",
    ),
    "procedures": Endpoint(
        handler=f"{HANDLERS}:list_procedures",
        parameters=ProcedureFilter,
        help="List procedures, all or filtered.",
    ),
    "metrics": Endpoint(
        handler=f"{HANDLERS}:show_metrics",
        parameters=NoParameters,
        help="How many pages reached each stage, and how complete the procedures are.",
    ),
    "reviews": Endpoint(
        handler=f"{HANDLERS}:list_reviews",
        parameters=NoParameters,
        help="Proposals that wait for a review, and pages without a procedure, with the reasons.",
    ),
    "reviews/show": Endpoint(
        handler=f"{HANDLERS}:show_review",
        parameters=ProposalKey,
        help="One proposal: why it needs a review, and what it would change.",
    ),
    "reviews/accept": Endpoint(
        handler=f"{HANDLERS}:accept_review",
        parameters=ProposalKey,
        help="Replace the file with the proposal, marked as verified by hand.",
        changes=True,
    ),
    "reviews/reject": Endpoint(
        handler=f"{HANDLERS}:reject_review",
        parameters=Rejection,
        help="Discard a proposal; it does not return until its page changes.",
        changes=True,
    ),
    "reviews/undo": Endpoint(
        handler=f"{HANDLERS}:undo_review",
        parameters=ProposalKey,
        help="Take the last decision about a procedure back, unless its file has changed since.",
        changes=True,
    ),
}
