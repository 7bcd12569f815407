"""A town hall for crawlers: services to recognise, and everything that misleads a crawler."""

from collections.abc import Callable, Mapping
from datetime import date, timedelta

from headwater_demo.site import Site, SiteRequest, SiteResponse, not_found, plain, redirect
from headwater_demo.world import World

HOST, OTHER = "townhall.example", "archive.townhall.example"
SERVICES = {
    "padron": ("Alta en el padrón", ("Requisitos", "Documentación necesaria", "Plazos")),
    "licencia-obra": ("Licencia de obra menor", ("REQUISITOS", "Documentacion necesaria", "Plazo")),
    "tasa-basuras": ("Tasa de basuras", ("Requisitos", "Plazo de pago")),
    "matrimonio-civil": ("Matrimonio civil", ("Requisitos", "Documentación necesaria")),
}
_ROBOTS = "User-agent: *\nDisallow: /intranet/\n"
_FIRST_DAY = date(2026, 11, 1)


def sites(_world: World) -> list[Site]:
    return [Site(HOST, _answer), Site(OTHER, _other)]


def _answer(request: SiteRequest) -> SiteResponse:
    path = request.path
    if path in _PAGES:
        return _PAGES[path]()
    if path.startswith("/tramites/") and (name := path.removeprefix("/tramites/")) in SERVICES:
        return _service(name)
    if path.startswith("/agenda/"):
        return _day(path.removeprefix("/agenda/"))
    if path == "/buscar":
        return _search(request.query)
    return not_found(request)


def _other(request: SiteRequest) -> SiteResponse:
    return (
        _document("Archivo", f"<p>Papeles viejos.</p>{_link('/tramites/antiguo')}")
        if request.path == "/"
        else not_found(request)
    )


def _document(title: str, body: str, *, head: str = "", charset: str = "utf-8") -> SiteResponse:
    text = f'<!doctype html><html lang="es"><head><meta charset="{charset}">{head}<title>{title}</title></head><body>{body}</body></html>'
    return SiteResponse(body=text.encode(charset), media_type="text/html")


def _link(to: str, rel: str = "") -> str:
    return f'<li><a href="{to}"{f" rel={rel!r}" if rel else ""}>{to}</a></li>'


def _home() -> SiteResponse:
    links = (
        "/tramites/", "/agenda/2026-11-01", "/buscar?pagina=1", "/intranet/nominas", "/no-existe", "/mudado",
        "//townhall.example/tramites/#arriba", f"http://{OTHER}/", "http://tokentribune.example/", "mailto:hola@townhall.example",
        "javascript:void(0)", "/personal/", "/logo.png", "/tramites/padron?utm_source=portada",
    )  # fmt: skip
    return _document("Ayuntamiento", f"<ul>{''.join(map(_link, links))}{_link('/oculto', 'nofollow')}</ul>")


def _services() -> SiteResponse:
    links = "".join(_link(f"/tramites/{name}") for name in SERVICES)
    return _document(
        "Trámites",
        f"<h1>Trámites</h1><ul>{links}{_link('/tramites/padron/')}{_link('solicitud.pdf')}{_link('/tramites/copia')}</ul>",
    )


def _service(name: str) -> SiteResponse:
    title, headings = SERVICES[name]
    parts = "".join(
        f"<h2>{heading}</h2><p>Lo que hace falta para {title.lower()}.</p>" for heading in headings
    )
    charset = "iso-8859-1" if name == "matrimonio-civil" else "utf-8"
    return _document(
        title, f"<article><h1>{title}</h1>{parts}</article><footer>Sin reemplazo</footer>", charset=charset
    )


def _day(text: str) -> SiteResponse:
    """An endless calendar: each day links to following days."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = _FIRST_DAY
    following = "".join(_link(f"/agenda/{day + timedelta(days=step)}") for step in (1, 2, 7))
    return _document(f"Agenda {day}", f"<p>Nada previsto el {day}.</p>{following}")


def _search(query: Mapping[str, str]) -> SiteResponse:
    """A search whose result pages always link to further searches."""
    number = int(query.get("pagina", "1")) if query.get("pagina", "1").isdecimal() else 1
    ways = "".join(
        _link(f"/buscar?pagina={number * 3 + step}&amp;orden={order}")
        for step in range(3)
        for order in ("a", "z")
    )
    return _document(f"Buscar {number} {query.get('orden', '')}", ways)


_PAGES: dict[str, Callable[[], SiteResponse]] = {
    "/": _home,
    "/robots.txt": lambda: plain(_ROBOTS),
    "/tramites/": _services,
    "/tramites/copia": lambda: _service("padron"),
    "/tramites/solicitud.pdf": lambda: SiteResponse(body=b"%PDF-1.4 form", media_type="application/pdf"),
    "/oculto": lambda: _document("Oculto", "<p>Requisitos, documentación necesaria y plazo.</p>"),
    "/intranet/nominas": lambda: _document("Nóminas", "<p>Requisitos, documentación necesaria, plazo.</p>"),
    "/personal/": lambda: _document(
        "Personal", _link("/personal/lista"), head='<meta name="robots" content="nofollow">'
    ),
    "/personal/lista": lambda: _document("Lista", "<p>Nadie debía seguir hasta aquí.</p>"),
    "/mudado": lambda: redirect(f"http://{HOST}/tramites/padron", status=301),
}
