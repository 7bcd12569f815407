"""An extracted page to the procedures that it tells of."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit

from headwater.text.folding import fold_text
from headwater.text.words import count_words
from headwater_recipes.procedures.fields import channels as ways
from headwater_recipes.procedures.fields import deadlines, entries, laws, money, places
from headwater_recipes.procedures.fields import organism as body
from headwater_recipes.procedures.fields import title as naming
from headwater_recipes.procedures.fields.value import FieldValue, Span
from headwater_recipes.procedures.identity import kind_tags, procedure_id
from headwater_recipes.procedures.page.page import LanguageDetector, ProcedurePage, no_language
from headwater_recipes.procedures.registry.portals import Portal
from headwater_recipes.procedures.registry.portals import portal_territory as registered_territory
from headwater_recipes.procedures.registry.territory import SOURCE_TYPES, most_specific, territory_of
from headwater_recipes.procedures.retrieval.keywords import keywords_for
from headwater_recipes.procedures.scores import completeness_score
from headwater_recipes.procedures.sections.divide import divide_parts
from headwater_recipes.procedures.sections.parts import PagePart, has_content, lines_of, parts_of_field
from headwater_recipes.procedures.sections.promote import promote_headings
from headwater_recipes.procedures.sections.separate import in_language, separate_procedures

ASKING = frozenset({"requisitos", "documentos_necesarios", "como_solicitar"})
CORE = frozenset({*ASKING, "plazos", "tasas", "cuantias", "donde_solicitar"})
LISTING = re.compile(
    r"(?:resultad\w+|llistat|listado|listaxe|catalogo de (?:tramites|procedimientos|servicios)|cataleg de|relacion de|relacio de|indice|index|buscador|cercador|directorio|bilaket\w*|search results|list of|tramites mas|tots els tramits|todos los tramites|mapa (?:del|de la|do|web)|(?:como )?(?:se )?(?:leer?|interpretar|usar|utilizar) (?:la |una |las |el |este )?(?:fichas?|sede|portal|catalogo|buscador|web))\b"
)
JOB = re.compile(
    r"\b(?:bolsa|borsa|oferta|ofertas|convocatoria) (?:publica )?(?:de|d) (?:empleo|trabajo|treball|ocupacio|emprego|plazas)|\boposici\w+|lan (?:eskaintza|poltsa)|\b(?:job|vacancy|vacancies)\b"
)
EVENT = re.compile(
    r"(?:curso|cursos|curs|taller|tallers|talleres|obradoiro|tailerra|exposicion|exposicio|erakusketa|concierto|concert|feria|fira|feira|azoka|jornadas?|jornades|congreso|congres|visitas?|visites|charla|conferencia|festival|teatro|teatre|carrera|cursa|torneo|fiestas?|course|workshop|exhibition|concert|fair)\b"
)
LANGUAGES = ("es", "ca", "eu", "gl", "en")
LONGEST_TITLE, OPENING = 120, 600


@dataclass(frozen=True, slots=True)
class Procedure:
    """`document` is the ProcedureDoc without the moment of extraction; `spans` says for each field where in the text
    it was read; `recognised` are the fields whose parts the page has."""

    document: Mapping[str, Any]
    spans: Mapping[str, tuple[Span, ...]] = field(default_factory=dict)
    recognised: tuple[str, ...] = ()


def parts_of(text: str) -> list[PagePart]:
    return divide_parts(promote_headings(list(lines_of(text))))


def normalise(
    page: ProcedurePage, owner: Portal | None = None, tell: LanguageDetector = no_language
) -> list[Procedure]:
    """No procedure where the page asks for nothing and offers nothing: a field without evidence stays empty, and a
    page without such fields is none."""
    parts = in_language(parts_of(page.text), page.language, page.secondary, tell)
    found = []
    for heading, own in separate_procedures(parts):
        if is_procedure(own) and not is_other_content(own, heading.title if heading else _called(own, page)):
            found.append(_procedure(page, owner, heading, own, tell))
    return [one for one in found if len(one.document["nombre"]) >= 5]


def _called(parts: Sequence[PagePart], page: ProcedurePage) -> str:
    """Its first heading, if that names no part; many sites give one title to all their pages."""
    first = next((part for part in parts if part.title), None)
    return first.title if first is not None and first.label is None and first.level <= 2 else page.title


def is_procedure(parts: Sequence[PagePart]) -> bool:
    """At least two of the questions a procedure answers, one of them about what to bring, be or do."""
    answered = {part.field for part in parts if part.lines}
    return bool(answered & ASKING) and len(answered & CORE) >= 2


def is_other_content(parts: Sequence[PagePart], title: str) -> bool:
    """A listing of many, work that is offered, or an event that asks for nothing but to come."""
    if not any(has_content(line) for part in parts if part.field in CORE for line in part.lines):
        return True
    titles = [fold_text(title), *(fold_text(part.title) for part in parts if part.level == 1)]
    if any(LISTING.match(one) for one in titles):
        return True
    if any(JOB.search(one) for one in titles) and not parts_of_field(parts, "documentos_necesarios"):
        return True
    asks = {part.field for part in parts if part.lines} & {"documentos_necesarios", "como_solicitar"}
    return not asks and any(EVENT.match(one) for one in titles)


def _procedure(
    page: ProcedurePage,
    owner: Portal | None,
    heading: PagePart | None,
    parts: Sequence[PagePart],
    tell: LanguageDetector,
) -> Procedure:
    told = _fields(page, owner, heading, parts)
    if page.secondary and told["nombre"]:
        told["nombre"] = replace(
            told["nombre"], value=_in_one_language(told["nombre"].value, page.language, tell)
        )
    values = {name: one.value for name, one in told.items() if one}
    document = _document(page, owner, values, own_text(page, heading, parts))
    spans = {name: one.spans for name, one in told.items() if one and one.spans}
    recognised = tuple(
        dict.fromkeys(part.field for part in parts if part.label and part.own and part.field != "ignored")
    )
    return Procedure(document, spans, recognised)


def _in_one_language(name: str, language: str, tell: LanguageDetector) -> str:
    """Of a name that is written in two languages, the one in this language."""
    sides = [side.strip() for side in re.split(r"\s+[/|]\s+", name)]
    return next((side for side in sides if tell(side) == language), sides[0]) if len(sides) == 2 else name


def own_text(page: ProcedurePage, heading: PagePart | None, parts: Sequence[PagePart]) -> str:
    if heading is None:
        return page.text
    return "\n".join(f"{part.title}\n{part.text}" for part in parts)


def _fields(
    page: ProcedurePage, owner: Portal | None, heading: PagePart | None, parts: Sequence[PagePart]
) -> dict[str, FieldValue]:
    alone = [part for part in parts if part.field != "ignored"]
    paid, received = money.sides(alone)
    applying = parts_of_field(alone, "como_solicitar", "donde_solicitar", "contacto")
    how = [part for part in parts_of_field(alone, "como_solicitar") if part.key != "cita"] or parts_of_field(
        alone, "como_solicitar"
    )
    links = [(link, line) for part in alone for line in part.lines for link in line.links]
    description, left_over = naming.description(
        alone if heading is None else parts, page.description if heading is None else ""
    )
    where = places.places(
        [*applying, *parts_of_field(alone, "organismo")],
        parts_of_field(alone, "donde_solicitar"),
        links,
        page.buttons,
    )
    urls = where.value.get("urls", ()) if where else ()
    ways_parts = parts_of_field(alone, "como_solicitar", "donde_solicitar")
    steps = ways.ways(how)
    channel = ways.channel(steps.value or (), ways_parts, urls)
    lines = [line for part in ways_parts for line in part.lines]
    told = {
        "nombre": _name(page, heading, alone),
        "nombre_alternativo": naming.other_names(alone),
        "descripcion": description,
        "organismo": body.body(
            alone, page.site, page.page_title, (owner.organism or owner.name) if owner else ""
        ),
        "requisitos": entries.entries(entries.telling(parts_of_field(alone, "requisitos"))),
        "documentos_necesarios": entries.entries(parts_of_field(alone, "documentos_necesarios")),
        "plazos": deadlines.deadlines(parts_of_field(alone, "plazos"), alone),
        "tasas": money.fees(paid, alone),
        "cuantias": money.amounts(received),
        "base_legal": laws.laws(parts_of_field(alone, "base_legal")),
        "como_solicitar": steps,
        "donde_solicitar": where,
        "telefono": _telephone(page, alone),
        "datos_importantes": entries.entries(parts_of_field(alone, "datos_importantes")),
        "codigo_sia": _code(alone),
        "canal": FieldValue(channel, tuple((line.start, line.end) for line in lines))
        if channel
        else FieldValue(),
        "datos_adicionales": _overflow(alone, heading, description, left_over),
    }
    return _of_gazette(page, told) if page.gazette else told


def _name(page: ProcedurePage, heading: PagePart | None, parts: Sequence[PagePart]) -> FieldValue:
    if heading is None:
        return naming.name(parts, page.title, page.page_title)
    return FieldValue(
        naming.cleaned(heading.title),
        ((heading.start, heading.start + heading.level + 1 + len(heading.title)),),
    )


def _telephone(page: ProcedurePage, parts: Sequence[PagePart]) -> FieldValue:
    nearest = [
        *parts_of_field(parts, "contacto"),
        *parts_of_field(parts, "donde_solicitar"),
        *parts_of_field(parts, "como_solicitar"),
        *parts,
    ]
    found = places.telephone(nearest)
    return found or FieldValue(places.number_in(str(page.site.get("footer") or "")) or None, ())


def _code(parts: Sequence[PagePart]) -> FieldValue:
    for part in parts_of_field(parts, "codigo_sia"):
        for line in part.lines:
            if found := re.search(r"\b\d{5,8}\b", line.text):
                return FieldValue(found[0], ((line.start, line.end),))
    return FieldValue()


def _overflow(
    parts: Sequence[PagePart], heading: PagePart | None, description: FieldValue, left_over: str
) -> FieldValue:
    """What no field holds, under its own heading."""
    found: dict[str, str] = {}
    spans: list[Span] = []
    for part in parts:
        if part.label is not None or not part.title or part is heading:
            continue
        lines = [
            line
            for line in part.lines
            if not any(start <= line.start < end for start, end in description.spans)
        ]
        if lines:
            found[part.title[:LONGEST_TITLE]] = "\n".join(line.text for line in lines)
            spans += [(line.start, line.end) for line in lines]
    if left_over:
        found["descripcion"] = left_over
    return FieldValue(found, tuple(spans)) if found else FieldValue()


def _of_gazette(page: ProcedurePage, told: dict[str, FieldValue]) -> dict[str, FieldValue]:
    """A document of the official gazette rests on the norms that it refers to."""
    earlier = page.gazette.get("anteriores") or ()
    references = [_reference(one) for one in earlier if one.get("referencia")]
    department = str(page.gazette.get("departamento") or "")
    changed = {
        "nombre": FieldValue(page.title.rstrip("."), ()) if page.title else told["nombre"],
        "base_legal": FieldValue(references, ()) if references else told["base_legal"],
        "organismo": FieldValue(department, ()) if department else told["organismo"],
    }
    return {**told, **changed}


def _reference(one: Mapping[str, str]) -> str:
    text = one.get("texto", "")
    return f"{text} ({one['referencia']})" if text else one["referencia"]


def _document(page: ProcedurePage, owner: Portal | None, values: dict[str, Any], text: str) -> dict[str, Any]:
    organism = str(values.get("organismo", ""))
    territory, source_type = _territory(page, owner, organism)
    short = body.abbreviation(organism, owner.abbreviation if owner else "")
    name = str(values.get("nombre", ""))
    who = (
        short
        or territory.get("municipio")
        or territory.get("ccaa")
        or territory.get("provincia")
        or _site_word(page.url)
    )
    identity = procedure_id(source_type, str(who), name)
    optional = {
        "organismo_abrev": short,
        "codigo_sia": values.get("codigo_sia"),
        "nombre_alternativo": values.get("nombre_alternativo"),
    }
    document: dict[str, Any] = {
        "version": 1,
        "id": identity,
        "tramite": identity,
        "nombre": name,
        **{key: value for key, value in optional.items() if value},
        "source_url": page.url,
        "fuente_url": page.url,
        "source_domain": urlsplit(page.url).hostname or "",
        "source_type": source_type,
        "organismo": organism,
        "descripcion": values.get("descripcion", ""),
        "tasas": values.get("tasas"),
        "idioma": page.language if page.language in LANGUAGES else "es",
        "idiomas_disponibles": _languages(page),
        "tags": kind_tags(name),
        "verified_at": None,
        "verified_by": None,
        "verificado": False,
        "fecha_verificacion": None,
        "content_hash": sha256(text.encode()).hexdigest(),
        "word_count": max(1, count_words(text)),
    }
    if territory.get("nivel"):
        document["territorio"] = territory
    for key in _OPTIONAL:
        if values.get(key) not in (None, "", [], {}):
            document[key] = values[key]
    if "documentos_necesarios" in document:
        document["documentos"] = document["documentos_necesarios"]
    if numbers := laws.gazette_numbers(document.get("base_legal", ())):
        document["base_legal_boe"] = numbers
    document["keywords"] = keywords_for(
        name, values.get("nombre_alternativo") or (), organism, short, identity
    )
    document["completeness_score"] = completeness_score(document)
    return dict(sorted(document.items()))


_OPTIONAL = (
    "canal", "requisitos", "documentos_necesarios", "plazos", "cuantias", "base_legal", "como_solicitar",
    "donde_solicitar", "telefono", "datos_importantes", "datos_adicionales",
)  # fmt: skip


def _languages(page: ProcedurePage) -> list[str]:
    said = [page.language, page.secondary, *page.site.get("languages", ())]
    return list(dict.fromkeys(one for one in said if one in LANGUAGES)) or ["es"]


def _territory(page: ProcedurePage, owner: Portal | None, organism: str) -> tuple[dict[str, str], str]:
    if owner is not None:
        return registered_territory(owner), owner.jurisdiction
    if page.gazette:
        return {"nivel": "estatal"}, "boe"
    host = (urlsplit(page.url).hostname or "").lower()
    names = [
        organism,
        *(body.name_in(str(page.site.get(name) or "")) for name in ("logo", "name", "header", "footer")),
        body.name_in(page.page_title),
        body.name_in(str(page.site.get("opening") or "")),
        *(body.name_in(line.lstrip("# ")) for line in page.text[:OPENING].split("\n")),
        "",
    ]
    told = [one for name in dict.fromkeys(names) if (one := territory_of(name, host))]
    found = most_specific(told)
    return found, SOURCE_TYPES.get(str(found.get("nivel")), "local")


def _site_word(url: str) -> str:
    labels = [
        label for label in (urlsplit(url).hostname or "web").split(".") if label not in {"www", "sede", "seu"}
    ]
    return labels[0] if labels else "web"
