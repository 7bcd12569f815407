"""Compares a stored document with what the current code makes of it: better, worse, changed or the same."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec

from headwater.model.document import Document
from headwater.model.jobs import State
from headwater.model.page import has_whole_text
from headwater.model.replay import DocumentOutcome, FieldDifference, ReplayVerdict
from headwater.text.letters import to_storable_text

# A value is better than none; of two values neither is better.
VALUED_FIELDS = (
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
# Neither a value nor its absence is better.
NEUTRAL = ("url", "media_type", "guid")
# A text or score that differs by more than this share is better or worse.
TEXT_TOLERANCE, QUALITY_TOLERANCE = 0.05, 0.02
# Kinds of mentions that come from the source of a duplicate, not from the text.
NOT_FROM_TEXT = frozenset({"seen_for"})
MAX_VALUE_LENGTH, CONTEXT_LENGTH = 100, 20
EMPTY_VALUES: tuple[Any, ...] = (None, "", [], {})


def compare_outcomes(
    before: DocumentOutcome, after: DocumentOutcome
) -> tuple[ReplayVerdict, tuple[FieldDifference, ...]]:
    """Returns the verdict and the fields that differ. With the arguments swapped, better becomes worse."""
    differences = tuple(_differences(before, after))
    if not differences:
        return ReplayVerdict.SAME, ()
    directions = {difference.direction for difference in differences} - {0}
    if len(directions) != 1:
        return ReplayVerdict.CHANGED, differences
    return (ReplayVerdict.BETTER if directions == {1} else ReplayVerdict.WORSE), differences


def _differences(before: DocumentOutcome, after: DocumentOutcome) -> Iterator[FieldDifference]:
    kept = (before.state is State.KEPT, after.state is State.KEPT)
    if kept != (True, True):
        # A document that is not kept is not visible: only how it ended counts.
        if _ending(before) != _ending(after):
            yield FieldDifference("state", _ending(before), _ending(after), kept[1] - kept[0])
        return
    assert before.document is not None
    assert after.document is not None
    old, new = visible_fields(before.document), visible_fields(after.document)
    for field in sorted({*old, *new}):
        if (difference := _compared(field, old.get(field), new.get(field))) is not None:
            yield difference


def _ending(outcome: DocumentOutcome) -> str:
    if outcome.state is State.KEPT:
        return "kept"
    if outcome.of:  # the rule that recognised it is evidence only, and depends on what is stored by then
        return f"{outcome.state.value} of {outcome.of}"
    return f"{outcome.state.value}: {outcome.reason}" if outcome.reason else outcome.state.value


def visible_fields(document: Document) -> Mapping[str, Any]:
    """Returns the visible fields of a document as a store returns them; facts and attributes by their names."""
    values: dict[str, Any] = {
        name: getattr(document, name) for name in (*VALUED_FIELDS, *NEUTRAL, "page", "text", "quality")
    }
    values |= {name: time and time.astimezone(UTC) for name, time in _times(document)}
    values["group"] = document.group
    values["subjects"] = sorted(document.subjects)
    values["mentions"] = sorted(
        {mention.subject for mention in document.mentions if mention.kind not in NOT_FROM_TEXT}
    )
    values |= {f"attributes.{name}": value for name, value in document.attributes.items()}
    values |= {f"facts.{name}": fact.value for name, fact in document.facts.items()}
    return {name: _stored(value) for name, value in values.items()}


def _times(document: Document) -> Iterator[tuple[str, datetime | None]]:
    yield "published", document.published
    yield "modified", document.modified


def _stored(value: Any) -> Any:
    """Returns the value as a store would return it."""
    if isinstance(value, str):
        return to_storable_text(value)
    if isinstance(value, float):
        return value if value == value else None  # noqa: PLR0124 - JSON has no NaN
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, Mapping):
        return {to_storable_text(str(name)): _stored(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_stored(part) for part in value]
    return _stored(msgspec.to_builtins(value))


def _compared(field: str, old: Any, new: Any) -> FieldDifference | None:
    old, new = (None if value in EMPTY_VALUES else value for value in (old, new))
    if old == new or (field == "quality" and _near(old, new)):
        return None
    if field == "text":
        return _texts(old or "", new or "")
    return FieldDifference(field, _shortened(old), _shortened(new), _direction(field, old, new))


def _direction(field: str, old: Any, new: Any) -> int:
    if field in {*NEUTRAL, "group", "subjects", "mentions"}:
        return 0
    if field == "page":
        return has_whole_text(new or "") - has_whole_text(old or "")
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
    start = max(0, _same_beginning(old, new) - CONTEXT_LENGTH)
    return FieldDifference(
        "text", _part(old, start), _part(new, start), (grown > 0) - (grown < 0) if beyond else 0
    )


def _same_beginning(old: str, new: str) -> int:
    """Returns the length of the common prefix, by bisection."""
    lower, upper = 0, min(len(old), len(new))
    while lower < upper:
        middle = (lower + upper + 1) // 2
        if old[lower:middle] == new[lower:middle]:
            lower = middle
        else:
            upper = middle - 1
    return lower


def _part(text: str, start: int) -> str:
    """Returns the length, and the text around the first change."""
    return f"{len(text)} characters: {'…' if start else ''}{_shortened(text[start:])}"


def _shortened(value: Any) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    text = " ".join(text[: 2 * MAX_VALUE_LENGTH].split())
    return text if len(text) <= MAX_VALUE_LENGTH else f"{text[:MAX_VALUE_LENGTH]}…"
