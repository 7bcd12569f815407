"""Where to apply: web addresses, street addresses and the page for appointments."""

import re
from collections.abc import Sequence

from headwater.text.folding import fold_text
from headwater_recipes.procedures.fields.addresses import PLACE, streets_in
from headwater_recipes.procedures.fields.channels import via_of
from headwater_recipes.procedures.fields.start_links import (
    ASIDE,
    STARTS,
    is_application_link,
    is_appointment,
    is_entered,
    is_start,
    is_written_out,
    leads_to_start,
)
from headwater_recipes.procedures.fields.telephones import number_in
from headwater_recipes.procedures.fields.value import NO_VALUE, FieldValue, spans_of
from headwater_recipes.procedures.sections.parts import PagePart, SectionLine, TextLink
from headwater_recipes.procedures.sections.table_rows import without_header_rows

ANYWHERE = re.compile(
    r"electronic|telematic|elektronik|internet|cualquier|qualsevol|calquera|edozein|\bany\b|\byour\b|\bnearest\b|mas (?:cercan|proxim)\w+|mes proper\w*|mais proxim\w+|hurbilen\w*|de (?:su|tu|cada|la seva|seu) (?:provincia|municipio|municipi|localidad|domicilio|domicili|barrio)"
)


def places(
    applying: Sequence[PagePart],
    where: Sequence[PagePart],
    page_links: Sequence[tuple[TextLink, SectionLine]],
    buttons: frozenset[str] = frozenset(),
) -> FieldValue:
    """`donde_solicitar`: urls, direcciones, cita_previa_url. `buttons`: the targets of links styled as buttons."""
    links = [(link, line) for part in applying for line in part.lines for link in line.links]
    starts = [
        (link, line)
        for part in applying
        for line in part.lines
        for link in line.links
        if is_start(link)
        or leads_to_start(link)
        or (part.field != "contacto" and (is_written_out(link) or is_entered(link, line)))
        or (part.field == "como_solicitar" and _is_way_in(link, line))
    ]
    starts += [
        (link, line)
        for link, line in page_links
        if (is_start(link) and STARTS.search(fold_text(link.text)))
        or (link.url in buttons and is_application_link(link) and not ASIDE.search(fold_text(link.text)))
    ]
    appointments = [(link, line) for link, line in [*links, *page_links] if is_appointment(link)]
    streets = _streets(applying, where)
    value: dict[str, object] = {}
    if starts:
        value["urls"] = list(dict.fromkeys(link.url for link, _ in starts))
    if streets:
        value["direcciones"] = list(dict.fromkeys(text for text, _ in streets))
    if appointments:
        value["cita_previa_url"] = appointments[0][0].url
    used = [line for _, line in [*starts, *appointments[:1]]] + [line for _, line in streets]
    return FieldValue(value, spans_of(used)) if value else NO_VALUE


def _is_way_in(link: TextLink, line: SectionLine) -> bool:
    """Whether a sentence that says how to apply online links to the place where one does."""
    sentence = fold_text(line.text) != fold_text(link.text)
    return (
        sentence
        and is_application_link(link)
        and not ASIDE.search(fold_text(link.text))
        and via_of(line.text) == "online"
    )


def _streets(applying: Sequence[PagePart], where: Sequence[PagePart]) -> list[tuple[str, SectionLine]]:
    streets = [(text, line) for part in applying for line in part.lines for text in streets_in(line.text)]
    starts = {line.start for _, line in streets}
    for part in where:
        for line in without_header_rows(part.lines):
            if (
                line.start not in starts
                and PLACE.search(fold_text(line.text))
                and not line.links
                and not ANYWHERE.search(fold_text(line.text))
                and not line.text.endswith(":")
                and not number_in(line.text)
            ):
                streets.append((line.text.rstrip("."), line))
                starts.add(line.start)
    return sorted(streets, key=lambda pair: pair[1].start)
