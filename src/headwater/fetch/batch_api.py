"""The OpenAI Batch API: files up, batches made, looked at and cancelled, files down."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import aiohttp
import msgspec

from headwater.fetch.chat import AGAIN, Access
from headwater.model.errors import Permanent, Refused, Temporary
from headwater.pure.batches import MARK, PATH, Batch, Batches

LARGEST_TOLD = 4 * 1024 * 1024
LARGEST_FILE = 200 * 1024 * 1024
PAGE, MOST_PAGES = 100, 50
ID = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,199}")
T = TypeVar("T")


class File(msgspec.Struct, frozen=True):
    id: str


@dataclass(frozen=True, kw_only=True)
class BatchApi(Access):
    """`root` is the address that everything begins with: https://models.example/v1."""

    root: str

    async def upload(self, session: aiohttp.ClientSession, name: str, content: bytes) -> str:
        """Gives the file's id. A file alone costs nothing: one that was uploaded twice does no harm."""
        form = aiohttp.FormData()
        form.add_field("purpose", "batch")
        form.add_field("file", content, filename=name, content_type="application/jsonl")
        return (await self._told(session, "POST", "files", File, data=form)).id

    async def create(self, session: aiohttp.ClientSession, file: str, mark: str) -> Batch:
        """`mark` is what the batch is found by when its answer did not reach us."""
        wish = {"input_file_id": file, "endpoint": PATH, "completion_window": "24h", "metadata": {MARK: mark}}
        return await self._told(session, "POST", "batches", Batch, json=wish)

    async def find(self, session: aiohttp.ClientSession, mark: str) -> Batch | None:
        """The batch with this mark, if the other side has one."""
        after: str | None = None
        for _ in range(MOST_PAGES):
            asked: dict[str, Any] = {"limit": PAGE} | ({"after": after} if after else {})
            page = await self._told(session, "GET", "batches", Batches, params=asked)
            for batch in page.data:
                if batch.mark == mark:
                    return batch
            after = page.last_id or (page.data[-1].id if page.data else None)
            if not page.has_more or after is None:
                return None
        raise Temporary(
            "too_many_batches", "the endpoint lists more batches than are looked through", delay=AGAIN
        )

    async def look(self, session: aiohttp.ClientSession, batch: str) -> Batch:
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
            raw = await self.exchange(session, "GET", address, LARGEST_FILE + 1)
        if len(raw) > LARGEST_FILE:
            raise Permanent("file_too_large", "a file of the batch is larger than any may be")
        return raw

    async def _told(
        self, session: aiohttp.ClientSession, method: str, path: str, into: type[T], **sent: Any
    ) -> T:
        raw = await self.exchange(session, method, f"{self.root}/{path}", LARGEST_TOLD, **sent)
        try:
            return msgspec.json.decode(raw, type=into)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise Temporary("bad_answer", "the endpoint's answer cannot be read", delay=AGAIN) from error


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


def counts_of(batch: Batch) -> Mapping[str, int]:
    counts = batch.request_counts
    return {} if counts is None else msgspec.to_builtins(counts)
