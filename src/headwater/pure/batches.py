"""The OpenAI Batch API in values: lines that go up, what a batch says of itself, lines that come down."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

PATH = "/v1/chat/completions"
MARK = "headwater_batch"
ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
# The same line may be taken another time; every other refusal is for good.
PASSING = frozenset({"batch_expired", "rate_limit_exceeded", "server_error", "token_limit_exceeded"})
# The endpoint holds as much of ours as it will: nothing of the batch was done, and nothing of it is to blame.
CROWDED = frozenset({"token_limit_exceeded", "enqueued_token_limit_exceeded", "rate_limit_exceeded"})


class Counts(msgspec.Struct, frozen=True):
    total: int = 0
    completed: int = 0
    failed: int = 0


class Fault(msgspec.Struct, frozen=True):
    code: str | None = None
    message: str | None = None
    line: int | None = None


class Faults(msgspec.Struct, frozen=True):
    data: list[Fault] = []


class Batch(msgspec.Struct, frozen=True):
    """What the API says of a batch; a file is missing where it would be empty."""

    id: str
    status: str
    input_file_id: str = ""
    output_file_id: str | None = None
    error_file_id: str | None = None
    created_at: float = 0
    request_counts: Counts | None = None
    metadata: dict[str, Any] | None = None
    errors: Faults | None = None

    @property
    def mark(self) -> str | None:
        return str((self.metadata or {}).get(MARK) or "") or None


class Batches(msgspec.Struct, frozen=True):
    data: list[Batch] = []
    last_id: str | None = None
    has_more: bool = False


class Response(msgspec.Struct, frozen=True):
    status_code: int = 0
    body: msgspec.Raw = msgspec.Raw(b"null")


class LineError(msgspec.Struct, frozen=True):
    code: str | None = None


class Line(msgspec.Struct, frozen=True):
    custom_id: str
    response: Response | None = None
    error: LineError | None = None


class Trouble(msgspec.Struct, frozen=True):
    error: LineError | None = None


@dataclass(frozen=True, slots=True)
class Heard:
    """What became of one line. `body` is a chat completion where `kind` is answered; `passing`: it may be sent again."""

    id: str
    kind: Literal["answered", "failed"]
    body: bytes = b""
    reason: str = ""
    passing: bool = False


def line(name: str, body: Mapping[str, Any]) -> bytes:
    said = {"custom_id": name, "method": "POST", "url": PATH, "body": body}
    return msgspec.json.encode(said) + b"\n"


def heard(raw: bytes) -> Iterator[Heard]:
    """Of each line that can be read, what became of it; their order means nothing."""
    for one in raw.splitlines():
        try:
            found = msgspec.json.decode(one, type=Line)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            continue
        yield _judged(found)


def _judged(found: Line) -> Heard:
    """A refused request has no error of its own: the status decides."""
    if found.error is not None or found.response is None:
        reason = (found.error.code if found.error else None) or "no_response"
        return Heard(found.custom_id, "failed", reason=reason, passing=reason in PASSING)
    status = found.response.status_code
    if 200 <= status < 300:
        return Heard(found.custom_id, "answered", bytes(found.response.body))
    reason = _code(found.response.body) or f"http_{status}"
    passing = status in {408, 409, 429} or status >= 500
    return Heard(found.custom_id, "failed", reason=reason, passing=passing)


def _code(body: msgspec.Raw) -> str | None:
    try:
        told = msgspec.json.decode(body, type=Trouble)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    return told.error.code if told.error else None


def refused_lines(batch: Batch, names: Iterable[str]) -> dict[str, str]:
    """Of a batch that did not pass validation, the lines that are to blame, by name, with their code."""
    ordered = list(names)
    faults = batch.errors.data if batch.errors else []
    return {
        ordered[fault.line - 1]: fault.code or "invalid"
        for fault in faults
        if fault.line is not None and 1 <= fault.line <= len(ordered) and fault.code not in PASSING
    }


def whole_fault(batch: Batch) -> str:
    """Why a batch as a whole was not taken."""
    faults = batch.errors.data if batch.errors else []
    return next((fault.code for fault in faults if fault.code), None) or batch.status


def is_crowded_out(batch: Batch) -> bool:
    """Whether a batch failed as a whole because others are before it."""
    codes = {fault.code for fault in (batch.errors.data if batch.errors else [])}
    done = batch.request_counts.completed if batch.request_counts else 0
    return batch.status == "failed" and not done and bool(codes) and codes <= CROWDED
