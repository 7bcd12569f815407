"""The places step: which countries a document is about, by name, capital and demonym.

Works offline. Names are matched as written: of a language that inflects names (Polish "w Gruzji") only the forms in
the table are found.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from headwater.documents.mentions.matcher import Matcher
from headwater.documents.places.countries import countries, country_code, find_countries
from headwater.model.document import Document, Mention
from headwater.model.recipe import Outcome, StepContext

SOURCE_COUNTRY_CONFIDENCE = 0.5
MAX_PLACES = 20


@dataclass(frozen=True)
class TagPlaces:
    """Sets `attributes.geo_entities`: countries with count and confidence, the most frequent first.

    The country of the source, where an entry names it, counts once. `matcher` replaces the built-in gazetteer; its
    subjects are alpha-2 codes.
    """

    matcher: Matcher | None = field(default=None, compare=False)
    name: str = "places"
    version: str = "1"

    def __call__(self, batch: Sequence[Document], context: StepContext) -> Sequence[Outcome]:
        del context
        return [self._tag(document) for document in batch]

    def _tag(self, document: Document) -> Document:
        mentions = [
            mention
            for text in (document.title, document.text)
            for mention in (
                find_countries(text, document.language) if self.matcher is None else self.matcher.find(text)
            )
        ]
        source_country = country_code(str(document.attributes.get("sourcecountry") or ""))
        places = rank_places(mentions, source_country)
        if not places:
            return document
        attributes = {**document.attributes, "geo_entities": places}
        return document.with_changes(attributes=attributes).with_notes(
            countries=[place["alpha2"] for place in places]
        )


def rank_places(mentions: Iterable[Mention], source_country: str | None = None) -> list[dict[str, Any]]:
    """Mentions added up by country; the country of the source counts once, at half confidence."""
    occurrences = [(mention.subject, mention.count, mention.confidence) for mention in mentions]
    if source_country is not None:
        occurrences.append((source_country, 1, SOURCE_COUNTRY_CONFIDENCE))
    counts: dict[str, int] = {}
    weights: dict[str, float] = {}
    for code, count, confidence in occurrences:
        counts[code] = counts.get(code, 0) + count
        weights[code] = weights.get(code, 0.0) + count * confidence
    order = sorted(counts, key=lambda code: (-counts[code], -weights[code], code))
    return [_place(code, counts[code], weights[code]) for code in order[:MAX_PLACES] if code in countries()]


def _place(code: str, count: int, weight: float) -> dict[str, Any]:
    country = countries()[code]
    return {
        "name": country.name,
        "count": count,
        "alpha2": country.alpha2,
        "alpha3": country.alpha3,
        "avg_score": round(weight / count, 3),
    }
