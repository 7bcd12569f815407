"""The verdict about two articles, from their measures. All thresholds are in this file.

The verdict is for a reader of the earlier article: a duplicate adds at most a sentence or two, a changed slot makes it
another report, and anything in between is linked, not dropped.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import timedelta

import numpy as np

from headwater.documents.dedupe.alignment import align
from headwater.documents.dedupe.articles import Article, PairVerdict, Relation
from headwater.documents.dedupe.facts import NEW_SENTENCE_WORDS
from headwater.documents.dedupe.measures import (
    Measures,
    may_be_related,
    measure,
    publication_gap,
    title_shared,
)
from headwater.documents.dedupe.page import ArticlePage, TokenView, page_of, story_view, whole_view

FRESH = timedelta(hours=48)
"""Most copies appear within two days; later ones need better evidence."""
PROMPT = timedelta(hours=24)
RESENT = timedelta(hours=12)
"""A notice is sent again soon; the same words a day later are the next notice."""
STALE = timedelta(days=31)

SHORT = 60
"""Shorter stories are mostly notices, which recur."""

SHORT_NOTICE = 36
"""Shorter stories may name their subject in the title only."""

MIN_BODY = 6
"""A shorter body is a picture, a player or a placeholder rather than text."""

SENTENCE_OR_TWO = 50
"""This many added words are not news."""

MAX_NOVELTY = 0.15
"""A larger share of new facts may be the next step of a story: a doubtful case is linked, not dropped."""

SHARED_TITLE = 0.5
"""With a smaller share of words in common, headlines say nothing of one subject."""

MIN_NEW_NAMES = 2
"""One name that only the later text has may be the reporter's."""

MIN_NAMED_FACTS = 3
"""A short text with fewer names and figures is not recognised by its words alone."""

MIN_FACT_WORDS = 8
"""With fewer content words, a text says too little to recognise it by its facts."""


def judge(measures: Measures, *, recurring: bool = False) -> PairVerdict:
    """`recurring`: the earlier article is one of a series."""
    if _has_same_figures(measures):
        return _verdict("duplicate", "same-figures", measures)
    rule = _replacement_rule(measures, recurring=recurring) or _occasion_rule(measures, recurring=recurring)
    if rule:
        is_other = _is_clearly_other(measures, rule) and not (
            rule.startswith("figures") and (_has_same_subject(measures) or _is_follow_up(measures))
        )
        return _verdict("new" if is_other else "related", rule, measures)
    rule = _duplicate_rule(measures) or _known_facts_rule(measures, recurring=recurring)
    if rule:
        if _has_news(measures):
            return _verdict("related", "news-added", measures)
        return _verdict("duplicate", rule, measures)
    if _has_overlap(measures):
        return _verdict("related", "overlap", measures)
    if _has_same_subject(measures):
        return _verdict("related", "same-subject", measures)
    return _verdict("new", "different", measures)


def is_late(measures: Measures) -> bool:
    return _is_after(measures, FRESH)


def _replacement_rule(measures: Measures, *, recurring: bool) -> str:
    """Which kind of slot changed, if the story is otherwise the same."""
    if measures.title_changed and _longer_length(measures) < MIN_BODY:
        return "title-replaced"
    if measures.shared_words < MIN_BODY or max(measures.earlier_coverage, measures.later_coverage) < 0.3:
        return ""
    if measures.title_changed and _longer_length(measures) < SHORT_NOTICE:
        return "title-replaced"
    if measures.title_changed and measures.facts.subjects_new:
        return "subject-replaced"
    if measures.names and not _has_few_names(measures):
        return "names-replaced"
    if (measures.figures or measures.slips) and not _is_correction(measures, recurring=recurring):
        return "figures-replaced"
    if _has_unknown_figures(measures):
        return "figures-unknown"
    return ""


def _has_unknown_figures(measures: Measures) -> bool:
    """Whether unaligned figures differ: in a text that lost and gained words, or in a short one much later."""
    unknown, shared_figures = measures.figures_unknown, measures.figures_kept
    lost = measures.earlier_coverage < 0.95
    if (
        lost
        and is_late(measures)
        and _longer_length(measures) < 2 * SHORT
        and unknown >= 2
        and 2 * unknown >= shared_figures
    ):
        return True
    moved = max(measures.earlier_coverage, measures.later_coverage) < 0.85
    return moved and unknown >= 4 and unknown > 2 * shared_figures


