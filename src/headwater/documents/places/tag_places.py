"""Which countries a document is about, by their names in many languages, their capitals and what their people are called.

Works offline. Names are matched as they are written: a language that bends its names (Polish "w Gruzji") is read by the
forms it shares with the table, and more names may be given.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from headwater.documents.mentions.matcher import Matcher, build_matcher
from headwater.model.document import Document, Mention
from headwater.model.recipe import Outcome, StepContext
from headwater.model.subject import Alias

CONFIDENCE: Mapping[str, float] = {"name": 0.95, "capital": 0.7, "demonym": 0.8}
# Also a given name, a bird, a state of another country: taken, but with less trust.
DOUBTFUL = frozenset(
    {"Georgia", "Jordan", "Chad", "Turkey", "Lima", "Guinea", "Washington", "Polish", "Colombo"}
)
DOUBT = 0.5
SOURCE_COUNTRY = 0.5
MOST = 20


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
    alpha2, alpha3, said = line.split("\t")
    named = [tuple(one.split(":", 1)) for one in said.split("|")]
    aliases = tuple(Alias(text, alpha2, kind, _sureness(kind, text)) for kind, text in named)
    return Country(alpha2, alpha3, named[0][1], aliases)


def _sureness(kind: str, text: str) -> float:
    return DOUBT if text in DOUBTFUL else CONFIDENCE[kind]


@cache
def gazetteer() -> Matcher:
    return build_matcher(alias for country in countries().values() for alias in country.aliases)


@cache
def _codes() -> Mapping[str, str]:
    """Any code or full name, folded, to alpha-2."""
    known = {
        alias.text.casefold(): c.alpha2
        for c in countries().values()
        for alias in c.aliases
        if alias.kind == "name"
    }
    return known | {
        code.casefold(): country.alpha2
        for country in countries().values()
        for code in (country.alpha2, country.alpha3)
    }


def country_code(told: str) -> str | None:
    """The alpha-2 code for a code or a name in any language of the table."""
    return _codes().get(told.strip().casefold())


@dataclass(frozen=True)
class TagPlaces:
    """Sets `attributes.geo_entities`: countries with how often and how surely they are named, the most often first.

    The country of the source, where an entry says so, counts a little. `matcher` may be one of your own, whose
    subjects are alpha-2 codes: that is where a larger gazetteer or a model is plugged in.
    """

    matcher: Matcher | None = field(default=None, compare=False)
    name: str = "places"
    version: str = "1"

    def __call__(self, batch: Sequence[Document], context: StepContext) -> Sequence[Outcome]:
        del context
        return [self._tag(document) for document in batch]

    def _tag(self, document: Document) -> Document:
        matcher = self.matcher or gazetteer()
        found = [*matcher.find(document.title), *matcher.find(document.text)]
        told = country_code(str(document.attributes.get("sourcecountry") or ""))
        places = rank_places(found, told)
        if not places:
            return document
        attributes = {**document.attributes, "geo_entities": places}
        return document.with_changes(attributes=attributes).with_notes(
            countries=[one["alpha2"] for one in places]
        )


def rank_places(found: Iterable[Mention], source: str | None = None) -> list[dict[str, Any]]:
    """Mentions of countries, added up; the country of the source once, at half confidence."""
    said = [(mention.subject, mention.count, mention.confidence) for mention in found]
    if source is not None:
        said.append((source, 1, SOURCE_COUNTRY))
    counted: dict[str, int] = {}
    weighed: dict[str, float] = {}
    for code, count, confidence in said:
        counted[code] = counted.get(code, 0) + count
        weighed[code] = weighed.get(code, 0.0) + count * confidence
    order = sorted(counted, key=lambda code: (-counted[code], -weighed[code], code))
    return [_place(code, counted[code], weighed[code]) for code in order[:MOST] if code in countries()]


def _place(code: str, count: int, weight: float) -> dict[str, Any]:
    country = countries()[code]
    return {
        "name": country.name,
        "count": count,
        "alpha2": country.alpha2,
        "alpha3": country.alpha3,
        "avg_score": round(weight / count, 3),
    }
