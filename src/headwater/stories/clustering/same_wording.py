"""Tells reports apart that share their wording, but not who and how much they are about.

Agencies write one sentence about every takeover, fire and match. To words and vectors such reports are alike, so what they
name decides: two events if neither headline names anyone whom the other report mentions, if each headline names somebody
else and another figure, or if the headlines state two dates. Reworded reports of one event share names, and are not touched.

Where words alone made the clusters, or all reports of a cluster are in one language, reports of one field are alike, too, each
like the next: a cluster in which four of ten pairs are of two events hangs together by common words. There only reports stay together
that are of one event by all that is known of them.
"""

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations, product

from headwater.stories.clustering.division import Labels, divide_clusters
from headwater.stories.clustering.events import (
    EventEvidence,
    connected_parts,
    gather_evidence,
    one_event_parts,
    word_similarity,
)
from headwater.stories.clustering.similarity import StoryItem, as_document

SAME_WORDING = 0.3
"""The cosine of the words from which two reports may be of one template."""

LOOSE_SHARE, SMALL_CLUSTER = 0.4, 3
"""With a greater share of pairs about others, a cluster is one of common words; in a small one, all pairs must be."""

SAMPLE = 200
"""Reports of a large cluster that are compared to learn that share."""

FEWEST_WORDS = 10
"""Words in lower case: the text below a headline has at least so many."""

LARGEST_TEMPLATE = 100
"""In a larger cluster a single pair of one wording says nothing about the others."""


def split_by_names(items: Sequence[StoryItem], labels: Labels, *, by_words: bool = False) -> Labels:
    """The labels of clusters, where clusters of several such events became several. `by_words`: only words made the clusters, so
    that common ones may hold them together, as they may any cluster in one language. Independent of the order."""
    return divide_clusters(labels, lambda rows: _events([items[row] for row in rows], by_words=by_words))


def _events(items: Sequence[StoryItem], *, by_words: bool) -> list[list[int]]:
    """The positions of each event, the largest first. A wording and its names are those of one language, so each language is
    divided alone."""
    by_language: defaultdict[str, list[int]] = defaultdict(list)
    for position in sorted(range(len(items)), key=lambda position: _content(items[position])):
        by_language[items[position].language].append(position)
    by_words = by_words or len(by_language) == 1
    languages = sorted(by_language, key=lambda language: (-len(by_language[language]), language))
    events, *others = [_parts(items, by_language[language], by_words=by_words) for language in languages]
    if len(events) == 1 and all(len(parts) == 1 for parts in others):
        return [list(range(len(items)))]
    evidence = _evidence(items) if others else []
    for parts in others:
        events = _largest_first(_join_language(events, parts, evidence))
    return events


def _content(item: StoryItem) -> tuple[str, str, str]:
    """Reports are compared in the order of this, so that where two are equally near, their content decides."""
    return item.title, item.text, item.id


def _parts(items: Sequence[StoryItem], positions: Sequence[int], *, by_words: bool) -> list[list[int]]:
    parts = _events_of_language([items[position] for position in positions], by_words=by_words)
    return _largest_first([[positions[position] for position in part] for part in parts])


def _largest_first(parts: Sequence[list[int]]) -> list[list[int]]:
    """Those of one size stay in their order."""
    return sorted(parts, key=lambda part: -len(part))


def _join_language(
    events: Sequence[list[int]], parts: Sequence[list[int]], evidence: Sequence[EventEvidence]
) -> list[list[int]]:
    """The events with those of another language: each of its parts joins the event with which it has most evidence in common,
    but no two parts join one event. Where no part has any, the largest joins the largest event: names may be spelt otherwise."""
    in_common = {
        (event, part): max(
            len(common_evidence(evidence[first], evidence[second]))
            for first, second in product(events[event], parts[part])
        )
        for event, part in product(range(len(events)), range(len(parts)))
    }
    joined: dict[int, int] = {}
    for event, part in sorted(in_common, key=lambda pair: (-in_common[pair], pair)):
        is_free = event not in joined and part not in joined.values()
        if is_free and (in_common[event, part] or not joined):
            joined[event] = part
    larger = [
        [*members, *(parts[joined[event]] if event in joined else ())] for event, members in enumerate(events)
    ]
    return larger + [members for part, members in enumerate(parts) if part not in joined.values()]


