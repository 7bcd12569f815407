"""Answers of a language model: decoded and checked against a type, asked for again if they are invalid, or not available."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TypeVar

import msgspec

from headwater.model.summaries import Messages, ModelReply

T = TypeVar("T")
RETRY_DELAY = timedelta(minutes=1)
# A server on the way stopped waiting, or the connection broke: the answer may have been written, and charged.
MAYBE_PAID_STATUSES = frozenset({408, 502, 504})
CONNECTION_BROKEN = "endpoint_broke_off"
UNAVAILABLE_REASONS = frozenset({CONNECTION_BROKEN, *(f"http_{status}" for status in MAYBE_PAID_STATUSES)})
MAX_COMPLAINT_CHARS = 300
MAX_ECHO_CHARS = 4_000


class InvalidAnswer(ValueError):
    """The answer does not fit. The message says why: the model is shown it when it is asked again."""


def decode_answer(text: str, into: type[T]) -> T:
    """The answer as that type, or InvalidAnswer."""
    if not text.strip():
        raise InvalidAnswer("the answer is empty")
    try:
        return msgspec.json.decode(_without_fence(text), type=into)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        kind = "schema" if isinstance(error, msgspec.ValidationError) else "not JSON"
        complaint = "".join(letter if letter.isprintable() else " " for letter in str(error))
        raise InvalidAnswer(f"{kind}: {complaint}"[:MAX_COMPLAINT_CHARS]) from error


async def ask_until_valid(
    ask: Callable[[Messages], Awaitable[ModelReply]],
    messages: Messages,
    parse: Callable[[ModelReply], T],
    max_calls: int,
    may_go_on: Callable[[], bool] = lambda: True,
) -> tuple[T, int]:
    """The first valid answer and the number of calls it took. Raises the last InvalidAnswer."""
    conversation = messages
    for call in range(1, max_calls + 1):
        reply = await ask(conversation)
        try:
            return parse(reply), call
        except InvalidAnswer as invalid:
            if call == max_calls or not may_go_on():
                raise
            complaint = f"it was cut off ({invalid})" if reply.truncated else str(invalid)
            conversation = [*messages, *retry_messages(reply.text, complaint)]
    raise InvalidAnswer("the model was not asked")


def retry_messages(answer: str, complaint: str) -> list[dict[str, str]]:
    """What follows an invalid answer in the conversation."""
    return [
        {"role": "assistant", "content": answer[:MAX_ECHO_CHARS] or "(nothing)"},
        {
            "role": "user",
            "content": f"That cannot be used: {complaint}. Answer again with the JSON object alone.",
        },
    ]


def _without_fence(answer: str) -> str:
    """Models often put a code fence around JSON."""
    text = answer.strip()
    if not (text.startswith("```") and text.endswith("```") and "\n" in text):
        return text
    return text[text.index("\n") : -3]
