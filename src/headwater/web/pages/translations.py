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
        for pattern, translation in _refusal_forms(language, place):
            if match := pattern.fullmatch(sentence):
                return translation.format_map(match.groupdict())
    return sentence


@cache
def _refusal_forms(language: str, package: str) -> Sequence[tuple[re.Pattern[str], str]]:
    """Those with values, the most exact first."""
    file = files(package) / "catalogues" / language / REFUSALS
    texts = yaml.safe_load(file.read_text(encoding="utf-8")) if file.is_file() else {}
    forms = sorted((text for text in texts if "{" in text), key=lambda text: -len(_VALUE.sub("", text)))
    return [(re.compile(_pattern_of(text), re.DOTALL), texts[text]) for text in forms]


def _pattern_of(text: str) -> str:
    parts = _VALUE.split(text)
    return "".join(f"(?P<{part}>.*)" if place % 2 else re.escape(part) for place, part in enumerate(parts))


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
