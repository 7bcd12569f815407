"""Recipes with their counts, and the subjects of a recipe."""

from starlette.requests import Request
from starlette.responses import Response

from headwater.web.context import context_of
from headwater.web.rest.answers import json_answer_to
from headwater.web.rest.forms import plain_item, rows_answer
from headwater.web.rest.listing import add_list, chosen_recipes
from headwater.web.rest.routing import api_router, described
from headwater.web.rest.schemas import TEXT, list_schema, object_schema

router = api_router("/recipes", "recipes")


def read_recipes(request: Request) -> Response:
    """The recipes that have sources here."""
    rows = [{"name": name} for name in context_of(request).app.catalogue.recipes()]
    return rows_answer(request, "recipes", rows, plain_item("recipe", "name", "", "name"))


@router.get("/{recipe}/status", responses=described({"type": "object"}))
def read_status(request: Request, recipe: str) -> Response:
    """What came in, what was kept, why the rest was not, and what is waiting."""
    context = context_of(request)
    (name,) = chosen_recipes(context, recipe)
    return json_answer_to(request, context.app.catalogue.status(name, context.app.clock()))


def read_subjects(request: Request, recipe: str) -> Response:
    """The subjects of a recipe, with the number of their names and of the documents that mention them."""
    context = context_of(request)
    (name,) = chosen_recipes(context, recipe)
    rows = context.app.mentions.list_subjects(name)
    return rows_answer(request, "subjects", rows, plain_item("subject", "name"))


add_list(router, "", read_recipes, list_schema(object_schema({"name": TEXT})), "List recipes.")
add_list(
    router,
    "/{recipe}/subjects",
    read_subjects,
    list_schema({"type": "object"}),
    "List the subjects of a recipe.",
)