def _events_of_language(items: Sequence[StoryItem], *, by_words: bool) -> list[list[int]]:
    """The positions of each event; all of them where nothing speaks for several."""
    if by_words and _is_loose(_evidence(items[:: -(-len(items) // SAMPLE)])):
        return one_event_parts(_evidence(items))
    if len(items) > LARGEST_TEMPLATE:
        return [list(range(len(items)))]
    return _events_of_one_wording(_evidence(items))


def _evidence(items: Sequence[StoryItem]) -> list[EventEvidence]:
    return gather_evidence([as_document(item) for item in items])


def _is_loose(evidence: Sequence[EventEvidence]) -> bool:
    """Whether common words alone hold the reports together."""
    pairs, apart = len(evidence) * (len(evidence) - 1) // 2, len(_pairs_about_others(evidence))
    if len(evidence) <= SMALL_CLUSTER:
        return 0 < pairs == apart
    return apart > LOOSE_SHARE * pairs


def _pairs_about_others(evidence: Sequence[EventEvidence]) -> set[tuple[int, int]]:
    lower = frozenset(word for one in evidence for word in one.report.lower)
    return {
        (first, second)
        for first, second in combinations(range(len(evidence)), 2)
        if is_about_others(evidence[first], evidence[second], lower)
    }


def _events_of_one_wording(evidence: Sequence[EventEvidence]) -> list[list[int]]:
    """The positions of each event. Where one wording serves several events, only reports that share a name of a headline or a
    figure hang together, and any other goes with the report that is most like it; elsewhere all of them do."""
    apart = _pairs_about_others(evidence)
    if not any(word_similarity(evidence[first], evidence[second]) >= SAME_WORDING for first, second in apart):
        return [list(range(len(evidence)))]
    together = [pair for pair in combinations(range(len(evidence)), 2) if pair not in apart]
    links: defaultdict[int, dict[int, float]] = defaultdict(dict)
    for first, second in together:
        if shares_evidence(evidence[first], evidence[second]):
            links[first][second] = links[second][first] = 1.0
    for alone in [position for position in range(len(evidence)) if position not in links]:
        nearest = _nearest(alone, together, evidence)
        if nearest is not None:
            links[alone][nearest] = links[nearest][alone] = 1.0
    return list(connected_parts(len(evidence), links))


def _nearest(
    alone: int, together: Sequence[tuple[int, int]], evidence: Sequence[EventEvidence]
) -> int | None:
    """Of the reports that may be of the same event, the one with most common words."""
    others = [sum(pair) - alone for pair in together if alone in pair]
    return max(
        others, key=lambda other: (word_similarity(evidence[alone], evidence[other]), -other), default=None
    )


def shares_evidence(first: EventEvidence, second: EventEvidence) -> bool:
    """Whether a headline names somebody whom the other report mentions, or the reports have a figure in common."""
    return bool(common_evidence(first, second))


def common_evidence(first: EventEvidence, second: EventEvidence) -> frozenset[str]:
    """The names of a headline that the other report mentions, and the figures that both state."""
    return (
        first.title_names & second.names
        | second.title_names & first.names
        | first.report.figures & second.report.figures
    )


def is_about_others(first: EventEvidence, second: EventEvidence, lower: frozenset[str]) -> bool:
    """Whether neither headline names anyone in the other report, each names somebody else and another figure, or they state
    two dates. `lower` are the words that a report of the cluster writes in lower case: these are no names. Headlines alone do
    not say."""
    if min(_text_words(first), _text_words(second)) < FEWEST_WORDS:
        return False
    if _state_other_dates(first, second):
        return True
    subjects, other_subjects = _subjects(first, second, lower), _subjects(second, first, lower)
    unknown, other_unknown = subjects - _mentioned(second), other_subjects - _mentioned(first)
    if not unknown or not other_unknown:
        return False
    if _have_other_figures(first, second):
        return True
    are_all_unknown = unknown == subjects and other_unknown == other_subjects
    return are_all_unknown and not first.report.figures & second.report.figures


def _state_other_dates(first: EventEvidence, second: EventEvidence) -> bool:
    dates, others = first.report.title_dates, second.report.title_dates
    return bool(dates and others) and not dates & others


def _have_other_figures(first: EventEvidence, second: EventEvidence) -> bool:
    """Whether both headlines state figures that the other report does not have."""
    one, other = first.report, second.report
    if not one.title_figures or not other.title_figures:
        return False
    return not (one.title_figures & other.figures or other.title_figures & one.figures)


def _subjects(one: EventEvidence, other: EventEvidence, lower: frozenset[str]) -> frozenset[str]:
    """The names of a headline. A word that stands only at the beginning of sentences may be one: it counts if the other report
    does not have it."""
    doubtful = one.report.title_initial - one.title_names - lower - _mentioned(other)
    return one.title_names | doubtful


def _text_words(one: EventEvidence) -> int:
    return len(one.report.lower)


def _mentioned(one: EventEvidence) -> frozenset[str]:
    return one.report.initial.union(one.report.lower)
