"""Redirects that loop, take too many hops, leave the host, or lead to forbidden addresses."""

from headwater_demo.site import Site, SiteRequest, SiteResponse, not_found, page, redirect
from headwater_demo.world import World

HOST, OTHER = "maze.example", "maze-exit.example"
_ENDS = {
    "/loop": f"http://{HOST}/loop/back",
    "/loop/back": f"http://{HOST}/loop",
    "/self": f"http://{HOST}/self",
    "/cross": f"http://{OTHER}/arrived",
    "/relative": "arrived",
    "/private": "http://169.254.169.254/latest/meta-data/",
    "/loopback": "http://127.0.0.1:9/admin",
    "/file": "file:///etc/passwd",
    "/script": "javascript:alert(1)",
    "/nowhere": "http://no-such-host.example/",
}
_STATUSES = {"/moved/301": 301, "/moved/302": 302, "/moved/303": 303, "/moved/307": 307, "/moved/308": 308}


def sites(_world: World) -> list[Site]:
    return [Site(HOST, _answer), Site(OTHER, _answer)]


def _answer(request: SiteRequest) -> SiteResponse:
    path = request.path
    if path in _ENDS:
        return redirect(_ENDS[path])
    if path in _STATUSES:
        return redirect(f"http://{HOST}/arrived", status=_STATUSES[path])
    if path.startswith("/hops/"):
        return _hop(request)
    if path == "/no-location":
        return SiteResponse(status=302, as_is=True)
    if path == "/arrived":
        return page(
            "<!doctype html><title>Arrived</title><article><h1>Arrived</h1><p>This is where the maze ends.</p></article>"
        )
    return not_found(request)


def _hop(request: SiteRequest) -> SiteResponse:
    """`/hops/7` takes seven redirects to the end."""
    hops_left = request.path.removeprefix("/hops/")
    if not hops_left.isdecimal():
        return not_found(request)
    return redirect(
        f"http://{HOST}/hops/{int(hops_left) - 1}" if int(hops_left) > 1 else f"http://{HOST}/arrived"
    )
