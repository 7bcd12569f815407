"""From measures to one of three answers. Every threshold of the ladder stands here.

Read for someone who has seen the earlier article: a duplicate adds a sentence or two at most, a changed slot makes
another report, and whatever is in between is linked, not blocked.
"""

from collections.abc import Collection
from dataclasses import dataclass, fields, replace
from datetime import timedelta

from headwater.documents.dedupe.articles import Article, PairVerdict, Relation
from headwater.documents.dedupe.measures import Measures, measure
from headwater.documents.dedupe.page import ArticlePage, TokenView, page_of, story_view, whole_view

FRESH = timedelta(hours=48)
"""Copies mostly come within two days; later ones have to be better."""
PROMPT = timedelta(hours=24)
RESENT = timedelta(hours=12)
"""Who sends a notice again does so soon; the same words a day later are the next notice."""
STALE = timedelta(days=31)

SHORT = 60
"""Stories of fewer words are mostly notices, which recur."""

BARE = 36
"""Stories of fewer words may name their subject in the title alone."""

STUB = 6
"""Fewer words are no text at all: a picture, a player, a placeholder."""

SENTENCE_OR_TWO = 50
"""So many added words are no news."""

_MEASURED = tuple(one.name for one in fields(Measures))


def judge(found: Measures, *, recurring: bool = False) -> PairVerdict:
    """`recurring`: the earlier article is known to be one of a series."""
    rule = _replacement(found, recurring=recurring) or _occasion(found, recurring=recurring)
    if rule:
        return _verdict("new" if _clearly_other(found, rule) else "related", rule, found)
    rule = _same(found)
    if rule:
        return _verdict("duplicate", rule, found)
    if _overlaps(found):
        return _verdict("related", "overlap", found)
    return _verdict("new", "different", found)


def is_late(found: Measures) -> bool:
    return _after(found, FRESH)


def _replacement(found: Measures, *, recurring: bool) -> str:
    """Which kind of slot was filled anew, if the story is otherwise the same."""
    if found.title_changed and _longer(found) < STUB:
        return "title-replaced"
    if found.shared < STUB or max(found.earlier_coverage, found.later_coverage) < 0.3:
        return ""
    if found.title_changed and _longer(found) < BARE:
        return "title-replaced"
    if found.names and not _few_names(found):
        return "names-replaced"
    if (found.figures or found.slips) and not _corrected(found, recurring=recurring):
        return "figures-replaced"
    if _mostly_unknown(found):
        return "figures-unknown"
    return ""


def _mostly_unknown(found: Measures) -> bool:
    """Other figures where nothing could be aligned: in a text that lost and gained, or in a short one long after."""
    unknown, kept = found.figures_unknown, found.figures_kept
    lost = found.earlier_coverage < 0.95
    if lost and is_late(found) and _longer(found) < 2 * SHORT and unknown >= 2 and 2 * unknown >= kept:
        return True
    moved = max(found.earlier_coverage, found.later_coverage) < 0.85
    return moved and unknown >= 4 and unknown > 2 * kept


def _few_names(found: Measures) -> bool:
    """A name or two among very many may be noise; one that was replaced twice never is."""
    count = len(found.names)
    share = count / (count + found.names_kept)
    return len(set(found.names)) == count and share <= (0.05 if count == 1 and not is_late(found) else 0.02)


def _corrected(found: Measures, *, recurring: bool) -> bool:
    """A correction changes a figure or two in a text that is otherwise the same."""
    figures, slips = len(found.figures), len(found.slips)
    changed = figures + slips
    share = changed / (changed + found.figures_kept)
    if changed > 3 or _after(found, STALE):
        return False
    if found.correction and not is_late(found):
        return share <= 0.4 or (_contained(found) and (changed == 1 or not figures))
    if recurring or _longer(found) < BARE:
        return False
    if is_late(found):
        return (
            _longer(found) >= SHORT
            and _identical(found)
            and not figures
            and (share <= 0.25 or (slips == 1 and share <= 0.5))
        )
    if figures:
        return share <= 0.2
    return share <= 0.4 or (_contained(found) and not _after(found, RESENT if slips > 1 else PROMPT))


def _identical(found: Measures) -> bool:
    return min(found.earlier_coverage, found.later_coverage) >= 0.9


def _contained(found: Measures) -> bool:
    return max(found.earlier_coverage, found.later_coverage) >= 0.9


def _occasion(found: Measures, *, recurring: bool) -> str:
    """The same words on another occasion, as notices have them."""
    length = _longer(found)
    series = recurring or found.same_publisher
    soon = not is_late(found) or (length >= BARE and not series and not _after(found, STALE))
    if soon and found.figures_kept >= 3:  # a later occasion would have other figures
        return ""
    if length < BARE and _after(found, RESENT):
        return "another-occasion"
    if length < SHORT and ((series and _after(found, RESENT)) or _after(found, STALE)):
        return "another-occasion"
    return ""


def _longer(found: Measures) -> int:
    return max(found.earlier_length, found.later_length)


def _after(found: Measures, limit: timedelta) -> bool:
    return found.gap is None or found.gap > limit


