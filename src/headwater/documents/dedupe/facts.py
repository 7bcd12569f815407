"""What a text states, apart from its wording: its figures, names and content words, its subject and its lead.

Two texts about one event state the same facts, however they are worded. Where the wording no longer decides, the
comparison counts which facts of the later text a reader of the earlier one does not know.
"""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields

import numpy as np

from headwater.documents.dedupe.alignment import Alignment
from headwater.documents.dedupe.figures import figure_value, is_distinctive, shared_figures
from headwater.documents.dedupe.page import TokenView
from headwater.documents.dedupe.tokens import Flags, Places, Tokens

CONTENT_LETTERS = 4
"""Shorter words carry grammar rather than content, in most alphabets."""

LEAD_WORDS = 12
"""The lead is the first sentence, and at least this many words."""

NEW_SENTENCE_WORDS = 8
"""A shorter sentence adds no news."""


Stems = AbstractSet[int]


@dataclass(frozen=True, slots=True)
class Facts:
    """Stems of a story and its title, and the figures that it states."""

    figures: AbstractSet[str]
    title_figures: AbstractSet[str]
    names: Stems
    words: Stems
    lead: Stems
    title: Stems
    everything: Stems


def facts_of(view: TokenView) -> Facts:
    page, body = view.page, view.page.body
    stems, is_content = body.stems[view.positions], content_flags(view)
    title, lead = set(page.title.stems.tolist()), _lead_length(view)
    return Facts(
        figures=_figures(body, view.positions[view.is_number]),
        title_figures=_figures(page.title, np.flatnonzero(page.title.is_number())),
        names=set(stems[view.is_name].tolist()),
        words=set(stems[is_content].tolist()),
        lead=set(stems[:lead][is_content[:lead]].tolist()),
        title=title,
        everything=title.union(body.stems.tolist()),
    )


def content_flags(view: TokenView) -> Flags:
    body = view.page.body
    flags: Flags = ((body.ends - body.starts)[view.positions] >= CONTENT_LETTERS) & ~view.is_number
    return flags


def _figures(tokens: Tokens, positions: Places) -> set[str]:
    return set(filter(None, (figure_value(tokens.word(place)) for place in positions.tolist())))


def _lead_length(view: TokenView) -> int:
    ends = np.searchsorted(view.positions, view.page.sentences.starts[1:])
    return next((end for end in ends.tolist() if end >= LEAD_WORDS), len(view))


@dataclass(frozen=True, slots=True, kw_only=True)
class FactMeasures:
    """Counts are of different facts, of the later text unless the name says otherwise."""

    figures_shared: int
    """Distinctive figures of the later text that the earlier one states, too."""
    figures_shared_of: tuple[int, int]
    """Distinctive figures of the earlier and of the later text."""
    figures_new: int
    figures_of: int
    names_new: int
    names_of: int
    words_new: int
    words_of: int
    lead_shared: float
    subjects_new: int
    """Names in the title that the earlier article does not have at all."""
    subjects_lost: int
    headline_known: float
    """Words of the earlier title that occur in the later article: few of a digest's, most of a story's."""
    headline_figures_new: int
    """Figures of the title that the earlier article does not state."""
    rest_shared: float
    """Names that occur also in the part of the earlier text that the later one left out."""
    sentences_new: int
    """Sentences that share little with the earlier text but mention one of its names or several of its words."""

    @property
    def novelty(self) -> float:
        """The share of unknown facts; a name counts twice and a figure three times as much as a word."""
        total = self.words_of + 2 * self.names_of + 3 * self.figures_of
        return (self.words_new + 2 * self.names_new + 3 * self.figures_new) / max(1, total)


FACTS = (*(column.name for column in fields(FactMeasures)), "novelty")


def compare_facts(earlier: TokenView, later: TokenView, alignment: Alignment) -> FactMeasures:
    old, new = facts_of(earlier), facts_of(later)
    shared_values = shared_figures(new.figures, old.figures)
    distinctive = {value for value in new.figures if is_distinctive(value)}
    rest = earlier.page.body.stems[earlier.positions[~alignment.earlier]]
    return FactMeasures(
        figures_shared=len(shared_values & distinctive),
        figures_shared_of=(sum(map(is_distinctive, old.figures)), len(distinctive)),
        figures_new=len(new.figures) - len(shared_values),
        figures_of=len(new.figures),
        names_new=len(new.names - old.everything),
        names_of=len(new.names),
        words_new=len(new.words - old.everything),
        words_of=len(new.words),
        lead_shared=_overlap(old.lead, new.lead),
        subjects_new=len(new.title & new.names - old.everything),
        subjects_lost=len(old.title & old.names - new.everything),
        headline_known=_share(old.title & new.everything, old.title),
        headline_figures_new=len(
            new.title_figures - shared_figures(new.title_figures, old.figures | old.title_figures)
        ),
        rest_shared=_share(new.names & set(rest.tolist()), new.names),
        sentences_new=_count_new_sentences(later, alignment, old),
    )


def _overlap(first: Stems, second: Stems) -> float:
    """Shared stems as a part of the smaller set."""
    smaller = min(len(first), len(second))
    return len(first & second) / smaller if smaller else 0.0


def _share(part: Stems, whole: Stems) -> float:
    return len(part) / max(1, len(whole))


def _count_new_sentences(later: TokenView, alignment: Alignment, earlier: Facts) -> int:
    """Sentences of which more than half was added."""
    is_added = ~alignment.later
    if np.count_nonzero(is_added) < NEW_SENTENCE_WORDS:
        return 0
    sentences = np.searchsorted(later.page.sentences.starts, later.positions, side="right") - 1
    total = len(later.page.sentences.starts)
    words = np.bincount(sentences, minlength=total)
    added = np.bincount(sentences[is_added], minlength=total)
    new = np.flatnonzero((words >= NEW_SENTENCE_WORDS) & (added >= 0.6 * words))
    stems, is_content = later.page.body.stems[later.positions], content_flags(later)
    return sum(
        not earlier.names.isdisjoint(stems[is_here & is_added & later.is_name].tolist())
        or _share(earlier.everything & content, content) >= 0.3
        for is_here in (sentences == sentence for sentence in new.tolist())
        for content in [set(stems[is_here & is_content].tolist())]
    )
