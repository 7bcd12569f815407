"""What a form does: a POST that goes back to a page when it is done, with a sentence about what happened."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from headwater.model.api_key import KeyScope
from headwater.model.errors import Permanent, Refused
from headwater.text.redaction import redact_record
from headwater.web.context import WebContext, context_of
from headwater.web.pages.confirmation import CONFIRMED, Ask, confirmation_model
from headwater.web.pages.frame import answer_page, frame_of, set_notice
from headwater.web.pages.rendering import render
from headwater.web.pages.session import admit_reader, local_address, refuse_other_origins
from headwater.web.pages.translations import OWN_PACKAGE, translate, translate_refusal
from headwater.web.problems import HttpProblem

FORM_TYPE = "application/x-www-form-urlencoded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """`message` is an English text of the catalogue, with `{names}` for `values`. `location` is the next page; without one, the
    page that the form names in `next`, or the one it was on. `model` fills the fragment of an action for htmx."""

    message: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    location: str = ""
    model: Mapping[str, Any] = field(default_factory=dict)


Perform = Callable[[Request, WebContext, FormData], Done]


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """`perform` makes the change, or raises Refused with a sentence for the reader. With a `fragment`, htmx gets this template
    instead of a whole page. With a `template`, the answer is that page, filled with the model: for what is shown once and is not
    stored, such as a new key; `page` is the address of the page with the form. Without a scope, anyone may send it. What `ask`
    returns is asked first: the action is carried out when the form comes back with a confirmation."""

    path: str
    perform: Perform
    scope: KeyScope | None = KeyScope.OPERATE
    fragment: str = ""
    template: str = ""
    page: str = ""
    package: str = OWN_PACKAGE
    ask: Ask | None = None


def action_routes(actions: Sequence[Action]) -> list[Route]:
    return [Route(action.path, _endpoint(action), methods=["POST"]) for action in actions]


def form_page_routes(actions: Sequence[Action]) -> list[Route]:
    """A page that is the answer to a form cannot be opened again: who returns to its address gets the page with the form."""
    return [Route(action.path, _to_form(action), methods=["GET"]) for action in actions if action.template]


def _to_form(action: Action) -> Callable[[Request], Response]:
    def answer(request: Request) -> Response:
        return RedirectResponse(local_address(request, action.page), 303)

    return answer


async def read_form(request: Request) -> FormData:
    """The fields of a form. Files are not accepted anywhere."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != FORM_TYPE:
        raise HttpProblem(415, "not_a_form", f"send a form as {FORM_TYPE}")
    fields = await request.form(max_fields=1_000)
    if any("\x00" in str(value) for value in fields.values()):
        raise HttpProblem(400, "bad_text", "a text has a NUL character")
    return fields


def _endpoint(action: Action) -> Callable[[Request], Any]:
    async def answer(request: Request) -> Response:
        context = context_of(request)
        refuse_other_origins(request, context)
        if action.scope is not None:
            await run_in_threadpool(admit_reader, request, context, action.scope)
        fields = await read_form(request)
        return await run_in_threadpool(_carry_out, action, request, fields)

    return answer


def _carry_out(action: Action, request: Request, fields: FormData) -> Response:
    try:
        if action.ask is not None and not fields.get(CONFIRMED):
            return _ask_first(action.ask, request, fields)
        done, kind = action.perform(request, context_of(request), fields), "done"
    except (Refused, Permanent) as error:
        done, kind = Done(message=error.detail), "failed"
    if action.fragment and kind == "done" and request.headers.get("hx-request") == "true":
        frame = frame_of(request, package=action.package)
        return answer_page(request, render(action.fragment, frame, done.model))
    if action.template and kind == "done":
        frame = frame_of(request, package=action.package, here=action.page, is_answer=True)
        return answer_page(request, render(action.template, frame, redact_record(dict(done.model))))
    return _go_back(action, request, fields, done, kind)


def _ask_first(ask: Ask, request: Request, fields: FormData) -> Response:
    question, back = ask(request, context_of(request), fields), _page_before(request)
    frame = frame_of(request, here=back or "/", is_answer=True)
    model = confirmation_model(question, fields, str(fields.get("next", "")) or back)
    page = render("confirmation.html", frame, model | {"back": local_address(request, back)})
    return answer_page(request, page)


def _go_back(action: Action, request: Request, fields: FormData, done: Done, kind: str) -> Response:
    target = done.location or str(fields.get("next", "")) or _page_before(request)
    response: Response = RedirectResponse(local_address(request, target), 303)
    if request.headers.get("hx-request") == "true":
        response = Response(headers={"HX-Redirect": response.headers["location"]})
    if done.message:
        set_notice(request, response, kind, _sentence(frame_of(request).language, action, done, kind))
    return response


def _sentence(language: str, action: Action, done: Done, kind: str) -> str:
    if kind == "failed":
        return translate_refusal(language, done.message, action.package)
    return translate(language, done.message, action.package, **done.values)


def _page_before(request: Request) -> str:
    """The path of the page with the form; only the path, which is always one of ours."""
    parts = urlsplit(request.headers.get("referer", ""))
    path = parts.path.removeprefix(str(request.scope.get("root_path", "")))
    return f"{path}?{parts.query}" if parts.query else path