def _has_few_names(measures: Measures) -> bool:
    """One or two names among very many may be noise; a name replaced twice is not, nor one that the text is about."""
    if measures.template_words:
        return False
    count = len(measures.names)
    share = count / (count + measures.names_kept)
    if not measures.title_changed and not _is_after(measures, RESENT) and _is_identical(measures):
        return measures.name_slots == 1 and share <= 0.15
    return len(set(measures.names)) == count and share <= (
        0.05 if count == 1 and not is_late(measures) else 0.02
    )


def _is_correction(measures: Measures, *, recurring: bool) -> bool:
    """Whether one or two figures changed in an otherwise equal text."""
    figures, slips = len(measures.figures), len(measures.slips)
    changed = figures + slips
    share = changed / (changed + measures.figures_kept)
    if changed > 3 or _is_after(measures, STALE):
        return False
    if measures.correction and not is_late(measures):
        return share <= 0.4 or (_is_contained(measures) and (changed == 1 or not figures))
    if recurring or _longer_length(measures) < SHORT_NOTICE:
        return False
    if is_late(measures):
        return (
            _longer_length(measures) >= SHORT
            and _is_identical(measures)
            and not figures
            and (share <= 0.25 or (slips == 1 and share <= 0.5))
        )
    if figures:
        return share <= 0.2 and min(measures.earlier_coverage, measures.later_coverage) >= 0.8
    return share <= 0.4 or (
        _is_contained(measures) and not _is_after(measures, RESENT if slips > 1 else PROMPT)
    )


def _is_identical(measures: Measures) -> bool:
    return min(measures.earlier_coverage, measures.later_coverage) >= 0.9


def _is_contained(measures: Measures) -> bool:
    return max(measures.earlier_coverage, measures.later_coverage) >= 0.9


def _occasion_rule(measures: Measures, *, recurring: bool) -> str:
    """Whether the same words report another occasion, as in notices."""
    if max(measures.earlier_coverage, measures.later_coverage) < 0.3:
        return ""
    length = _longer_length(measures)
    series = recurring or measures.same_publisher
    soon = not is_late(measures) or (length >= SHORT_NOTICE and not series and not _is_after(measures, STALE))
    if soon and measures.figures_kept >= 3:  # another occasion would have other figures
        return ""
    if length < SHORT_NOTICE and _is_after(measures, RESENT):
        return "another-occasion"
    if length < SHORT and ((series and _is_after(measures, RESENT)) or _is_after(measures, STALE)):
        return "another-occasion"
    return ""


def _longer_length(measures: Measures) -> int:
    return max(measures.earlier_length, measures.later_length)


def _is_after(measures: Measures, limit: timedelta) -> bool:
    return measures.gap is None or measures.gap > limit


def _is_clearly_other(measures: Measures, rule: str) -> bool:
    if rule == "title-replaced" or is_late(measures):
        return True
    if rule == "another-occasion":
        return measures.same_publisher
    changed = len(measures.figures) + len(measures.slips)
    if changed >= 0.3 * (changed + measures.figures_kept) and changed:
        return True
    return len(measures.names) >= 2 or rule == "figures-unknown"


def _duplicate_rule(measures: Measures) -> str:
    # Where a text repeats its own phrases, a few words match many: a short text still covers no more than its length.
    earlier = min(measures.earlier_coverage, measures.later_length / max(1, measures.earlier_length))
    later = min(measures.later_coverage, measures.earlier_length / max(1, measures.later_length))
    added, late = measures.added_words, is_late(measures)
    if _longer_length(measures) < SHORT_NOTICE:
        return "same-text" if min(earlier, later) >= 0.95 or _is_passed_on(measures) else ""
    if earlier >= 0.85 and later >= 0.85:
        return "same-text"
    if later >= (0.88 if late else 0.8) and _is_abridgement(measures):
        return "abridged"
    if earlier >= 0.85 and added <= _max_added_words(measures) and later >= (0.6 if late else 0.55):
        return "sentence-added"
    if not late and earlier >= 0.45 and later >= 0.58 and earlier + later >= 1.18 and added <= 35:
        return "edited"
    if late and earlier >= 0.7 and later >= 0.7:
        return "edited"
    return ""


