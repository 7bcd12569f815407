"""Recipes with their counts, and the subjects of a recipe."""

from starlette.requests import Request
from starlette.responses import Response

from headwater.web.context import context_of
from headwater.web.rest.answers import json_answer_to
from headwater.web.rest.listing import chosen_recipes
from headwater.web.rest.routing import api_router, described
from headwater.web.rest.schemas import TEXT, list_schema, object_schema

router = api_router("/recipes", "recipes")


@router.get("", responses=described(list_schema(object_schema({"name": TEXT}))))
def read_recipes(request: Request) -> Response:
    """The recipes that have sources here."""
    names = context_of(request).app.catalogue.recipes()
    return json_answer_to(request, {"items": [{"name": name} for name in names], "next": None})


@router.get("/{recipe}/status", responses=described({"type": "object"}))
def read_status(request: Request, recipe: str) -> Response:
    """What came in, what was kept, why the rest was not, and what is waiting."""
    context = context_of(request)
    (name,) = chosen_recipes(context, recipe)
    return json_answer_to(request, context.app.catalogue.status(name, context.app.clock()))


@router.get("/{recipe}/subjects", responses=described(list_schema({"type": "object"})))
def read_subjects(request: Request, recipe: str) -> Response:
    """The subjects of a recipe, with the number of their names and of the documents that mention them."""
    context = context_of(request)
    (name,) = chosen_recipes(context, recipe)
    return json_answer_to(request, {"items": context.app.mentions.list_subjects(name), "next": None})
