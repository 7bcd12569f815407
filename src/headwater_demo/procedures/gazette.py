"""A small official gazette: daily summaries with every way of nesting, and documents in its XML."""

import json
from datetime import date

HOST = "boletin.demo.gob.es"
CALL = "BOE-A-2026-99101"
FRIDAY, SUNDAY = 4, 6
_DECREE = "BOE-A-2026-99001"
_ANNOUNCEMENT = "BOE-B-2026-40001"
TITLES = {
    CALL: "Orden MUE/101/2026, de 10 de noviembre, por la que se convocan ayudas a las bibliotecas rurales.",
    _DECREE: "Real Decreto 901/2026, de 10 de noviembre, por el que se nombra directora del Instituto de Muestra.",
    _ANNOUNCEMENT: "Anuncio de la Asociación de Muestra sobre extravío de título.",
}
_ARTICLES = (
    (
        "Artículo 1. Objeto.",
        "Esta orden convoca ayudas para la compra de libros y la mejora de los locales de las bibliotecas de municipios rurales.",
    ),
    (
        "Artículo 2. Beneficiarios.",
        "Podrán ser beneficiarios los ayuntamientos de municipios de menos de cinco mil habitantes que mantengan una biblioteca abierta al público.",
    ),
    (
        "Artículo 3. Documentación.",
        "La solicitud irá acompañada de una memoria del proyecto, un presupuesto detallado y un certificado del secretario municipal.",
    ),
    (
        "Artículo 4. Plazo de presentación.",
        "El plazo de presentación de solicitudes será de veinte días hábiles desde la publicación de esta orden.",
    ),
    ("Artículo 5. Cuantía.", "La cuantía máxima será de 6.000 euros por biblioteca."),
    (
        "Artículo 6. Forma de presentación.",
        "Las solicitudes se presentarán por medios electrónicos en la sede electrónica del Ministerio de Muestra.",
    ),
)


def summary(day: date) -> bytes | None:
    """None on Sundays; norms on Fridays. Levels hold one object or a list, as in the real service."""
    if day.weekday() == SUNDAY:
        return None
    general = {
        "codigo": "1",
        "nombre": "I. Disposiciones generales",
        "departamento": [
            {
                "codigo": "9591",
                "nombre": "MINISTERIO DE MUESTRA",
                "epigrafe": [{"nombre": "Nombramientos", "item": [_item(_DECREE)]}],
            }
        ],
    }
    other_provisions = {
        "codigo": "3",
        "nombre": "III. Otras disposiciones",
        "departamento": {"codigo": "9591", "nombre": "MINISTERIO DE MUESTRA", "item": _item(CALL)},
    }
    announcements = {
        "codigo": "5C",
        "nombre": "V. Anuncios",
        "departamento": {"codigo": "9999", "nombre": "ANUNCIOS", "texto": {"item": _item(_ANNOUNCEMENT)}},
    }
    sections = [general, other_provisions, announcements] if day.weekday() == FRIDAY else announcements
    payload = {
        "status": {"code": "200", "text": "ok"},
        "data": {
            "sumario": {
                "metadatos": {"publicacion": "BOE", "fecha_publicacion": f"{day:%Y%m%d}"},
                "diario": [{"numero": "275", "seccion": sections}],
            }
        },
    }
    return json.dumps(payload).encode()


def _item(name: str) -> dict[str, object]:
    return {
        "identificador": name,
        "titulo": TITLES[name],
        "url_pdf": {"szBytes": "210345", "texto": f"http://{HOST}/pdfs/{name}.pdf"},
        "url_html": f"http://{HOST}/diario_boe/txt.php?id={name}",
        "url_xml": f"http://{HOST}/diario_boe/xml.php?id={name}",
    }


def document(name: str) -> bytes | None:
    if name not in TITLES:
        return None
    articles = (
        _ARTICLES
        if name == CALL
        else (
            (
                "Artículo único.",
                "Se nombra directora a doña Inés Robles Cano, que tomará posesión en la forma prevista.",
            ),
        )
    )
    body = "".join(
        f'<p class="articulo">{title}</p><p class="parrafo">{text}</p>' for title, text in articles
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?><documento fecha_actualizacion="20261113071519"><metadatos>'
        f'<identificador>{name}</identificador><departamento codigo="9591">Ministerio de Muestra</departamento><rango codigo="1350">Orden</rango>'
        f'<titulo>{TITLES[name]}</titulo><diario codigo="BOE">Boletín de Muestra</diario><fecha_publicacion>20261113</fecha_publicacion><seccion>3</seccion></metadatos>'
        '<analisis><notas/><materias><materia codigo="1" orden="1">Bibliotecas</materia></materias><referencias><anteriores><anterior referencia="BOE-A-2003-20977" orden="1">'
        '<palabra codigo="330">DE CONFORMIDAD con</palabra><texto>Ley 38/2003, de 17 de noviembre, General de Subvenciones</texto></anterior></anteriores><posteriores/></referencias></analisis>'
        f"<texto>{body}</texto></documento>"
    ).encode()
