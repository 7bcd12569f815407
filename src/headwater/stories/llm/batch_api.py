"""The OpenAI Batch API in values: lines that go up, what a batch says of itself, lines that come down."""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import aiohttp
import msgspec

from headwater.model.errors import Permanent, Refused, Temporary
from headwater.stories.llm.chat import RETRY_DELAY, EndpointClient

COMPLETIONS_PATH = "/v1/chat/completions"
METADATA_KEY = "headwater_batch"
FINAL_STATUSES = frozenset({"completed", "failed", "expired", "cancelled"})
# The same line may be taken another time; every other refusal is for good.
TRANSIENT_CODES = frozenset({"batch_expired", "rate_limit_exceeded", "server_error", "token_limit_exceeded"})
# The endpoint holds as much of ours as it will: nothing of the batch was done, and nothing of it is to blame.
QUEUE_FULL_CODES = frozenset({"token_limit_exceeded", "enqueued_token_limit_exceeded", "rate_limit_exceeded"})


class BatchCounts(msgspec.Struct, frozen=True):
    total: int = 0
    completed: int = 0
    failed: int = 0


class BatchError(msgspec.Struct, frozen=True):
    code: str | None = None
    message: str | None = None
    line: int | None = None


class BatchErrors(msgspec.Struct, frozen=True):
    data: list[BatchError] = []


class Batch(msgspec.Struct, frozen=True):
    """What the API says of a batch; a file is missing where it would be empty."""

    id: str
    status: str
    input_file_id: str = ""
    output_file_id: str | None = None
    error_file_id: str | None = None
    created_at: float = 0
    request_counts: BatchCounts | None = None
    metadata: dict[str, Any] | None = None
    errors: BatchErrors | None = None

    @property
    def mark(self) -> str | None:
        return str((self.metadata or {}).get(METADATA_KEY) or "") or None


class BatchPage(msgspec.Struct, frozen=True):
    data: list[Batch] = []
    last_id: str | None = None
    has_more: bool = False


class LineResponse(msgspec.Struct, frozen=True):
    status_code: int = 0
    body: msgspec.Raw = msgspec.Raw(b"null")


class LineError(msgspec.Struct, frozen=True):
    code: str | None = None


class ResultLine(msgspec.Struct, frozen=True):
    custom_id: str
    response: LineResponse | None = None
    error: LineError | None = None


class LineErrorBody(msgspec.Struct, frozen=True):
    error: LineError | None = None


@dataclass(frozen=True, slots=True)
class LineResult:
    """What became of one line. `body` is a chat completion where `kind` is answered; `passing`: it may be sent again."""

    id: str
    kind: Literal["answered", "failed"]
    body: bytes = b""
    reason: str = ""
    transient: bool = False


def request_line(name: str, body: Mapping[str, Any]) -> bytes:
    said = {"custom_id": name, "method": "POST", "url": COMPLETIONS_PATH, "body": body}
    return msgspec.json.encode(said) + b"\n"


def parse_result_lines(raw: bytes) -> Iterator[LineResult]:
    """Of each line that can be read, what became of it; their order means nothing."""
    for one in raw.splitlines():
        try:
            found = msgspec.json.decode(one, type=ResultLine)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            continue
        yield _line_result(found)


def _line_result(found: ResultLine) -> LineResult:
    """A refused request has no error of its own: the status decides."""
    if found.error is not None or found.response is None:
        reason = (found.error.code if found.error else None) or "no_response"
        return LineResult(found.custom_id, "failed", reason=reason, transient=reason in TRANSIENT_CODES)
    status = found.response.status_code
    if 200 <= status < 300:
        return LineResult(found.custom_id, "answered", bytes(found.response.body))
    reason = _code(found.response.body) or f"http_{status}"
    transient = status in {408, 409, 429} or status >= 500
    return LineResult(found.custom_id, "failed", reason=reason, transient=transient)


def _code(body: msgspec.Raw) -> str | None:
    try:
        told = msgspec.json.decode(body, type=LineErrorBody)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    return told.error.code if told.error else None


def rejected_lines(batch: Batch, names: Iterable[str]) -> dict[str, str]:
    """Of a batch that did not pass validation, the lines that are to blame, by name, with their code."""
    ordered = list(names)
    faults = batch.errors.data if batch.errors else []
    return {
        ordered[fault.line - 1]: fault.code or "invalid"
        for fault in faults
        if fault.line is not None and 1 <= fault.line <= len(ordered) and fault.code not in TRANSIENT_CODES
    }


