"""Turns an extracted page into the procedures that it describes."""

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit

from headwater.text.words import count_words
from headwater_recipes.procedures.detection import CORE, REQUIRED, is_procedure, other_content
from headwater_recipes.procedures.fields import (
    additional,
    channels,
    deadlines,
    entries,
    laws,
    money,
    notes,
    places,
    telephones,
    title,
)
from headwater_recipes.procedures.fields.description import description_from_name, description_of
from headwater_recipes.procedures.fields.organism import abbreviation, name_in, responsible_organism
from headwater_recipes.procedures.fields.value import NO_VALUE, FieldValue, Span, first
from headwater_recipes.procedures.identity import kind_tags, procedure_id
from headwater_recipes.procedures.likelihood import procedure_likelihood
from headwater_recipes.procedures.page.page import LanguageDetector, ProcedurePage, no_language
from headwater_recipes.procedures.registry.portals import Portal, portal_territory
from headwater_recipes.procedures.registry.territory import (
    SOURCE_TYPES,
    in_nominative,
    level_of_department,
    most_specific,
    territory_of,
)
from headwater_recipes.procedures.retrieval.keywords import keywords_for
from headwater_recipes.procedures.scores import LANGUAGES, completeness_score
from headwater_recipes.procedures.sections.boilerplate import without_boilerplate
from headwater_recipes.procedures.sections.divide import divide_parts
from headwater_recipes.procedures.sections.label_lines import divide_label_lines
from headwater_recipes.procedures.sections.label_rows import divide_label_rows
from headwater_recipes.procedures.sections.parts import (
    PagePart,
    lines_of,
    parts_of_field,
    with_counted_items,
)
from headwater_recipes.procedures.sections.placing import place_by_meaning
from headwater_recipes.procedures.sections.promote import promote_headings
from headwater_recipes.procedures.sections.separate import in_language, separate_procedures

OPENING, FEW_WORDS = 600, 14
LEAST_LIKELY, PLAINLY = 0.7, 0.9
SITE_IN_TITLE = re.compile(r"(?<!\s)\s[-|–—·]\s")


@dataclass(frozen=True, slots=True)
class Procedure:
    """`document`: the ProcedureDoc without the time of extraction. `spans`: where in the text each field was found.
    `fields_with_section`: the fields for which the page has a section. `placed_by`: for each field that has a value, `model`
    where the network placed its section, else `rule`. `origins`: of fields that are not in the text."""

    document: Mapping[str, Any]
    spans: Mapping[str, tuple[Span, ...]] = field(default_factory=dict)
    fields_with_section: tuple[str, ...] = ()
    placed_by: Mapping[str, str] = field(default_factory=dict)
    origins: Mapping[str, str] = field(default_factory=dict)


def parts_of(text: str) -> list[PagePart]:
    """The sections with the labels that rules give them, or else the network that reads all statements of the page."""
    return place_by_meaning(sections_by_rules(text), text)


def sections_by_rules(text: str) -> list[PagePart]:
    """The sections with the labels that rules give them; rows with unknown labels are sections, too."""
    return divide_label_rows(parts_by_rules(text), text)


def parts_by_rules(text: str) -> list[PagePart]:
    """The sections with the labels that rules give them."""
    lines = divide_label_lines(with_counted_items(without_boilerplate(list(lines_of(text)))))
    return divide_parts(promote_headings(list(lines)))


def recognised_fields(text: str) -> list[str]:
    """The fields for which the text has a section."""
    return sorted(
        {part.field for part in parts_of(text) if part.lines} & {*CORE, "base_legal", "descripcion"}
    )


def normalise(
    page: ProcedurePage, owner: Portal | None = None, detect: LanguageDetector = no_language
) -> list[Procedure]:
    """The procedures of a page. A field without evidence stays empty, and a page without such fields has no procedure."""
    parts = in_language(parts_of(page.text), page.language, page.secondary, detect)
    likelihood = procedure_likelihood(parts, page_title(parts, page), page.url)
    procedures = []
    for heading, chapter in separate_procedures(parts):
        chapter_title = heading.title if heading else page_title(chapter, page)
        if _describes_procedure(chapter, likelihood) and not other_content(chapter, chapter_title, page.url):
            procedures.append(_procedure(page, owner, heading, chapter, detect))
    return [procedure for procedure in procedures if len(procedure.document["nombre"]) >= 5]


def _describes_procedure(parts: Sequence[PagePart], likelihood: float) -> bool:
    """A page that answers the questions of a procedure must also look like one as a whole; one that plainly looks like one needs
    fewer answers."""
    if is_procedure(parts):
        return likelihood >= LEAST_LIKELY
    return likelihood >= PLAINLY and bool({part.field for part in parts if part.lines} & REQUIRED)


def page_title(parts: Sequence[PagePart], page: ProcedurePage) -> str:
    """The first heading unless it is a section label. Many sites give all pages the same title."""
    first = next((part for part in parts if part.title), None)
    return first.title if first is not None and first.label is None and first.level <= 2 else page.title


