"""Tells reports apart that share their wording, but not who and how much they are about.

Agencies write one sentence about every takeover, fire and match. To words and vectors such reports are alike, so what they
name decides: two events if neither headline names anyone whom the other report mentions, and the reports have no figure in
common. Reworded reports of one event share names, and are not touched.
"""

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from headwater.model.document import Document
from headwater.stories.clustering.events import (
    EventEvidence,
    connected_parts,
    disagreeing_headlines,
    gather_evidence,
    word_similarity,
)
from headwater.stories.clustering.similarity import StoryItem

SAME_WORDING = 0.3
"""The cosine of the words from which two reports may be of one template."""

BOTH = 2
LARGEST_CLUSTER = 100
"""A larger cluster is one of many reports that share more than a template; comparing all pairs would take long."""


def split_by_names(items: Sequence[StoryItem], labels: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The labels of clusters, where clusters of several such events became several. Independent of the order."""
    rows_by_label: defaultdict[int, list[int]] = defaultdict(list)
    for row, label in enumerate(labels.tolist()):
        rows_by_label[label].append(row)
    new_labels, following = labels.copy(), int(labels.max(initial=-1)) + 1
    for rows in rows_by_label.values():
        if 1 < len(rows) <= LARGEST_CLUSTER:
            for part in _events([items[row] for row in rows])[1:]:
                new_labels[[rows[position] for position in part]] = following
                following += 1
    return new_labels


def _events(items: Sequence[StoryItem]) -> list[list[int]]:
    """The positions of each event. Where one wording serves several events, only reports that share a name of a headline or a
    figure hang together; elsewhere all of them do."""
    evidence = gather_evidence([_as_document(item) for item in items])
    apart = {
        (first, second)
        for first, second in combinations(range(len(items)), 2)
        if items[first].language == items[second].language  # names differ between languages
        and is_about_others(evidence[first], evidence[second])
    }
    if not any(word_similarity(evidence[first], evidence[second]) >= SAME_WORDING for first, second in apart):
        return [list(range(len(items)))]
    links: defaultdict[int, dict[int, float]] = defaultdict(dict)
    for first, second in combinations(range(len(items)), 2):
        if (first, second) not in apart:
            links[first][second] = links[second][first] = 1.0
    return list(connected_parts(len(items), links))


def is_about_others(first: EventEvidence, second: EventEvidence) -> bool:
    """Whether neither headline names anyone in the other report, and the reports have figures, but none in common."""
    figures, other_figures = first.report.figures, second.report.figures
    if not figures or not other_figures or figures & other_figures:
        return False
    have_names = bool(first.title_names and second.title_names)
    return have_names and disagreeing_headlines(first, second) == BOTH


def _as_document(item: StoryItem) -> Document:
    return Document(
        id=item.id, recipe="", source="", lead="", url="", title=item.title, text=item.text,
        language=item.language, published=item.published_at,
    )  # fmt: skip
