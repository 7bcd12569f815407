"""Telephone numbers of a page, as they are written."""

import re
from collections.abc import Sequence

from headwater.text.folding import fold_text
from headwater_recipes.procedures.fields.value import NO_VALUE, FieldValue, spans_of
from headwater_recipes.procedures.sections.parts import PagePart

PHONE = re.compile(
    r"(?<![\d/.,-])(?:\+34[\s.]?|0034[\s.]?)?(?:\d{3}[\s.]\d{3}[\s.]\d{3}|\d{3}[\s.]\d{2}[\s.]\d{2}[\s.]\d{2}|\d{2}[\s.]\d{3}[\s.]\d{2}[\s.]\d{2}|[6789]\d{8})(?!\d)(?![\s.,]*(?:€|euros?))"
)
_ATTACHED = r"\s*+(?:de \w{1,30}\s*+)?(?:gratuito\s*+)?(?::\s*+)?(?:al |el |number )?\b"
_SERVICES = r"0(?:10|12|16|60|61|91|92)|112"
SHORT_PHONE = re.compile(
    rf"(?:(?:tel[eéè]fon\w{{0,30}}|tel\.?|tlf\.?|llama\w{{0,30}}|truca\w{{0,30}}|chama\w{{0,30}}|deitu\w{{0,30}}|call|ring|dial|phone|telefonoa?){_ATTACHED}(?P<named>{_SERVICES}|1\d{{2}})"
    rf"|(?:informaci\w{{0,4}}|informazioa?|al|número|line){_ATTACHED}(?P<bare>{_SERVICES}))\b(?!\s?(?:\d|%|€|eur))",
    re.IGNORECASE,
)
"""Any short number after a word for telephone; after other words, which amounts and counts follow as well, only those of the
public services."""
BARE_SHORT_PHONE = re.compile(
    r"(?:^\W{0,3}|(?<!modelo )(?<!impreso )(?<!formulario )\b(?:en el|al|el|no|ao|a l['’]|en o) )(?P<bare>0(?:10|12|16|24|60|61|62|80|85))\b(?![\s.,/:-]?\d)",
    re.IGNORECASE,
)
"""A short number without a word for telephone: "en el 010"."""
ALTERNATIVE = re.compile(
    r"\d(?:\s?\([^()\d]{0,60}|,?\s(?:o|u|ou|edo|or|y|i|e|and|eta)\s(?:al |ao |el |on )?|\s?/\s?)$"
)


def telephone(parts: Sequence[PagePart]) -> FieldValue:
    """The telephone numbers of the first line that has one: a short number, and the one to call from elsewhere."""
    for part in parts:
        for line in part.lines:
            if number := number_in(line.text, titled=part.title):
                further = [number_as_written(match[0]) for match in PHONE.finditer(line.text)]
                numbers = dict.fromkeys(
                    [number, *(other for other in further if _is_alternative(line.text, other))]
                )
                return FieldValue(" / ".join(numbers), spans_of([line]))
    return NO_VALUE


def _is_alternative(text: str, number: str) -> bool:
    """Whether a number stands beside another one for the same purpose: in brackets after it, or after "o"."""
    before = text[: text.find(number)] if number in text else ""
    return ALTERNATIVE.search(before) is not None


def number_as_written(text: str) -> str:
    return " ".join(text.split())


def number_in(text: str, titled: str = "") -> str:
    """A telephone number as it is written. Short numbers (010, 060) only next to a word for telephone."""
    titled = f"{titled}: " if "tel" in fold_text(titled) else ""
    short = SHORT_PHONE.search(f"{titled}{text}") or BARE_SHORT_PHONE.search(f"{titled}{text}")
    match = PHONE.search(f"{titled}{text}")
    if match and (short is None or match.start() < short.end()):
        return number_as_written(match[0])
    return short[short.lastgroup or 0] if short else ""
