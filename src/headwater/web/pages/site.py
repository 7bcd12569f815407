"""All pages and actions of the server, in the order of the navigation."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from headwater.model.recipe import Recipe
from headwater.ops.api_keys import key_command
from headwater.web.context import WebContext, caller_of, context_of
from headwater.web.pages import analyst, operator
from headwater.web.pages.forms import Action, action_routes, form_page_routes, read_form
from headwater.web.pages.frame import LANGUAGE_COOKIE, THEME_COOKIE, THEMES, answer_page, frame_of, set_notice
from headwater.web.pages.page import Page, page_routes
from headwater.web.pages.recipe_pages import recipe_actions, recipe_pages
from headwater.web.pages.rendering import render
from headwater.web.pages.session import local_address, refuse_other_origins, sign_in, sign_out
from headwater.web.pages.static_files import STATIC_ROUTE
from headwater.web.pages.translations import LANGUAGES, translate
from headwater.web.problems import HttpProblem

YEAR = 365 * 86_400


def all_pages(recipes: Mapping[str, Recipe]) -> Sequence[Page]:
    return [*analyst.PAGES, *operator.PAGES, KEYS_PAGE, *recipe_pages(recipes)]


def site_routes(recipes: Mapping[str, Recipe]) -> list[BaseRoute]:
    actions: Sequence[Action] = [*analyst.ACTIONS, *operator.ACTIONS, *recipe_actions(recipes)]
    return [
        STATIC_ROUTE,
        Route("/sign-in", show_sign_in, methods=["GET"]),
        Route("/sign-in", receive_sign_in, methods=["POST"]),
        Route("/sign-out", receive_sign_out, methods=["POST"]),
        Route("/preferences", receive_preferences, methods=["POST"]),
        *analyst.ROUTES,
        # Before the pages: the path of one with an id at its end would match.
        *form_page_routes(actions),
        *page_routes(all_pages(recipes)),
        *action_routes(actions),
    ]


def navigation_of(pages: Sequence[Page]) -> tuple[Mapping[str, str], ...]:
    return tuple(
        {"path": page.path, "label": page.label, "section": page.section, "package": page.package}
        for page in pages
        if page.label
    )


def show_sign_in(request: Request) -> Response:
    target = request.query_params.get("next", "/")
    model = {"next": target, "problem": "", "key_command": _key_command(request)}
    return answer_page(request, render("sign_in.html", frame_of(request), model))


def _key_command(request: Request) -> str:
    """Only readers on this machine learn where the data is."""
    context = context_of(request)
    is_near = context.access.is_local and caller_of(request.scope).is_local
    return key_command(str(Path(context.app.settings.data).resolve())) if is_near else key_command()


async def receive_sign_in(request: Request) -> Response:
    refuse_other_origins(request, context_of(request))
    fields = await read_form(request)
    try:
        return sign_in(request, fields)
    except HttpProblem as problem:
        model = {
            "next": str(fields.get("next", "/")),
            "problem": problem.reason,
            "key_command": _key_command(request),
        }
        html = render(
            "sign_in.html", frame_of(request, here=f"/sign-in?{urlencode({'next': model['next']})}"), model
        )
        return answer_page(request, html, status=problem.status)


async def receive_sign_out(request: Request) -> Response:
    refuse_other_origins(request, context_of(request))
    fields = await read_form(request)
    language = frame_of(request).language
    response = sign_out(request, fields)
    set_notice(
        request, response, "done", sign_out_sentence(language, is_everywhere=bool(fields.get("everywhere")))
    )
    return response


def sign_out_sentence(language: str, *, is_everywhere: bool) -> str:
    if is_everywhere:
        return translate(language, "You are signed out here and in all other browsers.")
    return translate(language, "You are signed out.")


async def receive_preferences(request: Request) -> Response:
    """Language and theme: cookies of the reader, no rows."""
    refuse_other_origins(request, context_of(request))
    fields = await read_form(request)
    response = Response(
        status_code=303, headers={"Location": local_address(request, str(fields.get("next", "/")))}
    )
    for name, cookie, allowed in (
        ("language", LANGUAGE_COOKIE, LANGUAGES),
        ("theme", THEME_COOKIE, THEMES),
    ):
        if (value := str(fields.get(name, ""))) in allowed:
            path = f"{request.scope.get('root_path', '')}/"
            response.set_cookie(cookie, value, max_age=YEAR, path=path, samesite="lax")
    return response


def load_keys(request: Request, context: WebContext) -> dict[str, object]:
    """The list of shortcuts is in the template."""
    del request, context
    return {}


KEYS_PAGE = Page(path="/keys", template="keys.html", load=load_keys)
