"""Errors for people: a page with a sentence that says what to do, or the way to sign in."""

from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from headwater.web.pages.frame import answer_page, frame_of
from headwater.web.pages.rendering import render
from headwater.web.problems import HttpProblem

# What programs call.
PROGRAM_PATHS = ("/api/", "/mcp", "/metrics", "/healthz", "/readyz", "/pipeline", "/queues", "/static/")


def page_of_problem(request: Request, problem: HttpProblem) -> Response | None:
    """None for programs: they get problem details."""
    path = request.url.path.removeprefix(str(request.scope.get("root_path", "")))
    is_for_programs = path.startswith(PROGRAM_PATHS) or path.endswith(".json")
    if is_for_programs or "text/html" not in request.headers.get("accept", ""):
        return None
    if problem.status == 401 and request.method == "GET":
        return _way_to_sign_in(request, path)
    model = {"status": problem.status, "reason": problem.reason, "detail": problem.detail}
    frame = frame_of(request)
    headers = {name: value for name, value in problem.headers.items() if name == "Retry-After"}
    return answer_page(request, render("problem.html", frame, model), status=problem.status, headers=headers)


def _way_to_sign_in(request: Request, path: str) -> Response:
    target = f"{path}?{request.url.query}" if request.url.query else path
    prefix = request.scope.get("root_path", "")
    return RedirectResponse(f"{prefix}/sign-in?next={quote(target, safe='/')}", 303)
