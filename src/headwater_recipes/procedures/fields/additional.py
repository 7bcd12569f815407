"""Text that belongs to no field (`datos_adicionales`)."""

from collections import defaultdict
from collections.abc import Sequence

from headwater_recipes.procedures.fields.value import NO_VALUE, FieldValue, Span
from headwater_recipes.procedures.sections.parts import PagePart

LONGEST_TITLE = 120


def additional_text(
    parts: Sequence[PagePart], heading: PagePart | None, description: FieldValue, remainder: FieldValue
) -> FieldValue:
    """By its heading; text without one of its own by the heading above. `heading` is that of the procedure, `remainder` what the
    description leaves out."""
    texts: defaultdict[str, list[str]] = defaultdict(list)
    spans: list[Span] = []
    for part in parts:
        title = next(filter(None, (part.title, *reversed(part.above))), "")
        if part.label is not None or not title or part is heading:
            continue
        lines = [
            line
            for line in part.lines
            if not any(start <= line.start < end for start, end in description.spans)
        ]
        if lines:
            texts[title[:LONGEST_TITLE]] += [line.text for line in lines]
            spans += [(line.start, line.end) for line in lines]
    if remainder:
        texts["descripcion"] = [remainder.value]
        spans += remainder.spans
    value = {title: "\n".join(of_title) for title, of_title in texts.items()}
    return FieldValue(value, tuple(spans)) if value else NO_VALUE
