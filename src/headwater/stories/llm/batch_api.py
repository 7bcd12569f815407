"""A client for the OpenAI Batch API, and its formats: request lines, batches, result lines."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import aiohttp
import msgspec

from headwater.model.errors import Permanent, Refused, Temporary
from headwater.model.summaries import LineResult, RemoteBatch
from headwater.stories.llm.answers import RETRY_DELAY
from headwater.stories.llm.batch_status import TRANSIENT_CODES
from headwater.stories.llm.chat import EndpointClient, parse_completion

COMPLETIONS_PATH = "/v1/chat/completions"
METADATA_KEY = "headwater_batch"
MAX_RESPONSE_BYTES = 4 * 1024 * 1024
MAX_FILE_BYTES = 200 * 1024 * 1024
PAGE_SIZE, MAX_PAGES = 100, 50
ID = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,199}")
T = TypeVar("T")


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
    """A batch in the API's format. A file is missing if it would be empty."""

    id: str
    status: str
    output_file_id: str | None = None
    error_file_id: str | None = None
    request_counts: BatchCounts | None = None
    metadata: dict[str, Any] | None = None
    errors: BatchErrors | None = None

    @property
    def tag(self) -> str | None:
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


class UploadedFile(msgspec.Struct, frozen=True):
    id: str


def request_line(name: str, body: Mapping[str, Any]) -> bytes:
    line = {"custom_id": name, "method": "POST", "url": COMPLETIONS_PATH, "body": body}
    return msgspec.json.encode(line) + b"\n"


def parse_result_lines(raw: bytes) -> Iterator[LineResult]:
    """The results in a file, in any order. Lines that cannot be parsed are skipped."""
    for line in raw.splitlines():
        try:
            result = msgspec.json.decode(line, type=ResultLine)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            continue
        yield _line_result(result)


def _line_result(line: ResultLine) -> LineResult:
    """A request that the model API refused has no error of its own: its status decides."""
    if line.error is not None or line.response is None:
        reason = (line.error.code if line.error else None) or "no_response"
        return LineResult(id=line.custom_id, reason=reason, transient=reason in TRANSIENT_CODES)
    status = line.response.status_code
    if 200 <= status < 300:
        return _reply_result(line.custom_id, bytes(line.response.body))
    reason = _error_code(line.response.body) or f"http_{status}"
    transient = status in {408, 409, 429} or status >= 500
    return LineResult(id=line.custom_id, reason=reason, transient=transient)


def _reply_result(name: str, body: bytes) -> LineResult:
    try:
        return LineResult(id=name, reply=parse_completion(body))
    except (Temporary, Permanent) as error:
        return LineResult(id=name, error=error, reason=error.reason)


def _error_code(body: msgspec.Raw) -> str | None:
    try:
        error = msgspec.json.decode(body, type=LineErrorBody).error
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    return error.code if error else None


def remote_batch(batch: Batch) -> RemoteBatch:
    errors = batch.errors.data if batch.errors else []
    return RemoteBatch(
        id=batch.id,
        status=batch.status,
        counts=msgspec.to_builtins(batch.request_counts) if batch.request_counts else {},
        output_file=batch.output_file_id,
        error_file=batch.error_file_id,
        errors=tuple((error.code, error.line) for error in errors),
    )


@dataclass(frozen=True, kw_only=True)
class BatchApi(EndpointClient):
    """`root` is the address that all paths start with: https://models.example/v1."""

    root: str

    async def upload(self, session: aiohttp.ClientSession, name: str, content: bytes) -> str:
        """Returns the id of the file. A file costs nothing, so uploading it twice does no harm."""
        form = aiohttp.FormData()
        form.add_field("purpose", "batch")
        form.add_field("file", content, filename=name, content_type="application/jsonl")
        return (await self._call(session, "POST", "files", UploadedFile, data=form)).id

    async def create(self, session: aiohttp.ClientSession, file: str, tag: str) -> Batch:
        """`tag` goes into the metadata: it finds the batch if the response to this call is lost."""
        body = {
            "input_file_id": file,
            "endpoint": COMPLETIONS_PATH,
            "completion_window": "24h",
            "metadata": {METADATA_KEY: tag},
        }
        return await self._call(session, "POST", "batches", Batch, json=body)

    async def find(self, session: aiohttp.ClientSession, tag: str) -> Batch | None:
        after: str | None = None
        for _ in range(MAX_PAGES):
            params: dict[str, Any] = {"limit": PAGE_SIZE} | ({"after": after} if after else {})
            page = await self._call(session, "GET", "batches", BatchPage, params=params)
            for batch in page.data:
                if batch.tag == tag:
                    return batch
            after = page.last_id or (page.data[-1].id if page.data else None)
            if not page.has_more or after is None:
                return None
        raise Temporary(
            "too_many_batches", "the endpoint lists more batches than Headwater reads", delay=RETRY_DELAY
        )

    async def retrieve(self, session: aiohttp.ClientSession, batch: str) -> Batch:
        """Permanent if the endpoint does not know it any more."""
        with _missing_as_permanent("batch_gone"):
            return await self._call(session, "GET", f"batches/{_checked_id(batch)}", Batch)

    async def cancel(self, session: aiohttp.ClientSession, batch: str) -> Batch:
        """Permanent if there is nothing to cancel: the batch is unknown or has ended."""
        with _missing_as_permanent("batch_gone"):
            return await self._call(session, "POST", f"batches/{_checked_id(batch)}/cancel", Batch)

    async def content(self, session: aiohttp.ClientSession, file: str) -> bytes:
        address = f"{self.root}/files/{_checked_id(file)}/content"
        with _missing_as_permanent("file_gone"):
            raw = await self.exchange(session, "GET", address, MAX_FILE_BYTES + 1)
        if len(raw) > MAX_FILE_BYTES:
            raise Permanent("file_too_large", f"a file of the batch has more than {MAX_FILE_BYTES} bytes")
        return raw

    async def _call(
        self, session: aiohttp.ClientSession, method: str, path: str, into: type[T], **request: Any
    ) -> T:
        raw = await self.exchange(session, method, f"{self.root}/{path}", MAX_RESPONSE_BYTES, **request)
        try:
            return msgspec.json.decode(raw, type=into)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise Temporary(
                "bad_answer", "the endpoint's answer cannot be read", delay=RETRY_DELAY
            ) from error


@contextmanager
def _missing_as_permanent(reason: str) -> Iterator[None]:
    """For a single object, 404 means that it is gone, not that the address of the API is wrong."""
    try:
        yield
    except Refused as refused:
        if refused.reason == "endpoint_refused" and "404" in refused.detail:
            raise Permanent(reason, "the endpoint does not know it any more") from refused
        raise


def _checked_id(name: str) -> str:
    """An id from the endpoint becomes part of a path: anything else could send the key elsewhere on the host."""
    if not ID.fullmatch(name):
        raise Permanent("bad_id", "the endpoint sent an id that cannot be part of an address")
    return name
