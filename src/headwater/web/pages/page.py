"""A page: where it is, what it shows, and who may see it. `/x` renders its model, `/x.json` returns the same model as JSON."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater.model.api_key import KeyScope
from headwater.text.redaction import redact_record
from headwater.web.context import WebContext, context_of
from headwater.web.pages.frame import answer_page, frame_of
from headwater.web.pages.rendering import render
from headwater.web.pages.session import admit_reader
from headwater.web.pages.translations import OWN_PACKAGE
from headwater.web.problems import HttpProblem
from headwater.web.rest.answers import json_answer_to

Model = Mapping[str, Any]
Load = Callable[[Request, WebContext], Model]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """`load` returns the model: records that JSON can carry, whose names the template uses. `parameters` are those of the
    query; others are refused. With a `label` the page stands in the navigation, under its `section`. `fragment` is a smaller
    template for htmx, when it asks for a part of the page. `package` holds the templates and texts of a recipe's page."""

    path: str
    template: str
    load: Load
    scope: KeyScope = KeyScope.READ
    parameters: frozenset[str] = frozenset()
    label: str = ""
    section: str = "read"
    fragment: str = ""
    package: str = OWN_PACKAGE

    @property
    def twin(self) -> str:
        return f"{self.path if self.path != '/' else '/index'}.json"


def page_routes(pages: Sequence[Page]) -> list[Route]:
    """The twins come first: the path of a page with an id at its end would match them, too."""
    twins = [Route(page.twin, _json_endpoint(page), methods=["GET"]) for page in pages]
    return [*twins, *(Route(page.path, _page_endpoint(page), methods=["GET"]) for page in pages)]


def load_model(page: Page, request: Request) -> Model:
    """Checked and read, without the secrets of URLs. Raises HttpProblem or an error of Headwater."""
    context = context_of(request)
    admit_reader(request, context, page.scope)
    if unknown := sorted(set(request.query_params) - page.parameters):
        names = ", ".join(sorted(page.parameters)) or "none"
        raise HttpProblem(
            400, "unknown_parameter", f"there is no parameter '{unknown[0][:100]}'; there are: {names}"
        )
    texts = [*request.path_params.values(), *request.query_params.values()]
    if any("\x00" in text for text in texts):
        raise HttpProblem(400, "bad_text", "a text has a NUL character")
    model: Model = redact_record(dict(page.load(request, context)))
    return model


def _json_endpoint(page: Page) -> Callable[[Request], Response]:
    def answer(request: Request) -> Response:
        return json_answer_to(request, load_model(page, request), redact=False)

    return answer


def _page_endpoint(page: Page) -> Callable[[Request], Response]:
    def answer(request: Request) -> Response:
        model = load_model(page, request)
        is_part = page.fragment and request.headers.get("hx-request-type") == "partial"
        frame = frame_of(request, twin=_twin_of(page, request), package=page.package)
        return answer_page(request, render(page.fragment if is_part else page.template, frame, model))

    return answer


def _twin_of(page: Page, request: Request) -> str:
    path = page.twin
    for name, value in request.path_params.items():
        path = path.replace(f"{{{name}}}", value)
    return f"{path}?{request.url.query}" if request.url.query else path