def batch_error_code(batch: Batch) -> str:
    """Why a batch as a whole was not taken."""
    faults = batch.errors.data if batch.errors else []
    return next((fault.code for fault in faults if fault.code), None) or batch.status


def is_queue_full(batch: Batch) -> bool:
    """Whether a batch failed as a whole because others are before it."""
    codes = {fault.code for fault in (batch.errors.data if batch.errors else [])}
    done = batch.request_counts.completed if batch.request_counts else 0
    return batch.status == "failed" and not done and bool(codes) and codes <= QUEUE_FULL_CODES


MAX_RESPONSE_BYTES = 4 * 1024 * 1024
MAX_FILE_BYTES = 200 * 1024 * 1024
PAGE_SIZE, MAX_PAGES = 100, 50
ID = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,199}")
T = TypeVar("T")


class UploadedFile(msgspec.Struct, frozen=True):
    id: str


@dataclass(frozen=True, kw_only=True)
class BatchApi(EndpointClient):
    """`root` is the address that everything begins with: https://models.example/v1."""

    root: str

    async def upload(self, session: aiohttp.ClientSession, name: str, content: bytes) -> str:
        """Gives the file's id. A file alone costs nothing: one that was uploaded twice does no harm."""
        form = aiohttp.FormData()
        form.add_field("purpose", "batch")
        form.add_field("file", content, filename=name, content_type="application/jsonl")
        return (await self._told(session, "POST", "files", UploadedFile, data=form)).id

    async def create(self, session: aiohttp.ClientSession, file: str, mark: str) -> Batch:
        """`mark` is what the batch is found by when its answer did not reach us."""
        wish = {
            "input_file_id": file,
            "endpoint": COMPLETIONS_PATH,
            "completion_window": "24h",
            "metadata": {METADATA_KEY: mark},
        }
        return await self._told(session, "POST", "batches", Batch, json=wish)

    async def find(self, session: aiohttp.ClientSession, mark: str) -> Batch | None:
        """The batch with this mark, if the other side has one."""
        after: str | None = None
        for _ in range(MAX_PAGES):
            asked: dict[str, Any] = {"limit": PAGE_SIZE} | ({"after": after} if after else {})
            page = await self._told(session, "GET", "batches", BatchPage, params=asked)
            for batch in page.data:
                if batch.mark == mark:
                    return batch
            after = page.last_id or (page.data[-1].id if page.data else None)
            if not page.has_more or after is None:
                return None
        raise Temporary(
            "too_many_batches", "the endpoint lists more batches than are looked through", delay=RETRY_DELAY
        )

    async def retrieve(self, session: aiohttp.ClientSession, batch: str) -> Batch:
        """Permanent where the other side does not know it any more."""
        with _known("batch_gone"):
            return await self._told(session, "GET", f"batches/{_part(batch)}", Batch)

    async def cancel(self, session: aiohttp.ClientSession, batch: str) -> Batch:
        """Permanent where there is nothing to cancel: it is not known, or has ended."""
        with _known("batch_gone"):
            return await self._told(session, "POST", f"batches/{_part(batch)}/cancel", Batch)

    async def content(self, session: aiohttp.ClientSession, file: str) -> bytes:
        address = f"{self.root}/files/{_part(file)}/content"
        with _known("file_gone"):
            raw = await self.exchange(session, "GET", address, MAX_FILE_BYTES + 1)
        if len(raw) > MAX_FILE_BYTES:
            raise Permanent("file_too_large", "a file of the batch is larger than any may be")
        return raw

    async def _told(
        self, session: aiohttp.ClientSession, method: str, path: str, into: type[T], **sent: Any
    ) -> T:
        raw = await self.exchange(session, method, f"{self.root}/{path}", MAX_RESPONSE_BYTES, **sent)
        try:
            return msgspec.json.decode(raw, type=into)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise Temporary(
                "bad_answer", "the endpoint's answer cannot be read", delay=RETRY_DELAY
            ) from error


@contextmanager
def _known(reason: str) -> Iterator[None]:
    """Of one thing, 404 says that it is gone, not that the address of the API is wrong."""
    try:
        yield
    except Refused as refused:
        if refused.reason == "endpoint_refused" and "404" in refused.detail:
            raise Permanent(reason, "the endpoint does not know it any more") from refused
        raise


def _part(name: str) -> str:
    """A part of an address: an id that is none could lead the key elsewhere on the host."""
    if not ID.fullmatch(name):
        raise Permanent("bad_id", "the endpoint gave an id that cannot stand in an address")
    return name


def batch_counts(batch: Batch) -> Mapping[str, int]:
    counts = batch.request_counts
    return {} if counts is None else msgspec.to_builtins(counts)
