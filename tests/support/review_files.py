"""A knowledge base with procedures that wait for a person: generated files, and a proposal for a curated one."""

from pathlib import Path
from typing import Any

from headwater_recipes.procedures.knowledge_base.layout import (
    KnowledgeBaseLayout,
    stable_json,
    with_seal,
    write_if_changed,
)
from headwater_recipes.procedures.knowledge_base.review import ReviewQueue

TEXT = "# Bono de muestra\n\nDescuento para vecinos de Muestra.\n\n## Importe\n\n120 euros al año."
HOSTILE_NAME = '<img src=x onerror="document.title=1">Bono'


def procedure(key: str, **fields: Any) -> dict[str, Any]:
    url = f"https://sede.muestra.example/tramites/{key}"
    return {
        "version": 1,
        "id": key,
        "tramite": key,
        "nombre": "Bono de muestra",
        "source_url": url,
        "fuente_url": url,
        "source_type": "local",
        "organismo": "Ayuntamiento de Muestra",
        "descripcion": "Descuento para vecinos de Muestra.",
        "cuantias": {"importe": "120 euros al año."},
        "keywords": ["bono de muestra", "muestra", key],
        "idioma": "es",
        "content_hash": "a" * 64,
        "word_count": 90,
        "completeness_score": 0.8,
        "extracted_at": "2026-11-13T09:00:00+00:00",
        "verificado": False,
        "verified_by": None,
    } | fields


def write_procedures(folder: Path, count: int) -> list[str]:
    """One proposal for a curated file, then generated files; returns their keys in the order of the review."""
    layout = KnowledgeBaseLayout(folder)
    curated = procedure("local-muestra-ayuda", nombre="Ayuda", verificado=True, verified_by="manual")
    write_if_changed(layout.procedure(curated["id"]), stable_json(curated))
    changed = procedure("local-muestra-ayuda", nombre="Ayuda nueva", content_hash="b" * 64)
    ReviewQueue(layout).propose(changed, ["curated"], curated)
    keys = [f"local-muestra-bono-{number:02}" for number in range(count - 1)]
    for number, key in enumerate(keys):
        name = HOSTILE_NAME if number == 0 else f"Bono de muestra {number}"
        write_if_changed(layout.procedure(key), stable_json(with_seal(procedure(key, nombre=name))))
        start = TEXT.index("120 euros")
        extraction = {
            "extracted_text": TEXT,
            "spans": {"nombre": [[0, 17]], "cuantias": [[start, len(TEXT)]]},
        }
        write_if_changed(layout.extraction_path(key), stable_json(extraction))
    return ["local-muestra-ayuda", *keys]
