"""Clusters of reports of one event, however they are worded.

Words alone find topics: in news about one subject every report resembles every other. An event is recognised by who and
how much: reports of it share most of their names, agree on a figure where both headlines state one, and share some of
their words. No rule needs a common phrase.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from itertools import chain, combinations, pairwise
from math import log, sqrt

from headwater.model.document import Document
from headwater.model.page import UNREAD_PAGES
from headwater.model.recipe import Cluster
from headwater.stories.clustering.report_words import ReportWords, read_report
from headwater.text.folding import fold_text
from headwater.text.words import count_words

LEAD_CHARACTERS = 1_500
"""News says first whom it is about and how much."""

MOST_EVENT_REPORTS = 1_000
"""Reports compared with each other in one job: what is known of each takes about thirty kilobytes."""

LONGEST_GAP = timedelta(hours=48)
MIN_OVERLAP = 0.5
"""The share of the names, by weight, that the shorter list has in common with the other one."""

MIN_SIMILARITY = 0.15
"""The cosine of the words; reports of one event in two languages need the names alone."""
SURE_OVERLAP, SURE_NAMES = 0.7, 3

CLOSE_SIMILARITY = 0.35
"""With so many common words, one name is enough, and one headline may name somebody else. Without any common figure, where
both reports have some, so many are needed, and most of the names."""
CLOSE_OVERLAP = 0.4
NAMELESS_SIMILARITY = 0.5
MIN_SHARED_NAMES = 2
SIMILARITY_WITH_FIGURE = 0.1
"""A common figure speaks for one event: then one name is enough, and so are few common words."""
COMMON_FROM = 40
"""A name in more documents of the group proposes neighbours only: it is the subject of the group."""

BARE_BELOW_WORDS = 20
"""With fewer, a text says no more than its headline."""

MOST_GERMAN_REPORTS = 5
NOUN_LANGUAGES = frozenset(("de", "lb"))


@dataclass(frozen=True)
class TermRarity:
    """How much a term says: the more, the fewer reports of the group use it."""

    reports: Sequence[ReportWords]

    def __getitem__(self, term: str) -> float:
        return log(1 + len(self.reports) / (self._frequency[term] + 0.5))

    @cached_property
    def _frequency(self) -> Counter[str]:
        return Counter(chain.from_iterable(report.terms for report in self.reports))


@dataclass(frozen=True)
class EventEvidence:
    """Who and how much a report is about: names and figures of its headline and its beginning, and the words of both.
    `is_bare`: its page could not be read, and its headline is nearly all that is known of it."""

    report: ReportWords
    headline: str
    title_names: frozenset[str]
    names: frozenset[str]
    rarity: TermRarity
    published: datetime | None
    is_bare: bool = False

    @cached_property
    def words(self) -> Mapping[str, float]:
        """A unit vector, rare words counting more. Computed when needed: few reports share the names of another."""
        weights = {term: (1 + log(count)) * self.rarity[term] for term, count in self.report.terms.items()}
        length = sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        return {term: weight / length for term, weight in weights.items()}


def cluster_by_event(documents: Sequence[Document]) -> Sequence[Cluster]:
    """One cluster per event; the title is that of the report that shares most with the others."""
    evidence = gather_evidence(documents)
    links = _event_links(evidence)
    clusters = [_cluster(documents, members, links) for members in connected_parts(len(documents), links)]
    return sorted(clusters, key=lambda cluster: (-len(cluster.members), cluster.title))


def one_event_parts(evidence: Sequence[EventEvidence]) -> list[list[int]]:
    """The positions of the reports of each event."""
    return list(connected_parts(len(evidence), _event_links(evidence)))


def _event_links(evidence: Sequence[EventEvidence]) -> Mapping[int, Mapping[int, float]]:
    """How much speaks for one event, for each pair of reports for which enough does."""
    weights = _weights([item.names for item in evidence])
    links: defaultdict[int, dict[int, float]] = defaultdict(dict)
    for first, second in sorted(_candidates(evidence)):
        score = same_event(evidence[first], evidence[second], weights)
        if score:
            links[first][second] = links[second][first] = score
    return links


def same_event(first: EventEvidence, second: EventEvidence, weights: Mapping[str, float]) -> float:
    """How much speaks for one event, from 0 (another one) to 1."""
    if first.published and second.published and abs(first.published - second.published) > LONGEST_GAP:
        return 0.0
    if first.headline == second.headline:
        return 1.0
    if first.is_bare and second.is_bare:
        return 0.0  # two headlines do not make a story
    shared = first.names & second.names
    if not first.names and not second.names:
        return _similarity_without_names(first, second)
    if not shared or not _occasions_agree(first, second):
        return 0.0
    overlap = _weight(shared, weights) / min(_weight(first.names, weights), _weight(second.names, weights))
    disagreeing = disagreeing_headlines(first, second)
    if overlap < CLOSE_OVERLAP or disagreeing > 1:
        return 0.0  # no similarity of the words would help, and it is the most expensive thing to know
    similarity = word_similarity(first, second)
    if disagreeing > (similarity >= CLOSE_SIMILARITY):
        return 0.0
    is_same = _DECISIONS[_common_figures(first, second)](overlap, len(shared), similarity)
    return round((overlap + similarity) / 2, 4) if is_same else 0.0


def _common_figures(first: EventEvidence, second: EventEvidence) -> bool | None:
    """Whether the reports have a figure in common; None if one of them has none."""
    figures, others = first.report.figures, second.report.figures
    return bool(figures & others) if figures and others else None


def _is_same_without_figures(overlap: float, shared: int, similarity: float) -> bool:
    is_sure = overlap >= SURE_OVERLAP and shared >= SURE_NAMES
    if similarity >= CLOSE_SIMILARITY:
        return True
    return shared >= MIN_SHARED_NAMES and overlap >= MIN_OVERLAP and (is_sure or similarity >= MIN_SIMILARITY)


def _is_same_with_common_figure(overlap: float, shared: int, similarity: float) -> bool:
    return similarity >= SIMILARITY_WITH_FIGURE or _is_same_without_figures(overlap, shared, similarity)


def _is_same_with_other_figures(overlap: float, shared: int, similarity: float) -> bool:
    del shared
    return similarity >= CLOSE_SIMILARITY and overlap >= SURE_OVERLAP


_DECISIONS: Mapping[bool | None, Callable[[float, int, float], bool]] = {
    None: _is_same_without_figures,
    True: _is_same_with_common_figure,
    False: _is_same_with_other_figures,
}
"""By whether the reports have a figure in common. The share of common names is at least CLOSE_OVERLAP."""


def word_similarity(first: EventEvidence, second: EventEvidence) -> float:
    words = second.words
    return sum([weight * words[word] for word, weight in first.words.items() if word in words])


def _similarity_without_names(first: EventEvidence, second: EventEvidence) -> float:
    """For scripts without capital letters, where only the words are left."""
    similarity = word_similarity(first, second)
    return round(similarity, 4) if similarity >= NAMELESS_SIMILARITY else 0.0


def disagreeing_headlines(first: EventEvidence, second: EventEvidence) -> int:
    """How many of the two headlines name only those whom the other report does not mention."""
    return sum(
        bool(one.title_names) and not one.title_names & other.names
        for one, other in ((first, second), (second, first))
    )


def _occasions_agree(first: EventEvidence, second: EventEvidence) -> bool:
    """False if both headlines state a date, or a figure, and the reports do not agree on any."""
    one, other = first.report, second.report
    if one.title_dates and other.title_dates and not one.title_dates & other.title_dates:
        return False
    if not one.title_figures or not other.title_figures:
        return True
    return bool(one.title_figures & other.figures or other.title_figures & one.figures)


def gather_evidence(documents: Sequence[Document]) -> list[EventEvidence]:
    """A word is a name if the group writes it with a capital letter only, in the middle of a sentence at least once."""
    reports = [read_report(document.title, document.text[:LEAD_CHARACTERS]) for document in documents]
    rules = [has_capital_nouns(document) for document in documents]
    names_by_rule = {
        rule: _names(
            [report for report, other in zip(reports, rules, strict=True) if other == rule],
            capital_nouns=rule,
        )
        for rule in (True, False)
    }
    rarity = TermRarity(reports)
    return [
        EventEvidence(
            report=report,
            headline=fold_text(document.title) or document.id,
            title_names=report.title_initial & names,
            names=report.initial & names,
            rarity=rarity,
            published=document.published,
            is_bare=is_bare(document),
        )
        for document, report, rule in zip(documents, reports, rules, strict=True)
        for names in [names_by_rule[rule]]
    ]


def is_bare(document: Document) -> bool:
    """Whether the page of a document could not be read, and its source provided hardly more than a headline."""
    return document.page in UNREAD_PAGES and count_words(document.text) < BARE_BELOW_WORDS


def has_capital_nouns(document: Document) -> bool:
    """Whether the language of the document writes every noun with a capital letter."""
    return document.language[:2].lower() in NOUN_LANGUAGES


def _names(reports: Sequence[ReportWords], *, capital_nouns: bool) -> frozenset[str]:
    """With `capital_nouns`, a word with an article or a number is no name, and neither is a frequent one."""
    inner = Counter[str]()
    for report in reports:
        inner.update(report.inner)
    lower = Counter(filter(inner.__contains__, chain.from_iterable(report.lower for report in reports)))
    names = {word for word, count in inner.items() if lower[word] * 10 <= count}
    if not capital_nouns:
        return frozenset(names)
    frequency = Counter(word for report in reports for word in report.initial)
    most = max(MOST_GERMAN_REPORTS, len(reports) // 10)
    nouns = {word for report in reports for word in report.with_article}
    return frozenset(word for word in names - nouns if frequency[word] <= most)


def _weights(names_by_document: Sequence[Iterable[str]]) -> dict[str, float]:
    """A name that everybody mentions says little."""
    frequency = Counter(name for names in names_by_document for name in names)
    total = len(names_by_document)
    return {name: log(2 + total / count) for name, count in frequency.items()}


def _weight(names: Iterable[str], weights: Mapping[str, float]) -> float:
    return sum(weights[name] for name in names)


def _candidates(evidence: Sequence[EventEvidence]) -> set[tuple[int, int]]:
    """Pairs that share their headline, or a name (without names, a word) which is not everywhere."""
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for position, item in enumerate(evidence):
        for key in {f"={item.headline}", *(item.names or item.report.terms)}:
            holders[key].append(position)
    return {
        pair
        for positions in holders.values()
        for pair in (combinations(positions, 2) if len(positions) <= COMMON_FROM else pairwise(positions))
    }


def connected_parts(count: int, links: Mapping[int, Mapping[int, float]]) -> Iterator[list[int]]:
    """The positions that hang together by links, in order."""
    remaining = set(range(count))
    for start in range(count):
        if start not in remaining:
            continue
        waiting, members = [start], []
        remaining.discard(start)
        while waiting:
            member = waiting.pop()
            members.append(member)
            neighbours = remaining & links[member].keys() if member in links else set()
            remaining -= neighbours
            waiting += sorted(neighbours)
        yield sorted(members)


def _cluster(
    documents: Sequence[Document], members: Sequence[int], links: Mapping[int, Mapping[int, float]]
) -> Cluster:
    """The similarity of a member is the mean of its links."""
    means = {
        member: sum(links[member].values()) / len(links[member]) if links.get(member) else 1.0
        for member in members
    }
    ranked = sorted(
        members, key=lambda member: (-len(links.get(member, ())), -means[member], documents[member].id)
    )
    return Cluster(documents[ranked[0]].title, tuple((member, round(means[member], 4)) for member in ranked))
