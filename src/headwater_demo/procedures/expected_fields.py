"""The fields that a perfect reader would extract from each text."""

from typing import Any
from urllib.parse import urljoin

from headwater_demo.procedures.content import DemoPortal, ProcedureText


def expected_fields(portal: DemoPortal, text: ProcedureText, url: str) -> dict[str, Any]:
    """The fields of the ProcedureDoc that the page supports."""
    where: dict[str, Any] = {}
    if text.urls:
        where["urls"] = [urljoin(url, path) for _, path in text.urls]
    if text.direcciones:
        where["direcciones"] = list(text.direcciones)
    if text.cita:
        where["cita_previa_url"] = urljoin(url, text.cita)
    fields = {
        "nombre": text.nombre,
        "descripcion": text.descripcion,
        "organismo": portal.organism,
        "idioma": portal.language,
        "source_type": portal.source_type,
        "territorio": dict(portal.territory),
        "requisitos": list(text.requisitos),
        "documentos_necesarios": list(text.documentos),
        "plazos": dict(text.plazos),
        "tasas": text.tasas,
        "cuantias": dict(text.cuantias),
        "base_legal": [f"{name} ({number})" if number else name for name, number in text.base_legal],
        "como_solicitar": [{"via": via, "detalle": detail} for via, detail in text.como],
        "donde_solicitar": where,
        "telefono": text.telefono,
        "canal": _channel(text),
        "datos_importantes": list(text.datos),
    }
    return {name: value for name, value in fields.items() if value not in (None, "", [], {})}


def _channel(text: ProcedureText) -> str | None:
    ways = {via for via, _ in text.como}
    online, person = "online" in ways, bool({"presencial", "correo"} & ways)
    return "mixto" if online and person else "electronico" if online else "presencial" if person else None
