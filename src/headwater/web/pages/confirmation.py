"""What cannot be undone is asked before it is done: on a page of its own, which works without a script."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request

from headwater.web.context import WebContext

CONFIRMED = "confirmed"
NEXT = "next"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """`message` asks, with `{names}` for `values`; `label` is the button that does it. Both are texts of the catalogue."""

    message: str
    label: str
    values: Mapping[str, Any] = field(default_factory=dict)


Ask = Callable[[Request, WebContext, FormData], Question]


def confirmation_model(question: Question, fields: FormData, target: str) -> dict[str, Any]:
    """What the page shows: the question, and the fields of the form, which it sends again with the confirmation. `target` is
    the page that follows."""
    remaining = [(name, str(value)) for name, value in fields.multi_items() if name not in {CONFIRMED, NEXT}]
    return {
        "question": question.message,
        "values": dict(question.values),
        "label": question.label,
        "fields": [*remaining, (NEXT, target), (CONFIRMED, "1")],
    }