def _procedure(
    page: ProcedurePage,
    owner: Portal | None,
    heading: PagePart | None,
    parts: Sequence[PagePart],
    detect: LanguageDetector,
) -> Procedure:
    fields = _fields(page, owner, heading, parts)
    name = fields["nombre"]
    if page.secondary and name:
        fields["nombre"] = replace(name, value=_in_one_language(name.value, page.language, detect))
    if not fields["descripcion"]:
        fields["descripcion"] = description_from_name(fields["nombre"], fields["organismo"])
    values = {key: field_value.value for key, field_value in fields.items() if field_value}
    document = _document(page, owner, values, own_text(page, heading, parts))
    spans = {
        key: field_value.spans for key, field_value in fields.items() if field_value and field_value.spans
    }
    recognised = tuple(
        dict.fromkeys(part.field for part in parts if part.label and part.own and part.field != "ignored")
    )
    lines_by_model = sorted((line.start, line.end) for part in parts if part.by_model for line in part.lines)
    placed_by = {name: _placed_by(fields[name].spans, lines_by_model) for name in values}
    origins = {name: fields[name].origin for name in values if fields[name].origin}
    return Procedure(document, spans, recognised, placed_by, origins)


def _placed_by(spans: Sequence[Span], lines_by_model: Sequence[Span]) -> str:
    """Whether a value stands in a section that the network placed, whatever field the section is about."""
    for start, end in spans:
        place = bisect_left(lines_by_model, (end, 0))
        if place and lines_by_model[place - 1][1] > start:
            return "model"
    return "rule"


def _in_one_language(name: str, language: str, detect: LanguageDetector) -> str:
    """The part of a bilingual name that is in this language."""
    sides = [side.strip() for side in re.split(r"(?<!\s)\s++[/|]\s+", name)]
    return next((side for side in sides if detect(side) == language), sides[0]) if len(sides) == 2 else name


def own_text(page: ProcedurePage, heading: PagePart | None, parts: Sequence[PagePart]) -> str:
    if heading is None:
        return page.text
    return "\n".join(f"{part.title}\n{part.text}" for part in parts)


def _fields(
    page: ProcedurePage, owner: Portal | None, heading: PagePart | None, parts: Sequence[PagePart]
) -> dict[str, FieldValue]:
    content = [part for part in parts if part.field != "ignored"]
    name = _name(page, heading, content)
    description, remainder = description_of(
        content if heading is None else parts,
        str(name.value or ""),
        page.description if heading is None else "",
    )
    remarks = notes.notes(content, description.spans)
    content = notes.without_notes(content, description.spans)
    paid, received = money.sides(content)
    applying = parts_of_field(content, "como_solicitar", "donde_solicitar", "contacto")
    how = [
        part for part in parts_of_field(content, "como_solicitar") if part.key != "cita"
    ] or parts_of_field(content, "como_solicitar")
    links = [(link, line) for part in content for line in part.lines for link in line.links]
    where = places.places(
        [*applying, *parts_of_field(content, "organismo")],
        parts_of_field(content, "donde_solicitar"),
        links,
        page.buttons,
    )
    urls = where.value.get("urls", ()) if where else ()
    ways_parts = parts_of_field(content, "como_solicitar", "donde_solicitar")
    steps = channels.steps_and_ways(how, parts_of_field(content, "donde_solicitar"))
    addresses = where.value.get("direcciones", ()) if where else ()
    channel = channels.channel(steps.value or (), ways_parts, urls, addresses)
    lines = [line for part in ways_parts for line in part.lines]
    papers, conditions = entries.separate_conditions(parts_of_field(content, "documentos_necesarios"))
    fields = {
        "nombre": name,
        "nombre_alternativo": first([title.other_names(content), _dataset_title(page)]),
        "descripcion": description,
        "organismo": responsible_organism(
            content,
            page.site,
            page.page_title,
            (page.stated("organism"), _registered_organism(owner)),
        ),
        "requisitos": entries.entries(
            [*entries.specific_parts(parts_of_field(content, "requisitos")), *conditions]
        ),
        "documentos_necesarios": entries.entries(papers),
        "plazos": deadlines.deadlines(parts_of_field(content, "plazos"), content),
        "tasas": money.fees(paid, content),
        "cuantias": money.amounts(received),
        "base_legal": laws.laws(parts_of_field(content, "base_legal"), content),
        "como_solicitar": steps,
        "donde_solicitar": where,
        "telefono": _telephone(page, content, parts),
        "datos_importantes": remarks,
        "codigo_sia": _code(content),
        "canal": FieldValue(channel, tuple((line.start, line.end) for line in lines))
        if channel
        else FieldValue(),
        "datos_adicionales": additional.additional_text(content, heading, description, remainder),
    }
    return _with_gazette(page, fields) if page.gazette else fields


def _name(page: ProcedurePage, heading: PagePart | None, parts: Sequence[PagePart]) -> FieldValue:
    if heading is None:
        return title.name(parts, page.title, page.page_title)
    return FieldValue(
        title.clean_title(heading.title),
        ((heading.start, heading.start + heading.level + 1 + len(heading.title)),),
    )


