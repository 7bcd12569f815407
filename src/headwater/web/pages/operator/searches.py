"""Saved searches: list, test on what is stored, add, pause and remove. Each has a page of its own."""

from datetime import timedelta
from itertools import islice
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request

from headwater.model.errors import Refused
from headwater.model.saved_search import SearchState
from headwater.model.story import Story
from headwater.ops.saved_searches import SearchRequest, add_search, check_search, list_searches, try_search
from headwater.web.context import WebContext
from headwater.web.pages.confirmation import Question
from headwater.web.pages.forms import Action, Done
from headwater.web.pages.operator.delivery_choices import chosen_delivery, delivery_choices
from headwater.web.pages.page import Page

SHOWN_MATCHES = 20
TESTED_DAYS = 30


def load_searches(request: Request, context: WebContext) -> dict[str, Any]:
    query = request.query_params
    words, recipe = query.get("test", ""), query.get("recipe", "")
    matches, problem = _try(context, words, recipe) if words else (None, "")
    return {
        "recipes": context.app.catalogue.recipes(),
        "recipe": recipe,
        "test": words,
        "problem": problem,
        "matches": matches,
        "more_than_shown": matches is not None and len(matches) == SHOWN_MATCHES,
        "days": TESTED_DAYS,
        "delivery_choices": delivery_choices(context.app.channels),
        "items": list_searches(context.app),
    }


def _try(context: WebContext, words: str, recipe: str) -> tuple[list[dict[str, Any]] | None, str]:
    """The stored documents and stories that it meets, or what is wrong with it."""
    app = context.app
    try:
        search = check_search(app, SearchRequest(name="tried", query=words, recipe=recipe or None))
    except Refused as error:
        return None, error.detail
    since = app.clock() - timedelta(days=TESTED_DAYS)
    return [
        {
            "id": match.record.id,
            "recipe": match.record.recipe,
            "title": match.record.title,
            "record_kind": "story" if isinstance(match.record, Story) else "document",
        }
        for match in islice(try_search(app, search, since), SHOWN_MATCHES)
    ], ""


def add(request: Request, context: WebContext, fields: FormData) -> Done:
    del request
    values = {name: str(fields.get(name, "")).strip() for name in ("name", "query", "recipe")}
    channel, delivery = chosen_delivery(str(fields.get("delivery", "")))
    add_search(
        context.app,
        SearchRequest(
            name=values["name"],
            query=values["query"],
            recipe=values["recipe"] or None,
            delivery=delivery,
            channel=channel,
        ),
    )
    return Done(
        message="{name} is saved: every new document and story is compared with it.",
        values={"name": values["name"]},
        location=f"/operate/searches/{values['name']}",
    )


def _set_state(state: SearchState, message: str) -> Any:
    def carry_out(request: Request, context: WebContext, fields: FormData) -> Done:
        del fields
        name = request.path_params["name"]
        context.app.saved_searches.set_state(name, state, context.app.clock())
        return Done(message=message, values={"name": name})

    return carry_out


def ask_remove(request: Request, context: WebContext, fields: FormData) -> Question:
    del context, fields
    name = request.path_params["name"]
    return Question(
        message="Remove the search {name} with its matches?", label="Remove", values={"name": name}
    )


def remove(request: Request, context: WebContext, fields: FormData) -> Done:
    del fields
    name = request.path_params["name"]
    context.app.saved_searches.remove(name)
    return Done(message="{name} is removed.", values={"name": name}, location="/operate/searches")


PAGES = (
    Page(
        path="/operate/searches",
        template="operator/searches.html",
        load=load_searches,
        parameters=frozenset({"test", "recipe"}),
    ),
)
ACTIONS = (
    Action(path="/operate/searches/add", perform=add),
    Action(
        path="/operate/searches/{name}/pause",
        perform=_set_state(SearchState.PAUSED, "{name} is paused; its matches stay."),
    ),
    Action(
        path="/operate/searches/{name}/resume",
        perform=_set_state(SearchState.ACTIVE, "{name} is compared with new documents again."),
    ),
    Action(path="/operate/searches/{name}/remove", perform=remove, ask=ask_remove),
)
