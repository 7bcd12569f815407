"""What the portals tell of, without any markup."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import yaml

TEXTS = Path(__file__).with_name("texts")


@dataclass(frozen=True, slots=True, kw_only=True)
class Portal:
    """A site: who runs it, which texts it has and in which template. `papers` names texts that are files instead."""

    host: str
    texts: str
    template: str
    language: str
    organism: str
    territory: Mapping[str, str]
    source_type: str
    folder: str = "/tramites/"
    abbreviation: str = ""
    papers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
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


PORTALS: tuple[Portal, ...] = (
    Portal(
        host="sede.valdemora.example",
        texts="spanish_town",
        template="definitions",
        language="es",
        organism="Ayuntamiento de Valdemora",
        territory={"nivel": "local", "municipio": "valdemora"},
        source_type="local",
        papers={"terrazas": "pdf", "ibi-fraccionado": "docx"},
    ),
    Portal(
        host="www.instituto-muestras.example",
        texts="spanish_state",
        template="ficha",
        language="es",
        organism="Instituto Nacional de Muestras (INMU)",
        territory={"nivel": "estatal"},
        source_type="age",
        abbreviation="INMU",
        folder="/procedimientos/",
        papers={"homologacion-monitor": "pdf"},
    ),
    Portal(
        host="tramites.sierralba.example",
        texts="spanish_region",
        template="accordion",
        language="es",
        organism="Consejería de Bienestar de Sierralba",
        territory={"nivel": "autonomico", "ccaa": "region-de-murcia"},
        source_type="ccaa",
        folder="/servicios/",
        papers={"carnet-manipulador-fitosanitarios": "odt"},
    ),
    Portal(
        host="seu.vallmar.example",
        texts="catalan",
        template="tabs",
        language="ca",
        organism="Ajuntament de Vallmar",
        territory={"nivel": "local", "municipio": "vallmar", "ccaa": "cataluna"},
        source_type="local",
        folder="/tramits/",
    ),
    Portal(
        host="sede.marusia.example",
        texts="galician",
        template="chapters",
        language="gl",
        organism="Concello de Marusía",
        territory={"nivel": "local", "municipio": "marusia", "ccaa": "galicia"},
        source_type="local",
        folder="/procedementos/",
    ),
    Portal(
        host="egoitza.iturgarai.example",
        texts="basque",
        template="fields",
        language="eu",
        organism="Iturgaraiko Udala",
        territory={"nivel": "local", "municipio": "iturgarai", "ccaa": "pais-vasco"},
        source_type="local",
        folder="/izapideak/",
    ),
    Portal(
        host="www.puertoclaro.example",
        texts="english",
        template="questions",
        language="en",
        organism="Puerto Claro Town Council",
        territory={"nivel": "local", "municipio": "puerto-claro"},
        source_type="local",
        folder="/services/",
    ),
)

LATE_PORTALS: tuple[Portal, ...] = (
    *(
        Portal(
            host=f"{template}.robledillo.example",
            texts="late",
            template=template,
            language="es",
            organism="Ayuntamiento de Robledillo",
            territory={"nivel": "local", "municipio": "robledillo"},
            source_type="local",
        )
        for template in ("cards", "letter", "grid")
    ),
    Portal(
        host="seu.montroig.example",
        texts="late_catalan",
        template="cards",
        language="ca",
        organism="Ajuntament de Mont-roig",
        territory={"nivel": "local", "municipio": "mont-roig"},
        source_type="local",
        folder="/tramits/",
    ),
)

LATER_PORTALS: tuple[Portal, ...] = (
    *(
        Portal(
            host=f"{template}.robledillo.example",
            texts="late",
            template=template,
            language="es",
            organism="Ayuntamiento de Robledillo",
            territory={"nivel": "local", "municipio": "robledillo"},
            source_type="local",
        )
        for template in ("columns", "groups", "italics")
    ),
    *(
        Portal(
            host=f"{template}.vilaverde.example",
            texts="late_galician",
            template=template,
            language="gl",
            organism="Concello de Vilaverde",
            territory={"nivel": "local", "municipio": "vilaverde"},
            source_type="local",
        )
        for template in ("columns", "groups")
    ),
    *(
        Portal(
            host=f"{template}.harana.example",
            texts="late_basque",
            template=template,
            language="eu",
            organism="Haranako Udala",
            territory={"nivel": "local", "municipio": "harana"},
            source_type="local",
        )
        for template in ("italics", "groups")
    ),
)

LATEST_PORTALS: tuple[Portal, ...] = tuple(
    replace(portal, host=f"{template}.{portal.host.partition('.')[2]}", template=template)
    for template in ("untied-tabs", "pairs-in-a-list", "wide-rows", "named-regions", "dashes")
    for portal in (LATE_PORTALS[0], LATE_PORTALS[3], LATER_PORTALS[3], LATER_PORTALS[5])
)


@cache
def portal_texts(name: str) -> tuple[Text, ...]:
    told = yaml.safe_load((TEXTS / f"{name}.yaml").read_text(encoding="utf-8"))
    return tuple(_text(entry) for entry in told)


def _text(entry: dict[str, Any]) -> Text:
    pairs = {
        name: [(str(a), str(b)) for a, b in entry.get(name, ())] for name in ("como", "base_legal", "urls")
    }
    return Text(**{**entry, **pairs})
