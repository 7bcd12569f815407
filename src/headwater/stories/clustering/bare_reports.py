"""Reports of which only the headline is known, because their page could not be read.

A few words are alike by chance, so such a report may join a story of others, by a name that one of them mentions, but it opens
none: two headlines are one story only if they are the same.
"""

from collections import defaultdict
from collections.abc import Sequence

from headwater.stories.clustering.division import Labels, divide_clusters
from headwater.stories.clustering.events import EventEvidence, gather_evidence
from headwater.stories.clustering.similarity import StoryItem, as_document
from headwater.text.folding import fold_text


def detach_bare(items: Sequence[StoryItem], labels: Labels) -> Labels:
    """The labels of clusters without the bare reports that nothing but their words connects. Independent of the order."""

    def divide(rows: Sequence[int]) -> list[list[int]]:
        members = [items[row] for row in rows]
        return _divide(members) if any(item.is_bare for item in members) else [list(range(len(rows)))]

    return divide_clusters(labels, divide)


def _divide(items: Sequence[StoryItem]) -> list[list[int]]:
    """The story of the reports with a text and those that join it; then each other headline."""
    evidence = gather_evidence([as_document(item) for item in items])
    texts = [one for one, item in zip(evidence, items, strict=True) if not item.is_bare]
    story: list[int] = []
    by_headline: dict[str, list[int]] = defaultdict(list)
    for position, item in enumerate(items):
        if not item.is_bare or _joins(evidence[position], texts):
            story.append(position)
        else:
            by_headline[fold_text(item.title) or item.id].append(position)
    return [part for part in (story, *by_headline.values()) if part]


def _joins(bare: EventEvidence, texts: Sequence[EventEvidence]) -> bool:
    """Where no report has names, as in scripts without capital letters, the words were enough."""
    names = frozenset[str]().union(*(one.names for one in texts))
    return bool(texts) and (not names or bool(bare.report.title_initial & names))
