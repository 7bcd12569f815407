"""From measures to one of three answers. Every threshold of the ladder stands here.

Read for someone who has seen the earlier article: a duplicate adds a sentence or two at most, a changed slot makes
another report, and whatever is in between is linked, not blocked.
"""

from dataclasses import asdict
from datetime import timedelta

from headwater.pure.dupes.articles import Answer, Verdict
from headwater.pure.dupes.measures import Measures

FRESH = timedelta(hours=48)
"""Copies mostly come within two days; later ones have to be better."""
PROMPT = timedelta(hours=24)

SHORT = 60
"""Stories of fewer words are mostly notices, which recur."""

BARE = 36
"""Stories of fewer words may name their subject in the title alone."""

SENTENCE_OR_TWO = 50
"""So many added words are no news."""


def judge(found: Measures, *, recurring: bool = False) -> Verdict:
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
    return found.gap is None or found.gap > FRESH


def _replacement(found: Measures, *, recurring: bool) -> str:
    """Which kind of slot was filled anew, if the story is otherwise the same."""
    if not _overlaps(found):
        return ""
    if found.title_changed and max(found.earlier_length, found.later_length) < BARE:
        return "title-replaced"
    if found.names and not _few_names(found):
        return "names-replaced"
    if (found.figures or found.slips) and not _corrected(found, recurring=recurring):
        return "figures-replaced"
    if _mostly_unknown(found):
        return "figures-unknown"
    return ""


def _mostly_unknown(found: Measures) -> bool:
    """Other figures in a text that lost and gained: too much moved for any of them to be aligned."""
    moved = max(found.earlier_coverage, found.later_coverage) < 0.85
    return moved and found.figures_unknown >= 4 and found.figures_unknown > 2 * found.figures_kept


def _few_names(found: Measures) -> bool:
    count = len(found.names)
    share = count / (count + found.names_kept)
    return share <= (0.05 if is_late(found) or count > 1 else 0.12)


def _corrected(found: Measures, *, recurring: bool) -> bool:
    """A correction changes a figure or two in a text that is otherwise the same."""
    figures, slips = len(found.figures), len(found.slips)
    changed = figures + slips
    share = changed / (changed + found.figures_kept)
    if recurring or changed > 3:
        return False
    if is_late(found):
        return _identical(found) and not figures and (share <= 0.25 or (slips == 1 and share <= 0.5))
    if found.correction:
        return share <= 0.4 or (_contained(found) and (changed == 1 or not figures))
    if figures:
        return share <= 0.2
    return share <= 0.4 or (slips == 1 and _contained(found) and _prompt(found))


def _identical(found: Measures) -> bool:
    return min(found.earlier_coverage, found.later_coverage) >= 0.9


def _contained(found: Measures) -> bool:
    return max(found.earlier_coverage, found.later_coverage) >= 0.9


def _prompt(found: Measures) -> bool:
    return found.gap is not None and found.gap <= PROMPT


def _occasion(found: Measures, *, recurring: bool) -> str:
    """The same words on another occasion, as notices have them."""
    if is_late(found) and _notice(found) and (recurring or found.same_publisher):
        return "another-occasion"
    return ""


def _notice(found: Measures) -> bool:
    return max(found.earlier_length, found.later_length) < SHORT


def _clearly_other(found: Measures, rule: str) -> bool:
    if rule in ("another-occasion", "title-replaced") or is_late(found):
        return True
    changed = len(found.figures) + len(found.slips)
    if changed >= 0.3 * (changed + found.figures_kept) and changed:
        return True
    return len(found.names) >= 2 or rule == "figures-unknown"


def _same(found: Measures) -> str:
    earlier, later, added = found.earlier_coverage, found.later_coverage, found.added
    late = is_late(found)
    if earlier >= 0.85 and later >= 0.85:
        return "same-text"
    if later >= (0.88 if late else 0.8) and earlier >= 0.35 and (found.later_length >= SHORT // 2 or not late):
        return "abridged"
    if earlier >= 0.85 and added <= _no_news(found) and later >= (0.6 if late else 0.55):
        return "sentence-added"
    if not late and earlier >= 0.45 and later >= 0.58 and earlier + later >= 1.18 and added <= 35:
        return "edited"
    if late and earlier >= 0.7 and later >= 0.7:
        return "edited"
    return ""


def _no_news(found: Measures) -> int:
    """How many added words still tell nothing: more where they bring no new figure."""
    plain = not found.figures_unknown and not is_late(found)
    return max(SENTENCE_OR_TWO * 3 // 2 if plain else SENTENCE_OR_TWO, found.later_length // 4)


def _overlaps(found: Measures) -> bool:
    return found.shared >= 12 and max(found.earlier_coverage, found.later_coverage) >= 0.3


def _verdict(answer: Answer, rule: str, found: Measures) -> Verdict:
    score = (found.earlier_coverage + found.later_coverage) / 2
    return Verdict(answer=answer, rule=rule, score=round(score, 4), evidence=asdict(found))
