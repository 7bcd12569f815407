"""A document as it stands beside what the present code would make of it: better, worse, changed or the same."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec

from headwater.model.document import Document
from headwater.model.jobs import State
from headwater.model.replay import DocumentOutcome, FieldDifference, ReplayVerdict
from headwater.text.letters import to_storable_text

# To have one is better than to have none; which of two is better, nobody knows.
TELLING = (
    "title",
    "authors",
    "publisher",
    "published",
    "modified",
    "language",
    "description",
    "keywords",
    "image",
    "canonical_url",
)
# Neither having nor lacking one says anything.
NEUTRAL = ("url", "media_type", "guid")
# A text that is so much longer or shorter, a score so much higher or lower, is taken for better or worse.
TEXT_TOLERANCE, QUALITY_TOLERANCE = 0.05, 0.02
# The kind of a mention that comes from where a copy was found, not from the text.
NOT_READ = frozenset({"seen_for"})
LONGEST_VALUE, BEFORE_CHANGE = 100, 20
NOTHING: tuple[Any, ...] = (None, "", [], {})


def compare_outcomes(
    before: DocumentOutcome, after: DocumentOutcome
) -> tuple[ReplayVerdict, tuple[FieldDifference, ...]]:
    """The verdict, and the fields in which they differ. Swapped, better is worse; of equals it is the same."""
    found = tuple(_differences(before, after))
    if not found:
        return ReplayVerdict.SAME, ()
    signs = {difference.direction for difference in found} - {0}
    if len(signs) != 1:
        return ReplayVerdict.CHANGED, found
    return (ReplayVerdict.BETTER if signs == {1} else ReplayVerdict.WORSE), found


def _differences(before: DocumentOutcome, after: DocumentOutcome) -> Iterator[FieldDifference]:
    kept = (before.state is State.KEPT, after.state is State.KEPT)
    if kept != (True, True):
        # What is not kept nobody sees: only how it ended counts.
        if _ending(before) != _ending(after):
            yield FieldDifference("state", _ending(before), _ending(after), kept[1] - kept[0])
        return
    assert before.document is not None
    assert after.document is not None
    old, new = visible_fields(before.document), visible_fields(after.document)
    for field in sorted({*old, *new}):
        if (difference := _compared(field, old.get(field), new.get(field))) is not None:
            yield difference


def _ending(standing: DocumentOutcome) -> str:
    if standing.state is State.KEPT:
        return "kept"
    if (
        standing.of
    ):  # by which rule it was recognised is evidence, and differs with what is remembered by then
        return f"{standing.state.value} of {standing.of}"
    return f"{standing.state.value}: {standing.reason}" if standing.reason else standing.state.value


def visible_fields(document: Document) -> Mapping[str, Any]:
    """What readers see of a document, field by field, as a store gives it back; facts and attributes by their names."""
    found: dict[str, Any] = {
        name: getattr(document, name) for name in (*TELLING, *NEUTRAL, "text", "quality")
    }
    found |= {name: moment and moment.astimezone(UTC) for name, moment in _moments(document)}
    found["group"] = document.group
    found["subjects"] = sorted(document.subjects)
    found["mentions"] = sorted({one.subject for one in document.mentions if one.kind not in NOT_READ})
    found |= {f"attributes.{name}": value for name, value in document.attributes.items()}
    found |= {f"facts.{name}": finding.value for name, finding in document.facts.items()}
    return {name: _stored(value) for name, value in found.items()}


def _moments(document: Document) -> Iterator[tuple[str, datetime | None]]:
    yield "published", document.published
    yield "modified", document.modified


def _stored(value: Any) -> Any:
    """As it would come back from a store."""
    if isinstance(value, str):
        return to_storable_text(value)
    if isinstance(value, float):
        return value if value == value else None  # noqa: PLR0124 - JSON has no word for what is not a number
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, Mapping):
        return {to_storable_text(str(name)): _stored(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_stored(part) for part in value]
    return _stored(msgspec.to_builtins(value))


def _compared(field: str, old: Any, new: Any) -> FieldDifference | None:
    old, new = (None if value in NOTHING else value for value in (old, new))
    if old == new or (field == "quality" and _near(old, new)):
        return None
    if field == "text":
        return _texts(old or "", new or "")
    return FieldDifference(field, _shortened(old), _shortened(new), _direction(field, old, new))


def _direction(field: str, old: Any, new: Any) -> int:
    if field in {*NEUTRAL, "group", "subjects", "mentions"}:
        return 0
    if old is None or new is None:
        return int(old is None) - int(new is None)
    if field == "quality":
        return 1 if new > old else -1
    return 0


def _near(old: Any, new: Any) -> bool:
    return old is not None and new is not None and abs(old - new) <= QUALITY_TOLERANCE


def _texts(old: str, new: str) -> FieldDifference:
    grown = len(new) - len(old)
    beyond = abs(grown) > TEXT_TOLERANCE * max(len(old), len(new))
    start = max(0, _same_beginning(old, new) - BEFORE_CHANGE)
    return FieldDifference(
        "text", _part(old, start), _part(new, start), (grown > 0) - (grown < 0) if beyond else 0
    )


def _same_beginning(old: str, new: str) -> int:
    """How many letters they begin with in common, found by halving."""
    lower, upper = 0, min(len(old), len(new))
    while lower < upper:
        middle = (lower + upper + 1) // 2
        if old[lower:middle] == new[lower:middle]:
            lower = middle
        else:
            upper = middle - 1
    return lower


def _part(text: str, start: int) -> str:
    """How long it is, and the place where they part."""
    return f"{len(text)} characters: {'…' if start else ''}{_shortened(text[start:])}"


def _shortened(value: Any) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    text = " ".join(text[: 2 * LONGEST_VALUE].split())
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}…"
