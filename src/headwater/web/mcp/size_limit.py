"""Keeps answers short: a language model pays for every token, and forgets what does not fit."""

from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, Field

from headwater.web.mcp.records import ToolAnswer

CHARACTERS_PER_TOKEN = 4
DEFAULT_TOKENS = 4_000
FEWEST_TOKENS, MOST_TOKENS = 500, 20_000
"""With fewer, not even one result and its evidence have room."""
SHORTEST_TEXT = 200
TEXT_LENGTHS = (1_000, 400, 200, 100, 50)
"""To which texts are cut one after the other, until the answer fits. Addresses may be ten times as long."""
WHOLE_FIELDS = frozenset({"next", "id", "document", "capture", "sha256", "freshness"})

MaxTokens = Annotated[
    int,
    Field(
        ge=FEWEST_TOKENS,
        le=MOST_TOKENS,
        description="How long the answer may be, at four characters a token.",
    ),
]
Answer = TypeVar("Answer", bound=ToolAnswer)


def count_tokens(answer: ToolAnswer) -> int:
    return len(answer.model_dump_json()) // CHARACTERS_PER_TOKEN


def shorten(answer: Answer, max_tokens: int) -> Answer:
    """First the text is cut, then items are left out from the end, then other texts are cut. The evidence of what is left
    stays."""
    excess = (count_tokens(answer) - max_tokens) * CHARACTERS_PER_TOKEN
    if excess <= 0:
        return answer
    answer.shortened = True
    text = getattr(answer, "text", "")
    if text:
        answer.text = text[: max(SHORTEST_TEXT, len(text) - excess)]  # type: ignore[attr-defined]
    _leave_out_items(answer, max_tokens)
    for length in TEXT_LENGTHS:
        if count_tokens(answer) <= max_tokens:
            break
        _cut_texts(answer, length)
    return answer


def _leave_out_items(answer: ToolAnswer, max_tokens: int) -> None:
    for name, value in list(answer):
        if isinstance(value, list) and name not in {"evidence", "authors"}:
            while len(value) > 1 and count_tokens(answer) > max_tokens:
                left_out = getattr(value.pop(), "id", "")
                answer.evidence = [item for item in answer.evidence if item.document != left_out]
    while len(answer.evidence) > 1 and count_tokens(answer) > max_tokens:
        answer.evidence.pop()


def _cut_texts(record: BaseModel, length: int) -> None:
    for name, value in list(record):
        if name not in WHOLE_FIELDS:
            setattr(record, name, _cut(value, 10 * length if name == "url" else length))


def _cut(value: Any, length: int) -> Any:
    if isinstance(value, str):
        return value[:length]
    if isinstance(value, BaseModel):
        _cut_texts(value, length)
    if isinstance(value, list | tuple):
        return [_cut(part, length) for part in value[: max(2, length // 20)]]
    if isinstance(value, dict):
        return {name[:length]: _cut(value[name], length) for name in list(value)[: max(4, length // 10)]}
    return value
