"""An extractive summary: a few sentences of the story, those whose words an editor would use (`sentence_choice`). Every sentence
carries the ids of the documents that contain it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count, repeat
from math import log, log1p, sqrt
from typing import NamedTuple

from headwater.stories.sentence_choice import SAME_STATEMENT, choose_in_stories
from headwater.stories.story_prose import story_prose
from headwater.stories.summary_model import SummaryModel, load_summary_model
from headwater.stories.summary_words import StoryText
from headwater.stories.terms import list_terms
from headwater.text.sentences import split_sentences

MAX_SENTENCES = 40
MAX_DOCUMENTS = 50
STORIES_AT_ONCE = 64
"""More take no less time each, and more memory."""


@dataclass(frozen=True, slots=True)
class SummarySource:
    """A document to summarise."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """A sentence of a summary with the ids of its documents."""

    text: str
    documents: tuple[str, ...]


@dataclass(frozen=True)
class SentenceTerms:
    """The terms of the sentences of a story. Computed when needed: a story of one document compares none."""

    texts: Sequence[str]

    @cached_property
    def in_order(self) -> Mapping[str, Sequence[str]]:
        """Of each text, as they follow each other."""
        return {text: list_terms(text) for text in self.texts}

    @cached_property
    def frequency(self) -> Mapping[str, int]:
        """In how many of the sentences each term occurs."""
        return Counter(chain.from_iterable(set(self.in_order[text]) for text in self.texts))

    @cached_property
    def bags(self) -> dict[str, Mapping[str, float]]:
        """By text, what `bag_of` returned."""
        return {}

    def bag_of(self, text: str) -> Mapping[str, float]:
        """Weighted terms at unit length."""
        if text not in self.bags:
            total, frequency = len(self.texts), self.frequency
            weighted = {
                term: (1 + log(count)) * log1p(total / frequency[term])
                for term, count in Counter(self.in_order[text]).items()
            }
            length = sqrt(sum(weight * weight for weight in weighted.values())) or 1.0
            self.bags[text] = {term: weight / length for term, weight in weighted.items()}
        return self.bags[text]


class StorySentence(NamedTuple):
    """A sentence of a document; `place` is its number there."""

    text: str
    document: str
    place: int
    terms: SentenceTerms

    @property
    def bag(self) -> Mapping[str, float]:
        """Computed when needed: most sentences are never compared with another."""
        return self.terms.bag_of(self.text)


def summarise(documents: Sequence[SummarySource], count: int = 3) -> tuple[CitedSentence, ...]:
    """At most `count` sentences, in reading order. One document has as few as its editor would write; several say more than one
    does, and have `count`. The result does not depend on the order of the documents."""
    return summarise_stories([documents], count)[0]


def summarise_stories(
    stories: Sequence[Sequence[SummarySource]], count: int = 3
) -> list[tuple[CitedSentence, ...]]:
    """The summary of each story. Many together take half the time."""
    return [
        summary
        for start in range(0, len(stories), STORIES_AT_ONCE)
        for summary in _summarise_batch(stories[start : start + STORIES_AT_ONCE], count)
    ]


def _summarise_batch(
    stories: Sequence[Sequence[SummarySource]], count: int
) -> list[tuple[CitedSentence, ...]]:
    sentences = [
        read_sentences(sorted(documents, key=lambda document: document.id)[:MAX_DOCUMENTS])
        for documents in stories
    ]
    fewest = [count if _has_several_documents(story) else 1 for story in sentences]
    chosen = choose_sentences(sentences, count, fewest)
    return [_cited(story, positions) for story, positions in zip(sentences, chosen, strict=True)]


def read_sentences(documents: Sequence[SummarySource]) -> list[StorySentence]:
    texts_of = [split_sentences(story_prose(document.text), MAX_SENTENCES) for document in documents]
    terms = SentenceTerms(list(chain.from_iterable(texts_of)))
    return [
        sentence
        for document, texts in zip(documents, texts_of, strict=True)
        for sentence in map(StorySentence, texts, repeat(document.id), count(), repeat(terms))
    ]


def bag_similarity(first: Mapping[str, float], second: Mapping[str, float]) -> float:
    return sum([weight * second[term] for term, weight in first.items() if term in second])


def choose_sentences(
    stories: Sequence[Sequence[StorySentence]],
    count: int,
    fewest: Sequence[int],
    model: SummaryModel | None = None,
) -> list[list[int]]:
    """For each story the positions of the sentences of its summary, as `choose_in_stories`; none for a story without sentences."""
    with_sentences = [number for number, story in enumerate(stories) if story and count > 0]
    chosen = choose_in_stories(
        [_story_text(stories[number]) for number in with_sentences],
        count,
        [fewest[number] for number in with_sentences],
        model or load_summary_model(),
    )
    positions_of = dict(zip(with_sentences, chosen, strict=True))
    return [positions_of.get(number, []) for number in range(len(stories))]


def _story_text(sentences: Sequence[StorySentence]) -> StoryText:
    return StoryText(
        [sentence.text for sentence in sentences],
        [sentence.place for sentence in sentences],
        len({sentence.document for sentence in sentences}),
    )


def _cited(sentences: Sequence[StorySentence], positions: Sequence[int]) -> tuple[CitedSentence, ...]:
    in_order = sorted((sentences[position] for position in positions), key=_identity)
    return tuple(CitedSentence(sentence.text, _sources_of(sentence, sentences)) for sentence in in_order)


def _identity(sentence: StorySentence) -> tuple[int, str]:
    return sentence.place, sentence.document


def _has_several_documents(sentences: Sequence[StorySentence]) -> bool:
    """The sentences are sorted by document."""
    return bool(sentences) and sentences[0].document != sentences[-1].document


def _sources_of(sentence: StorySentence, sentences: Sequence[StorySentence]) -> tuple[str, ...]:
    if not _has_several_documents(sentences):
        return (sentence.document,)
    documents = {
        other.document
        for other in sentences
        if other is sentence or bag_similarity(other.bag, sentence.bag) >= SAME_STATEMENT
    }
    return tuple(sorted(documents))
