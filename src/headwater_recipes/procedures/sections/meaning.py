"""Places sections with unknown headings by what they say. Rules come first: a field that a rule has placed stays as it is."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any

from headwater_recipes.procedures.detection import CORE
from headwater_recipes.procedures.labels.questions import label_of_question
from headwater_recipes.procedures.labels.recognise import plain_label
from headwater_recipes.procedures.labels.vocabulary import Label
from headwater_recipes.procedures.sections.classifier import (
    SectionGuess,
    guesses_in_order,
    known_shares,
    section_shares,
)
from headwater_recipes.procedures.sections.divide import STICKY
from headwater_recipes.procedures.sections.parts import PagePart

# A page whose sections the rules know says little under other headings; a page that they do not know says everything there.
SURE, LIKELY, ENOUGH_KNOWN = 0.7, 0.4, 3
# A heading below another one belongs to it, unless it plainly says something else.
OWN_MEANING = 0.65
LONGEST_HEADING, FEWEST_BELOW = 14, 2
# Neighbours alone do not make a section: its own text must support what it is taken for.
SUPPORT, CAUTIOUS_SUPPORT = 0.12, 0.6
# How much more likely a field is because a question seems to ask for it.
TRUST = 3.0
CAUTIOUS = frozenset({"descripcion", "organismo", "datos_importantes"})
# Rules see these fields in many headings; a section that plainly says something else is placed by that.
DOUBTFUL, CERTAIN = frozenset({"descripcion", "datos_importantes", "organismo", "contacto"}), 0.7


def place_by_meaning(parts: Sequence[PagePart]) -> list[PagePart]:
    """The sections, with those under unknown headings placed where the classifier is sure enough."""
    readable = len({part.field for part in parts if part.own and part.lines} & CORE) >= ENOUGH_KNOWN
    guesses = _guesses(parts)
    rule_fields = {
        (part.field, part.key)
        for place, part in enumerate(parts)
        if part.label is not None and part.lines and not _is_overruled(part, guesses.get(place))
    }
    result: list[PagePart] = []
    above: list[tuple[int, Label]] = []
    for place, part in enumerate(parts):
        above = [(level, label) for level, label in above if level < part.level or not part.title]
        doubtful = part.own and not _is_known(part)
        inherited = part.label is not None and not part.own and part.field not in STICKY
        has_plain_label = part.label is not None and not doubtful and not inherited
        if has_plain_label or place not in guesses or (part.label is None and _opens_chapter(parts, place)):
            result.append(part)
            continue
        threshold = CERTAIN if doubtful else OWN_MEANING if inherited else SURE if readable else LIKELY
        label = (
            above[-1][1]
            if above and part.label is None
            else _label_of(guesses[place], threshold, rule_fields)
        )
        if label is not None and part.own and label.field == part.field:
            label = None  # what the question asks for says it better: the time to apply, or to answer
        if label is not None:
            above.append((part.level, label))
        result.append(part if label is None else replace(part, label=label, by_model=True))
    return result


def _opens_chapter(parts: Sequence[PagePart], place: int) -> bool:
    """Whether sections that rules know stand below the heading: it names a procedure among several, or a group of sections."""
    below = takewhile(lambda part: part.level > parts[place].level, parts[place + 1 :])
    return len({part.field for part in below if part.own and part.label is not None}) >= FEWEST_BELOW


def _overall_title(parts: Sequence[PagePart]) -> PagePart | None:
    """The first heading, if all others are below it: the name of the procedure, on whatever level."""
    titled = [part for part in parts if part.title]
    return titled[0] if len(titled) > 1 and all(part.level > titled[0].level for part in titled[1:]) else None


def _may_be_placed(part: PagePart) -> bool:
    return part.level > 1 and bool(part.title and part.lines) and len(part.title.split()) <= LONGEST_HEADING


def _guesses(parts: Sequence[PagePart]) -> dict[int, SectionGuess]:
    """What each section means, by its text and by the sections around it, of which rules know some."""
    title = _overall_title(parts)
    shares = {
        place: _shares(part) for place, part in enumerate(parts) if part is not title and _may_be_placed(part)
    }
    return dict(zip(shares, guesses_in_order(list(shares.values())), strict=True))


def _shares(part: PagePart) -> Any:
    if part.label is None or not part.own:
        return section_shares(part.title, part.lines)
    if _is_known(part):
        return known_shares(part.label)
    shares = section_shares(part.title, part.lines) * (1 + TRUST * known_shares(part.label))
    return shares / shares.sum()


def _is_overruled(part: PagePart, guess: SectionGuess | None) -> bool:
    """Whether the text of a question plainly says something else than the question seems to."""
    if guess is None or guess.label is None or not part.own or part.field in DOUBTFUL or _is_known(part):
        return False
    return guess.label.field != part.field and guess.probability >= CERTAIN


def _is_known(part: PagePart) -> bool:
    """Whether a rule says plainly what the section is. Questions are understood by two words, which may mean something else."""
    if not part.own or part.label is None or part.field in DOUBTFUL:
        return False
    return label_of_question(plain_label(part.title)) is None


def _support(label: Label) -> float:
    return CAUTIOUS_SUPPORT if label.field in CAUTIOUS else SUPPORT


def _label_of(guess: SectionGuess, threshold: float, rule_fields: set[tuple[str, str]]) -> Label | None:
    if (
        guess.label is None
        or guess.alone < _support(guess.label)
        or (guess.label.field, guess.label.key) in rule_fields
    ):
        return None
    sure_enough = max(threshold, SURE) if guess.label.field in CAUTIOUS else threshold
    return guess.label if guess.probability >= sure_enough else None
