"""Keeps answers short: a language model pays for every token, and forgets what does not fit."""

from typing import TypeVar

from headwater.web.mcp.records import ToolAnswer

CHARACTERS_PER_TOKEN = 4
DEFAULT_TOKENS = 4_000
MOST_TOKENS = 20_000
SHORTEST_TEXT = 200
Answer = TypeVar("Answer", bound=ToolAnswer)


def count_tokens(answer: ToolAnswer) -> int:
    return len(answer.model_dump_json()) // CHARACTERS_PER_TOKEN


def shorten(answer: Answer, max_tokens: int) -> Answer:
    """First the text is cut, then items are left out from the end. The evidence of what is left stays."""
    limit = max(100, min(max_tokens, MOST_TOKENS))
    excess = (count_tokens(answer) - limit) * CHARACTERS_PER_TOKEN
    if excess <= 0:
        return answer
    answer.shortened = True
    text = getattr(answer, "text", "")
    if text:
        answer.text = text[: max(SHORTEST_TEXT, len(text) - excess)]  # type: ignore[attr-defined]
    for name, value in list(answer):
        if isinstance(value, list) and name not in {"evidence", "authors"}:
            while len(value) > 1 and count_tokens(answer) > limit:
                dropped = value.pop()
                gone = getattr(dropped, "id", "")
                answer.evidence = [item for item in answer.evidence if item.document != gone]
    while answer.evidence and count_tokens(answer) > limit and len(answer.evidence) > 1:
        answer.evidence.pop()
    return answer
