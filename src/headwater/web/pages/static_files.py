"""Style, scripts and pictures of the pages. A file's name has a hash of its content, so browsers may keep it for ever."""

from functools import cache
from hashlib import blake2b
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater.web.problems import HttpProblem

MEDIA_TYPES = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "txt": "text/plain; charset=utf-8",
}
FOR_EVER = {"Cache-Control": "public, max-age=31536000, immutable"}


@cache
def static_files() -> dict[str, tuple[str, bytes]]:
    """The name with the hash, and the bytes, by the plain name."""
    by_name: dict[str, tuple[str, bytes]] = {}
    for file in (files("headwater.web.pages") / "static").iterdir():
        stem, _, extension = file.name.rpartition(".")
        if extension in MEDIA_TYPES:
            body = file.read_bytes()
            by_name[file.name] = (f"{stem}.{blake2b(body, digest_size=5).hexdigest()}.{extension}", body)
    return by_name


def static_path(name: str) -> str:
    return f"/static/{static_files()[name][0]}"


def send_static(request: Request) -> Response:
    name = request.path_params["name"]
    for hashed_name, body in static_files().values():
        if hashed_name == name:
            return Response(body, headers=FOR_EVER, media_type=MEDIA_TYPES[name.rpartition(".")[2]])
    raise HttpProblem(404, "unknown_address", "there is nothing here")


STATIC_ROUTE = Route("/static/{name}", send_static, methods=["GET"])