def _dataset_title(page: ProcedurePage) -> FieldValue:
    """The title under which the catalogue of open data lists the page."""
    name = str(page.attributes.get("dataset_title") or "")
    return FieldValue([name], origin=f"catalogue:{page.attributes.get('dataset', '')}") if name else NO_VALUE


def _telephone(page: ProcedurePage, parts: Sequence[PagePart], everything: Sequence[PagePart]) -> FieldValue:
    """Nearest to how and where one applies; then in any section, in remarks, in JSON-LD, at the foot of the site."""
    nearest = [
        *parts_of_field(parts, "contacto"),
        *parts_of_field(parts, "donde_solicitar"),
        *parts_of_field(parts, "como_solicitar"),
        *parts,
    ]
    stated = page.stated("telephone")
    footer = telephones.number_in(str(page.site.get("footer") or ""))
    return first(
        [
            telephones.telephone(nearest),
            telephones.telephone([part for part in everything if len(part.text.split()) <= FEW_WORDS]),
            replace(stated, value=telephones.number_in(str(stated.value or ""), "tel")),
            FieldValue(footer, origin="frame:telephone"),
        ]
    )


def _registered_organism(owner: Portal | None) -> FieldValue:
    if owner is None:
        return NO_VALUE
    return FieldValue(owner.organism or owner.name, origin=f"registry:{owner.id}")


def _code(parts: Sequence[PagePart]) -> FieldValue:
    for part in parts_of_field(parts, "codigo_sia"):
        for line in part.lines:
            if match := re.search(r"\b\d{5,8}\b", line.text):
                return FieldValue(match[0], ((line.start, line.end),))
    return FieldValue()


def _with_gazette(page: ProcedurePage, fields: dict[str, FieldValue]) -> dict[str, FieldValue]:
    """The fields of a document of the official gazette: its legal basis is the norms that it refers to."""
    earlier = page.gazette.get("anteriores") or ()
    references = [_reference(norm) for norm in earlier if norm.get("referencia")]
    department = str(page.gazette.get("departamento") or "")
    changed = {
        "nombre": FieldValue(page.title.rstrip("."), origin="xml:/documento/metadatos/titulo")
        if page.title
        else fields["nombre"],
        "base_legal": FieldValue(references, origin="xml:/documento/analisis/referencias/anteriores")
        if references
        else fields["base_legal"],
        "organismo": FieldValue(department, origin="xml:/documento/metadatos/departamento")
        if department
        else fields["organismo"],
    }
    return {**fields, **changed}


def _reference(norm: Mapping[str, str]) -> str:
    text = norm.get("texto", "")
    return f"{text} ({norm['referencia']})" if text else norm["referencia"]


def _document(page: ProcedurePage, owner: Portal | None, values: dict[str, Any], text: str) -> dict[str, Any]:
    organism = str(values.get("organismo", ""))
    territory, source_type = _territory(page, owner, organism)
    short = abbreviation(organism, owner.abbreviation if owner else "")
    name = str(values.get("nombre", ""))
    owner_word = (
        short
        or territory.get("municipio")
        or territory.get("ccaa")
        or territory.get("provincia")
        or _host_word(page.url)
    )
    identity = procedure_id(source_type, str(owner_word), name)
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
    languages = [page.language, page.secondary, *page.site.get("languages", ())]
    return list(dict.fromkeys(language for language in languages if language in LANGUAGES)) or ["es"]


def _territory(page: ProcedurePage, owner: Portal | None, organism: str) -> tuple[dict[str, str], str]:
    if owner is not None:
        return portal_territory(owner), owner.jurisdiction
    if page.gazette:
        return {"nivel": "estatal"}, "boe"
    host = (urlsplit(page.url).hostname or "").lower()
    names = [
        organism,
        *(name_in(str(page.site.get(name) or "")) for name in ("logo", "name", "header", "footer")),
        name_in(page.page_title),
        name_in(str(page.site.get("opening") or "")),
        *(name_in(line.lstrip("# ")) for line in page.text[:OPENING].split("\n")),
        *(str(page.site.get(name) or "") for name in ("logo", "name")),
        str(page.site.get("header") or "").partition(" · ")[0],
        SITE_IN_TITLE.split(page.page_title)[-1],
        name_in(str(page.site.get("closing") or "")),
        "",
    ]
    territories = [place for name in dict.fromkeys(names) if (place := territory_of(name, host))]
    levels = [level for name in dict.fromkeys(names) if (level := level_of_department(name))]
    territory = in_nominative(most_specific(territories), page.text) or next(iter(levels), {})
    return territory, SOURCE_TYPES.get(str(territory.get("nivel")), "local")


def _host_word(url: str) -> str:
    labels = [
        label for label in (urlsplit(url).hostname or "web").split(".") if label not in {"www", "sede", "seu"}
    ]
    return labels[0] if labels else "web"
