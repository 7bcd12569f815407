"""The pages that recipes bring, under /recipes/RECIPE/: we know no recipe."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import msgspec
from starlette.datastructures import FormData
from starlette.requests import Request

from headwater.model.api_key import KeyScope
from headwater.model.errors import Refused
from headwater.model.recipe import Recipe
from headwater.model.web_page import WebPage
from headwater.web.context import WebContext
from headwater.web.pages.forms import Action, Done
from headwater.web.pages.page import Page


def recipe_pages(recipes: Mapping[str, Recipe]) -> list[Page]:
    return [
        Page(
            path=f"/recipes/{recipe.name}/{path}",
            template=f"{page.package}:{page.template}",
            load=_loader(page),
            parameters=frozenset(page.parameters.__struct_fields__),
            label=page.label,
            section="operate" if page.is_for_operators else "read",
            package=page.package,
        )
        for recipe in recipes.values()
        for path, page in recipe.web_pages.items()
        if not page.changes
    ]


def recipe_actions(recipes: Mapping[str, Recipe]) -> list[Action]:
    return [
        Action(
            path=f"/recipes/{recipe.name}/{path}",
            perform=_performer(page),
            scope=KeyScope.OPERATE,
            package=page.package,
        )
        for recipe in recipes.values()
        for path, page in recipe.web_pages.items()
        if page.changes
    ]


def _loader(page: WebPage) -> Callable[[Request, WebContext], Mapping[str, Any]]:
    def load(request: Request, context: WebContext) -> Mapping[str, Any]:
        model: Mapping[str, Any] = _call(page, context, dict(request.query_params))
        return model

    return load


def _performer(page: WebPage) -> Callable[[Request, WebContext, FormData], Done]:
    def perform(request: Request, context: WebContext, fields: FormData) -> Done:
        del request
        values = {name: str(value) for name, value in fields.items() if name != "next"}
        answer: Mapping[str, Any] = _call(page, context, values)
        return Done(
            message=str(answer.get("message", "")),
            values=answer.get("values", {}),
            location=str(answer.get("location", "")),
        )

    return perform


def _call(page: WebPage, context: WebContext, values: Mapping[str, Any]) -> Any:
    try:
        parameters = msgspec.convert(dict(values), page.parameters, strict=False)
    except msgspec.ValidationError as error:
        raise Refused("bad_parameter", str(error)) from error
    module, _, name = page.handler.partition(":")
    return getattr(import_module(module), name)(context.app, parameters)
