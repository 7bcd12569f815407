"""Places sections with unknown headings by what they say. Rules come first: a field that a rule has placed stays as it is."""

from collections.abc import Sequence
from dataclasses import replace

from headwater_recipes.procedures.detection import CORE
from headwater_recipes.procedures.labels.vocabulary import Label
from headwater_recipes.procedures.sections.classifier import guess_section
from headwater_recipes.procedures.sections.divide import STICKY
from headwater_recipes.procedures.sections.parts import PagePart

# A page whose sections the rules know says little under other headings; a page that they do not know says everything there.
SURE, LIKELY, ENOUGH_KNOWN = 0.7, 0.4, 3
# A heading below another one belongs to it, unless it plainly says something else.
OWN_MEANING = 0.65
LONGEST_HEADING = 14
CAUTIOUS = frozenset({"descripcion", "organismo", "datos_importantes"})
# Rules see these fields in many headings; a section that plainly says something else is placed by that.
DOUBTFUL, CERTAIN = frozenset({"descripcion", "datos_importantes", "organismo", "contacto"}), 0.85


def place_by_meaning(parts: Sequence[PagePart]) -> list[PagePart]:
    """The sections, with those under unknown headings placed where the classifier is sure enough."""
    rule_fields = {(part.field, part.key) for part in parts if part.label is not None and part.lines}
    readable = len({part.field for part in parts if part.own and part.lines} & CORE) >= ENOUGH_KNOWN
    result: list[PagePart] = []
    above: list[tuple[int, Label]] = []
    for part in parts:
        above = [(level, label) for level, label in above if level < part.level or not part.title]
        doubtful = part.own and part.field in DOUBTFUL
        inherited = part.label is not None and not part.own and part.field not in STICKY
        if (part.label is not None and not doubtful and not inherited) or not _may_be_placed(part):
            result.append(part)
            continue
        threshold = CERTAIN if doubtful else OWN_MEANING if inherited else SURE if readable else LIKELY
        label = above[-1][1] if above and part.label is None else _label_of(part, threshold, rule_fields)
        if label is not None:
            above.append((part.level, label))
        result.append(part if label is None else replace(part, label=label, by_model=True))
    return result


def _may_be_placed(part: PagePart) -> bool:
    return part.level > 1 and bool(part.title and part.lines) and len(part.title.split()) <= LONGEST_HEADING


def _label_of(part: PagePart, threshold: float, rule_fields: set[tuple[str, str]]) -> Label | None:
    guess = guess_section(part.title, part.lines)
    if guess.label is None or (guess.label.field, guess.label.key) in rule_fields:
        return None
    sure_enough = max(threshold, SURE) if guess.label.field in CAUTIOUS else threshold
    return guess.label if guess.probability >= sure_enough else None