def _clearly_other(found: Measures, rule: str) -> bool:
    if rule == "title-replaced" or is_late(found):
        return True
    if rule == "another-occasion":
        return found.same_publisher
    changed = len(found.figures) + len(found.slips)
    if changed >= 0.3 * (changed + found.figures_kept) and changed:
        return True
    return len(found.names) >= 2 or rule == "figures-unknown"


def _same(found: Measures) -> str:
    earlier, later, added = found.earlier_coverage, found.later_coverage, found.added
    late = is_late(found)
    if _longer(found) < BARE:
        return "same-text" if min(earlier, later) >= 0.95 or _passed_on(found) else ""
    if earlier >= 0.85 and later >= 0.85:
        return "same-text"
    if later >= (0.88 if late else 0.8) and _is_abridgement(found):
        return "abridged"
    if earlier >= 0.85 and added <= _no_news(found) and later >= (0.6 if late else 0.55):
        return "sentence-added"
    if not late and earlier >= 0.45 and later >= 0.58 and earlier + later >= 1.18 and added <= 35:
        return "edited"
    if late and earlier >= 0.7 and later >= 0.7:
        return "edited"
    return ""


def _passed_on(found: Measures) -> bool:
    """A notice that somebody else sent soon after, with a few words around it that state nothing."""
    if found.same_publisher or _after(found, RESENT) or found.figures_unknown:
        return False
    smaller, larger = sorted((found.earlier_coverage, found.later_coverage))
    return larger >= 0.98 and smaller >= 0.55


def _is_abridgement(found: Measures) -> bool:
    """A fair part of the earlier page remains, also when its furniture is counted: a digest is no long version.
    Under another headline, more than a sentence or two is the next story on an old background."""
    if found.title_changed and found.added > SENTENCE_OR_TWO:
        return False
    long_enough = found.later_length >= SHORT // 2 or not is_late(found)
    return long_enough and found.earlier_coverage >= 0.35 and found.shared >= 0.28 * found.earlier_whole


def _no_news(found: Measures) -> int:
    """How many added words still tell nothing: more where they bring no new figure."""
    plain = not found.figures_unknown and not is_late(found)
    return max(SENTENCE_OR_TWO * 3 // 2 if plain else SENTENCE_OR_TWO, found.later_length // 4)


def _overlaps(found: Measures) -> bool:
    return found.shared >= 12 and max(found.earlier_coverage, found.later_coverage) >= 0.3


def _verdict(relation: Relation, rule: str, found: Measures) -> PairVerdict:
    score = (found.earlier_coverage + found.later_coverage) / 2
    evidence = {name: getattr(found, name) for name in _MEASURED}
    return PairVerdict(relation=relation, rule=rule, score=round(score, 4), evidence=evidence)


LEAST_STORY_WORDS = 25
"""With fewer words left beside the furniture, the furniture has to be read too."""

LEAST_NOTICE_WORDS = 8
"""With so many words beside its furniture a notice can be recognised without it."""


@dataclass(frozen=True, slots=True)
class RepeatedSentences:
    """Hashes of the sentences that each side's publisher is known to repeat."""

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
    """What the later article is to a reader of the earlier one. Pure, and the only place that decides it."""
    return compare_pages(page_of(earlier), page_of(later), repeated, recurring=recurring)


def compare_pages(
    earlier: ArticlePage, later: ArticlePage, repeated: RepeatedSentences, *, recurring: bool = False
) -> PairVerdict:
    # What either publisher keeps repeating tells nothing in the other's copy either.
    known = {*repeated.earlier, *repeated.later}
    old, new = story_view(earlier, known), story_view(later, known)
    if not (_too_little(old) or _too_little(new)):
        return judge(measure(old, new), recurring=recurring)
    verdict = _notices(earlier, later, known, recurring=recurring)
    if verdict is None:
        verdict = judge(measure(whole_view(earlier), whole_view(later)), recurring=recurring)
    if verdict.relation == "duplicate" and _differ(old, new):
        return replace(verdict, relation="new", rule="boilerplate-only")
    return verdict


def _notices(
    earlier: ArticlePage, later: ArticlePage, known: set[int], *, recurring: bool
) -> PairVerdict | None:
    """What little they say, judged without furniture: a notice may be a sentence that its publisher keeps repeating."""
    for hidden in (known, ()):
        old, new = story_view(earlier, hidden), story_view(later, hidden)
        if min(len(old), len(new)) >= LEAST_NOTICE_WORDS:
            verdict = judge(measure(old, new), recurring=recurring)
            if verdict.relation == "duplicate" or verdict.rule == "another-occasion":
                return verdict
    return None


def _too_little(view: TokenView) -> bool:
    return len(view) < min(LEAST_STORY_WORDS, len(view.page.body))


def _differ(earlier: TokenView, later: TokenView) -> bool:
    """The little that each says beside its furniture is not the same."""
    if not len(earlier) or not len(later):
        return False
    found = measure(earlier, later)
    return max(found.earlier_coverage, found.later_coverage) < 0.5
