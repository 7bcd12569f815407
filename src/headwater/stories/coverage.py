"""What any story says about its documents: a summary whose sentences name them, publishers, languages, countries, names."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from headwater.documents.mentions.entities import META
from headwater.model.document import Document
from headwater.model.recipe import StoryContext
from headwater.model.story import Story
from headwater.stories.extractive_summary import (
    CitedSentence,
    SummarySource,
    summarise,
    summarise_stories,
)
from headwater.stories.reader_language import documents_to_read
from headwater.text.folding import fold_text

SENTENCES = 5
MOST_SUMMARISED = 15
MOST_DOMAINS, MOST_URLS, MOST_IMAGES, MOST_ENTITIES = 10, 50, 20, 10
LOCAL = "local"


@dataclass(frozen=True)
class SummariseStory:
    """Sets the summary of each story, in one language, and attributes that count its documents, publishers, languages and
    countries. `languages` are those of the readers, the best first."""

    sentences: int = SENTENCES
    languages: tuple[str, ...] = ()

    def __call__(self, contexts: Sequence[StoryContext]) -> list[Story]:
        readable = [documents_to_read(context.documents, self.languages) for context in contexts]
        summaries = summarise_stories(list(map(_sources, readable)), self.sentences)
        return [
            self._describe(context, documents, claims)
            for context, documents, claims in zip(contexts, readable, summaries, strict=True)
        ]

    def _describe(
        self, context: StoryContext, documents: Sequence[Document], claims: Sequence[CitedSentence]
    ) -> Story:
        summary, records = _summary_of(documents, claims)
        attributes = {**coverage_of(context.documents), "claims": records}
        return replace(context.story, summary=summary, attributes=attributes)


def summarise_documents(
    documents: Sequence[Document], sentences: int = SENTENCES
) -> tuple[str, list[dict[str, Any]]]:
    """The summary, and its sentences with the ids of their documents; without sentences, the titles."""
    return _summary_of(documents, _summarise_once(_sources(documents), sentences))


def _sources(documents: Sequence[Document]) -> tuple[SummarySource, ...]:
    return tuple(SummarySource(document.id, document.text) for document in documents[:MOST_SUMMARISED])


def _summary_of(
    documents: Sequence[Document], claims: Sequence[CitedSentence]
) -> tuple[str, list[dict[str, Any]]]:
    records = [{"text": claim.text, "documents": list(claim.documents)} for claim in claims]
    titles = first_distinct((document.title for document in documents), SENTENCES)
    return " ".join(claim.text for claim in claims) or "; ".join(titles), records


_summarise_once = lru_cache(maxsize=100)(summarise)
"""A small group is clustered again whenever a document joins it, and most of its stories stay as they are. Few, because each keeps
its texts; of a group of hundreds, only the stories that changed are summarised."""


def coverage_of(documents: Sequence[Document]) -> dict[str, Any]:
    domains = Counter(domain for document in documents if (domain := domain_of(document)))
    return {
        "articles": len(documents),
        "domains": len(domains),
        "top_domains": [domain for domain, _ in _ranked(domains)[:MOST_DOMAINS]],
        "languages": sorted({document.language for document in documents if document.language}),
        "countries": [code for code, _ in _ranked(_countries(documents))],
        "entities": story_entities(documents),
        "urls": first_distinct((document.url for document in documents), MOST_URLS),
        "images": first_distinct((document.image for document in documents), MOST_IMAGES),
        "summary_by": LOCAL,
    }


def domain_of(document: Document) -> str:
    """The domain of the publisher: as the entry names it, because an address may be a redirect of another site."""
    domain = str(document.attributes.get("domain") or urlsplit(document.url).hostname or "")
    return domain.casefold().removeprefix("www.")


def _countries(documents: Sequence[Document]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for document in documents:
        for place in document.attributes.get("geo_entities", ()):
            counts[place["alpha2"]] += int(place["count"])
    return counts


def story_entities(documents: Sequence[Document]) -> dict[str, list[dict[str, Any]]]:
    """By kind the names that most documents have, each with their number and how often they name it. Names that differ only in case
    or accents are one, in its most frequent spelling."""
    documents_with: dict[str, Counter[str]] = defaultdict(Counter)
    counts: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for document in documents:
        for kind, names in (document.attributes.get("entities") or {}).items():
            if kind == META:
                continue
            documents_with[kind].update({fold_text(name["text"]) for name in names})
            for name in names:
                counts[kind][fold_text(name["text"])][name["text"]] += int(name["count"])
    return {
        kind: [
            {
                "text": _ranked(counts[kind][folded])[0][0],
                "documents": number,
                "count": counts[kind][folded].total(),
            }
            for folded, number in _by_documents(numbers, counts[kind])[:MOST_ENTITIES]
        ]
        for kind, numbers in sorted(documents_with.items())
    }


def _by_documents(numbers: Counter[str], counts: Mapping[str, Counter[str]]) -> list[tuple[str, int]]:
    return sorted(numbers.items(), key=lambda pair: (-pair[1], -counts[pair[0]].total(), pair[0]))


def _ranked(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def first_distinct(values: Iterable[str], most: int) -> list[str]:
    return list(dict.fromkeys(value for value in values if value))[:most]
