"""The portals and their texts, without any markup."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import yaml

TEXTS = Path(__file__).with_name("texts")


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoPortal:
    """A site: who runs it, which texts it has and in which template. `files` maps the texts that are files to their format."""

    host: str
    texts: str
    template: str
    language: str
    organism: str
    territory: Mapping[str, str]
    source_type: str
    folder: str = "/tramites/"
    abbreviation: str = ""
    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcedureText:
    key: str
    nombre: str
    descripcion: str
    requisitos: list[str]
    documentos: list[str]
    como: list[tuple[str, str]]
    plazos: dict[str, str] = field(default_factory=dict)
    tasas: str | None = None
    cuantias: dict[str, str] = field(default_factory=dict)
    base_legal: list[tuple[str, str]] = field(default_factory=list)
    urls: list[tuple[str, str]] = field(default_factory=list)
    direcciones: list[str] = field(default_factory=list)
    cita: str = ""
    telefono: str = ""
    datos: list[str] = field(default_factory=list)


PORTALS: tuple[DemoPortal, ...] = (
    DemoPortal(
        host="sede.valdemora.demo.gob.es",
        texts="spanish_town",
        template="definitions",
        language="es",
        organism="Ayuntamiento de Valdemora",
        territory={"nivel": "local", "municipio": "valdemora"},
        source_type="local",
        files={"terrazas": "pdf", "ibi-fraccionado": "docx"},
    ),
    DemoPortal(
        host="www.instituto-muestras.demo.gob.es",
        texts="spanish_state",
        template="ficha",
        language="es",
        organism="Instituto Nacional de Muestras (INMU)",
        territory={"nivel": "estatal"},
        source_type="age",
        abbreviation="INMU",
        folder="/procedimientos/",
        files={"homologacion-monitor": "pdf"},
    ),
    DemoPortal(
        host="tramites.sierralba.demo.gob.es",
        texts="spanish_region",
        template="accordion",
        language="es",
        organism="Consejería de Bienestar de Sierralba",
        territory={"nivel": "autonomico", "ccaa": "region-de-murcia"},
        source_type="ccaa",
        folder="/servicios/",
        files={"carnet-manipulador-fitosanitarios": "odt"},
    ),
    DemoPortal(
        host="seu.vallmar.demo.gob.es",
        texts="catalan",
        template="tabs",
        language="ca",
        organism="Ajuntament de Vallmar",
        territory={"nivel": "local", "municipio": "vallmar", "ccaa": "cataluna"},
        source_type="local",
        folder="/tramits/",
    ),
    DemoPortal(
        host="sede.marusia.demo.gob.es",
        texts="galician",
        template="chapters",
        language="gl",
        organism="Concello de Marusía",
        territory={"nivel": "local", "municipio": "marusia", "ccaa": "galicia"},
        source_type="local",
        folder="/procedementos/",
    ),
    DemoPortal(
        host="egoitza.iturgarai.demo.gob.es",
        texts="basque",
        template="fields",
        language="eu",
        organism="Iturgaraiko Udala",
        territory={"nivel": "local", "municipio": "iturgarai", "ccaa": "pais-vasco"},
        source_type="local",
        folder="/izapideak/",
    ),
    DemoPortal(
        host="www.puertoclaro.demo.gob.es",
        texts="english",
        template="questions",
        language="en",
        organism="Puerto Claro Town Council",
        territory={"nivel": "local", "municipio": "puerto-claro"},
        source_type="local",
        folder="/services/",
    ),
)

FIRST_UNSEEN_PORTALS: tuple[DemoPortal, ...] = (
    *(
        DemoPortal(
            host=f"{template}.robledillo.example",
            texts="unseen_spanish",
            template=template,
            language="es",
            organism="Ayuntamiento de Robledillo",
            territory={"nivel": "local", "municipio": "robledillo"},
            source_type="local",
        )
        for template in ("cards", "letter", "grid")
    ),
    DemoPortal(
        host="seu.montroig.example",
        texts="unseen_catalan",
        template="cards",
        language="ca",
        organism="Ajuntament de Mont-roig",
        territory={"nivel": "local", "municipio": "mont-roig"},
        source_type="local",
        folder="/tramits/",
    ),
)

SECOND_UNSEEN_PORTALS: tuple[DemoPortal, ...] = (
    *(
        DemoPortal(
            host=f"{template}.robledillo.example",
            texts="unseen_spanish",
            template=template,
            language="es",
            organism="Ayuntamiento de Robledillo",
            territory={"nivel": "local", "municipio": "robledillo"},
            source_type="local",
        )
        for template in ("columns", "groups", "italics")
    ),
    *(
        DemoPortal(
            host=f"{template}.vilaverde.example",
            texts="unseen_galician",
            template=template,
            language="gl",
            organism="Concello de Vilaverde",
            territory={"nivel": "local", "municipio": "vilaverde"},
            source_type="local",
        )
        for template in ("columns", "groups")
    ),
    *(
        DemoPortal(
            host=f"{template}.harana.example",
            texts="unseen_basque",
            template=template,
            language="eu",
            organism="Haranako Udala",
            territory={"nivel": "local", "municipio": "harana"},
            source_type="local",
        )
        for template in ("italics", "groups")
    ),
)

THIRD_UNSEEN_PORTALS: tuple[DemoPortal, ...] = tuple(
    replace(portal, host=f"{template}.{portal.host.partition('.')[2]}", template=template)
    for template in ("untied-tabs", "pairs-in-a-list", "wide-rows", "named-regions", "dashes")
    for portal in (
        FIRST_UNSEEN_PORTALS[0],
        FIRST_UNSEEN_PORTALS[3],
        SECOND_UNSEEN_PORTALS[3],
        SECOND_UNSEEN_PORTALS[5],
    )
)


@cache
def portal_texts(name: str) -> tuple[ProcedureText, ...]:
    entries = yaml.safe_load((TEXTS / f"{name}.yaml").read_text(encoding="utf-8"))
    return tuple(_text(entry) for entry in entries)


def _text(entry: dict[str, Any]) -> ProcedureText:
    pairs = {
        name: [(str(a), str(b)) for a, b in entry.get(name, ())] for name in ("como", "base_legal", "urls")
    }
    return ProcedureText(**{**entry, **pairs})
