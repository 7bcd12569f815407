"""The countries of the world: their codes, their names in many languages, capitals and demonyms."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from headwater.documents.mentions.matcher import Matcher, build_matcher
from headwater.model.document import Mention
from headwater.model.subject import Alias

ALIAS_CONFIDENCE: Mapping[str, float] = {"name": 0.95, "capital": 0.7, "demonym": 0.8}
# Also a given name, a bird or a state of another country: counted, with less confidence.
AMBIGUOUS = frozenset(
    {"Georgia", "Jordan", "Chad", "Turkey", "Lima", "Guinea", "Washington", "Polish", "Colombo"}
)
AMBIGUOUS_CONFIDENCE = 0.5
ORDINARY_WORDS: Mapping[str, frozenset[str]] = {
    "en": frozenset(("island", "man", "mali")),
    "es": frozenset(("gana", "mali")),
    "ru": frozenset(("того", "чад")),
    "uk": frozenset(("того",)),
}


@dataclass(frozen=True, slots=True)
class Country:
    alpha2: str
    alpha3: str
    name: str
    aliases: tuple[Alias, ...]


@cache
def countries() -> Mapping[str, Country]:
    """By alpha-2 code."""
    table = files("headwater.documents.places").joinpath("countries.tsv").read_text(encoding="utf-8")
    return {country.alpha2: country for country in map(_country, table.splitlines())}


def _country(line: str) -> Country:
    alpha2, alpha3, aliases_text = line.split("\t")
    aliases_by_kind = [tuple(entry.split(":", 1)) for entry in aliases_text.split("|")]
    aliases = tuple(Alias(text, alpha2, kind, _confidence(kind, text)) for kind, text in aliases_by_kind)
    return Country(alpha2, alpha3, aliases_by_kind[0][1], aliases)


def _confidence(kind: str, text: str) -> float:
    return AMBIGUOUS_CONFIDENCE if text in AMBIGUOUS else ALIAS_CONFIDENCE[kind]


@cache
def gazetteer() -> Matcher:
    return build_matcher(alias for country in countries().values() for alias in country.aliases)


def find_countries(text: str, language: str = "") -> list[Mention]:
    """The countries that a text names. Scripts with capital letters write them so: `gana` is a Spanish verb, `Gana` a country. A
    name that is a word in the language of the text is left out, too."""
    ordinary_words = ORDINARY_WORDS.get(language, frozenset())
    mentions = []
    for mention in gazetteer().find(text):
        offsets = tuple(
            (start, end)
            for start, end in mention.offsets
            if not text[start].islower() and text[start:end].casefold() not in ordinary_words
        )
        if offsets:
            mentions.append(replace(mention, count=len(offsets), offsets=offsets))
    return mentions


@cache
def _codes() -> Mapping[str, str]:
    """Any code or full name in lower case, to alpha-2."""
    names = {
        alias.text.casefold(): country.alpha2
        for country in countries().values()
        for alias in country.aliases
        if alias.kind == "name"
    }
    return names | {
        code.casefold(): country.alpha2
        for country in countries().values()
        for code in (country.alpha2, country.alpha3)
    }


def country_code(name: str) -> str | None:
    """The alpha-2 code for a code or a name in any language of the table."""
    return _codes().get(name.strip().casefold())