def _has_same_figures(measures: Measures) -> bool:
    """Whether two tables on one subject state the same figures, whatever their rows are called."""
    if measures.figure_density < 0.14 or measures.title_shared < 0.75 or _is_after(measures, PROMPT):
        return False
    facts = measures.facts
    fewer, more = sorted(facts.figures_shared_of)
    return facts.figures_shared >= max(3, 0.7 * fewer, 0.4 * more) and not (
        facts.subjects_new and facts.subjects_lost
    )


def _known_facts_rule(measures: Measures, *, recurring: bool) -> str:
    """Whether the later text, however worded, says what the earlier one says: its figures, names and words are known, it
    begins with the same lead and the earlier headline fits it."""
    if _is_after(measures, FRESH) or measures.later_coverage < 0.3:
        return ""
    facts = measures.facts
    if facts.subjects_new or facts.words_of < MIN_FACT_WORDS:
        return ""
    if _longer_length(measures) < SHORT and facts.names_of + facts.figures_of < MIN_NAMED_FACTS:
        return ""  # a few words, put together in another way, say something else
    if facts.lead_shared < 0.55 or facts.headline_known < 0.5:
        return ""
    if measures.earlier_coverage < 0.35 and facts.rest_shared < 0.15:
        return ""  # one item of a digest
    if facts.headline_figures_new or facts.figures_new > (0 if recurring else facts.figures_of // 4):
        return ""
    return "known-facts" if facts.novelty <= MAX_NOVELTY else ""


def _has_same_subject(measures: Measures) -> bool:
    """Whether both name the same things, or state the same figures, under like headlines: in other words, or soon
    after with few other figures. The same words with other figures are the next report of a series."""
    if _is_after(measures, STALE) or measures.title_shared < SHARED_TITLE:
        return False
    facts = measures.facts
    if facts.subjects_new or facts.headline_known < 0.65:
        return False
    if facts.names_of - facts.names_new < 5 and facts.figures_of - facts.figures_new < 3:
        return False
    if min(measures.earlier_coverage, measures.later_coverage) < 0.6:
        return True
    return not is_late(measures) and not measures.names and facts.figures_new <= 2


REWORDED = 0.75
"""With less of its wording in common, a report is written anew; the next notice of a series has the same form."""


def _is_follow_up(measures: Measures) -> bool:
    """Whether a later report continues the story of the same subjects under the same headline: it is worded anew, or it repeats
    a figure of the earlier report, from which the figures have moved."""
    if _is_after(measures, STALE) or measures.title_shared < REWORDED:
        return False
    facts = measures.facts
    if facts.subjects_new or facts.headline_known < 0.9 or facts.names_of - facts.names_new < 5:
        return False
    return min(measures.earlier_coverage, measures.later_coverage) < REWORDED or facts.figures_shared > 0


def _has_news(measures: Measures) -> bool:
    """Whether three or more sentences about the matter were added to the whole text, after the same lead; or at least one, and
    with it so many new facts that the case is doubtful, new names among them."""
    if measures.earlier_coverage < 0.9 or measures.added_words < 3 * NEW_SENTENCE_WORDS:
        return False
    facts = measures.facts
    if facts.lead_shared < 0.8 or not facts.sentences_new:
        return False
    return facts.sentences_new >= 3 or (facts.names_new >= MIN_NEW_NAMES and facts.novelty > MAX_NOVELTY)


def _is_passed_on(measures: Measures) -> bool:
    """Whether another publisher sent the notice soon after, with a few words around it that add no facts."""
    if measures.same_publisher or _is_after(measures, RESENT) or measures.figures_unknown:
        return False
    smaller, larger = sorted((measures.earlier_coverage, measures.later_coverage))
    return larger >= 0.98 and smaller >= 0.55


def _is_abridgement(measures: Measures) -> bool:
    """Whether enough of the earlier page remains, boilerplate included: a digest is not an abridgement. Under another
    headline, more than a sentence or two is a new story with old background."""
    if measures.title_changed and measures.added_words > SENTENCE_OR_TWO:
        return False
    long_enough = measures.later_length >= SHORT // 2 or not is_late(measures)
    return (
        long_enough
        and measures.earlier_coverage >= 0.35
        and measures.shared_words >= 0.28 * measures.earlier_whole
    )


def _max_added_words(measures: Measures) -> int:
    """How many added words are not news: more if they bring no new figure."""
    plain = not measures.figures_unknown and not is_late(measures)
    return max(SENTENCE_OR_TWO * 3 // 2 if plain else SENTENCE_OR_TWO, measures.later_length // 4)


def _has_overlap(measures: Measures) -> bool:
    return measures.shared_words >= 12 and max(measures.earlier_coverage, measures.later_coverage) >= 0.3


def _verdict(relation: Relation, rule: str, measures: Measures) -> PairVerdict:
    """Nothing is recorded about articles that have nothing in common."""
    score = (measures.earlier_coverage + measures.later_coverage) / 2
    evidence = {"gap": measures.gap} if rule == "different" else measures.as_evidence()
    return PairVerdict(relation=relation, rule=rule, score=round(score, 4), evidence=evidence)


MIN_STORY_WORDS = 25
"""With fewer words outside boilerplate, the boilerplate is compared too."""

MIN_NOTICE_WORDS = 8
"""With this many words outside boilerplate, a notice is compared without it."""


@dataclass(frozen=True, slots=True)
class RepeatedSentences:
    """Hashes of the sentences that the publisher of each side repeats."""

    earlier: Collection[int] = ()
    later: Collection[int] = ()


NOTHING_REPEATED = RepeatedSentences()


def compare(
    earlier: Article,
    later: Article,
    repeated: RepeatedSentences = NOTHING_REPEATED,
    *,
    recurring: bool = False,
) -> PairVerdict:
    """How the later article relates to the earlier one."""
    return compare_pages(page_of(earlier), page_of(later), repeated, recurring=recurring)


def compare_pages(
    earlier: ArticlePage, later: ArticlePage, repeated: RepeatedSentences, *, recurring: bool = False
) -> PairVerdict:
    # A sentence that one publisher repeats carries no evidence in the copy of the other either.
    repeated_hashes = {*repeated.earlier, *repeated.later}
    earlier_view, later_view = story_view(earlier, repeated_hashes), story_view(later, repeated_hashes)
    if not (_is_too_short(earlier_view) or _is_too_short(later_view)):
        return compare_views(earlier_view, later_view, recurring=recurring)
    verdict = _notice_verdict(earlier, later, repeated_hashes, recurring=recurring)
    if verdict is None:
        verdict = judge(measure(whole_view(earlier), whole_view(later)), recurring=recurring)
    if verdict.relation == "duplicate" and _stories_differ(earlier_view, later_view):
        return replace(verdict, relation="new", rule="boilerplate-only")
    return verdict


def compare_views(earlier: TokenView, later: TokenView, *, recurring: bool) -> PairVerdict:
    """Most candidates share a few keys and nothing else. No rule applies to them, whatever else may be measured."""
    alignment = align(earlier.hashes, later.hashes)
    if (
        may_be_related(earlier, later, alignment)
        or title_shared(earlier.page.title, later.page.title) >= SHARED_TITLE
        or max(len(earlier), len(later)) < MIN_BODY
    ):
        return judge(measure(earlier, later, alignment), recurring=recurring)
    gap = publication_gap(earlier.page.article, later.page.article)
    coverages = (
        int(np.count_nonzero(shared)) / max(1, len(view))
        for view, shared in ((earlier, alignment.earlier), (later, alignment.later))
    )
    return PairVerdict(
        relation="new", rule="different", score=round(sum(coverages) / 2, 4), evidence={"gap": gap}
    )


def _notice_verdict(
    earlier: ArticlePage, later: ArticlePage, repeated: set[int], *, recurring: bool
) -> PairVerdict | None:
    """The verdict without boilerplate on very short texts: a notice may be a sentence that its publisher repeats."""
    for hidden in (repeated, ()):
        earlier_view, later_view = story_view(earlier, hidden), story_view(later, hidden)
        if min(len(earlier_view), len(later_view)) >= MIN_NOTICE_WORDS:
            verdict = judge(measure(earlier_view, later_view), recurring=recurring)
            if verdict.relation == "duplicate" or verdict.rule == "another-occasion":
                return verdict
    return None


def _is_too_short(view: TokenView) -> bool:
    return len(view) < min(MIN_STORY_WORDS, len(view.page.body))


def _stories_differ(earlier: TokenView, later: TokenView) -> bool:
    """Whether the words outside boilerplate differ."""
    if not len(earlier) or not len(later):
        return False
    measures = measure(earlier, later)
    return max(measures.earlier_coverage, measures.later_coverage) < 0.5
