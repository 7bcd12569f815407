"""The department that a page names without a label: on a line of its own, at the foot, or as the only one that its sentences name. One
that is named only as a contact need not be responsible."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from headwater.text.folding import fold_text
from headwater_recipes.procedures.fields.citations import DATA_PROTECTION
from headwater_recipes.procedures.fields.telephones import number_in
from headwater_recipes.procedures.fields.unit_names import departments_in
from headwater_recipes.procedures.fields.value import NO_VALUE, FieldValue, first, spans_of
from headwater_recipes.procedures.sections.by_form import is_body
from headwater_recipes.procedures.sections.parts import PagePart, SectionLine
from headwater_recipes.procedures.sections.sentences import sentences

ADDRESS_SIGN = re.compile(r"\d|\bs/n\b")
CONTACTS = frozenset({"", "contacto", "como_solicitar", "donde_solicitar", "datos_importantes"})
SPEAKING = CONTACTS | {"plazos", "descripcion", "organismo"}
"""Fields whose sentences may name the department; papers and conditions name other bodies, which issue them."""
WITH = re.compile(
    r"^(?:(?:[Cc]on|[Aa]mb|[Cc]oa?) )?(?:la |el |l['’]|o |a |[Tt]he |La |El |L['’]|O |A |Á |Ao |Al |To (?:the )?)?"
)
NAME_END = re.compile(r"[,:.(]\s|\s[–—-]\s|\s\(|\s(?=\d)")
PLACE_NAME = re.compile(r"^(?:oficina|centr|secretaria)|\boffice$|bulegoa$")
"""A place to which one goes or which one calls in an emergency; it need not be responsible."""
GOVERNING = re.compile(
    r"^(?:concejalia|regidoria|concell?aria|concelleria|area|negociad|negociat|jefatura|delegacio|servi(?:cios|cis|zos|s) |serveis )|arloa$"
)
"""Departments that govern, and are no place."""
GENERAL = re.compile(
    r"policia(?: local| municipal)?$|(?:serveis|servi(?:cios|cis|zos)) \w+$|oficina\b|centr[eo]\b"
)
"""Whom one calls in an emergency, and desks that need not be responsible."""
BARE_NUMBER = re.compile(r"(?:tel[^\W\d]{0,6}[.:]? ?)?\d(?:[ .]?\d){8}", re.IGNORECASE)
MOST_SEARCHED = 400


def department_without_label(parts: Sequence[PagePart], site: Mapping[str, Any], owner: str) -> FieldValue:
    """`owner`: the name of the administration, whose departments are meant."""
    return first([_at_foot(site, owner), _on_own_line(parts), _only_one(parts, owner)])


def _at_foot(site: Mapping[str, Any], owner: str) -> FieldValue:
    """The department that signs the page before the name of its town hall: "Área de Bienestar Social - Diputación de Sierralta"."""
    for place in ("closing", "footer"):
        for piece in re.split(r"\s·\s", str(site.get(place) or "")):
            name, mark, after = piece.partition(owner)
            name = name.strip(" ·-–—|.,")
            if mark and name and is_body(name) and not ADDRESS_SIGN.search(after[:2]):
                return FieldValue(name, origin=f"frame:{place}")
    return NO_VALUE


def names_contact(text: str) -> bool:
    """Whether a line only says whom to call: a department, its number, or both."""
    if BARE_NUMBER.fullmatch(text.strip(" .")):
        return True
    name = WITH.sub("", NAME_END.split(text, maxsplit=1)[0].rstrip("."))
    return is_body(name) and (bool(number_in(text, "tel")) or name == text.rstrip("."))


def _on_own_line(parts: Sequence[PagePart]) -> FieldValue:
    """The department whose name is a line of its own."""
    for part in parts:
        for line in part.lines if part.field in SPEAKING else ():
            name = WITH.sub("", re.split(r"\s·\s", line.text)[0].rstrip("."))
            plain = is_body(name) and not PLACE_NAME.search(fold_text(name)) and not line.links
            contact = part.field == "contacto" or number_in(part.text, "tel")
            if plain and not contact and next(departments_in(name), ""):
                return FieldValue(name, spans_of([line]))
    return NO_VALUE


def _only_one(parts: Sequence[PagePart], owner: str) -> FieldValue:
    """The department that the sentences of the page name, if they name no other."""
    lines: dict[str, SectionLine] = {}
    for part in parts:
        for line in part.lines if part.field in SPEAKING else ():
            for sentence in _spoken(line):
                for name in departments_in(sentence):
                    if GOVERNING.search(fold_text(name)) and not GENERAL.match(fold_text(name)):
                        lines.setdefault(name, line)
    longest = [name for name in lines if not any(name in other and name != other for other in lines)]
    if len(longest) != 1 or longest[0] in owner:
        return NO_VALUE
    return FieldValue(longest[0], spans_of([lines[longest[0]]]))


def _spoken(line: SectionLine) -> Iterator[str]:
    """The sentences of a line, without those about personal data and those that only say whom to ask."""
    for sentence in sentences(line.text):
        contact = number_in(sentence, "tel") or "@" in sentence
        if len(sentence) <= MOST_SEARCHED and not contact and not DATA_PROTECTION.search(fold_text(sentence)):
            yield sentence
