"""The languages of the pages. Texts are written in English where they are used; a catalogue translates each of them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

ENGLISH, SPANISH = "en", "es"
LANGUAGES = {ENGLISH: "English", SPANISH: "Español"}
OWN_PACKAGE = "headwater.web.pages"
REFUSALS = "refusals.yaml"
_VALUE = re.compile(r"\{(\w+)\}")


@cache
def catalogue(language: str, package: str = OWN_PACKAGE) -> Mapping[str, str]:
    """The translations of a package: all files in its folder `catalogues/LANGUAGE`."""
    folder = files(package) / "catalogues" / language
    texts: dict[str, str] = {}
    for file in sorted(folder.iterdir(), key=lambda item: item.name) if folder.is_dir() else ():
        if file.name.endswith(".yaml"):
            texts |= yaml.safe_load(file.read_text(encoding="utf-8")) or {}
    return texts


def translate(language: str, text: str, package: str = OWN_PACKAGE, **values: Any) -> str:
    """The text in this language, with its `{names}` replaced. A recipe's own pages may also use our texts."""
    translation = catalogue(language, package).get(text) or catalogue(language).get(text) or text
    return translation.format_map(values) if values else translation


def translate_refusal(language: str, sentence: str, package: str = OWN_PACKAGE) -> str:
    """A sentence of the engine, whose values are in it already: the catalogue has its form."""
    for place in dict.fromkeys((package, OWN_PACKAGE)):
        if translation := catalogue(language, place).get(sentence):
            return translation
        for parts, translation in _refusal_forms(language, place):
            if (values := _values_in(sentence, parts)) is not None:
                return translation.format_map(values)
    return sentence


@cache
def _refusal_forms(language: str, package: str) -> Sequence[tuple[Sequence[str], str]]:
    """Those with values, the most exact first: their words and, between them, the names of the values."""
    file = files(package) / "catalogues" / language / REFUSALS
    texts = yaml.safe_load(file.read_text(encoding="utf-8")) if file.is_file() else {}
    forms = [(_VALUE.split(text), translation) for text, translation in texts.items() if "{" in text]
    return sorted(forms, key=lambda form: -sum(map(len, form[0][::2])))


def _values_in(sentence: str, parts: Sequence[str]) -> Mapping[str, str] | None:
    """The values of a sentence of this form, each as short as the words after it allow; None if it has another form."""
    (first, *between, last), names = parts[::2], parts[1::2]
    position, end = len(first), len(sentence) - len(last)
    if not (sentence.startswith(first) and sentence.endswith(last)):
        return None
    values = {}
    for name, words in zip(names, between, strict=False):
        place = sentence.find(words, position, end)
        if place < 0:
            return None
        values[name], position = sentence[position:place], place + len(words)
    return values | {names[-1]: sentence[position:end]} if position <= end else None


def choose_language(cookie: str | None, accept_language: str) -> str:
    """What the reader chose, or else the first language of the browser that we have."""
    if cookie in LANGUAGES:
        return cookie
    return next((name for name in _accepted(accept_language) if name in LANGUAGES), ENGLISH)


def _accepted(header: str) -> Iterable[str]:
    """The languages of an Accept-Language header, best first, without regions."""
    weights = []
    for place, part in enumerate(header.lower().split(",")[:20]):
        name, _, parameters = part.strip().partition(";")
        weight = parameters.strip().removeprefix("q=") if parameters else "1"
        try:
            weights.append((-float(weight), place, name.partition("-")[0]))
        except ValueError:
            continue
    return [name for weight, _, name in sorted(weights) if weight < 0]
