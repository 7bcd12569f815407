"""Response bodies: streamed, decoded, checked to be complete, and held within one memory budget."""

import asyncio
from collections import deque
from collections.abc import Mapping

import aiohttp

from headwater.fetch.client.content_encoding import ContentDecoder, decoder_for
from headwater.fetch.client.deadlines import Deadline
from headwater.fetch.failures import FetchStopped
from headwater.text.decompression import ZlibDecompressor

# Most bodies are smaller than this. They never wait for memory.
_SMALL = 64 * 1024
_TEXT_TYPES = (
    "text/",
    "application/xml",
    "application/rss",
    "application/atom",
    "application/json",
    "application/rdf",
)


class BudgetShare:
    """The memory that one body uses."""

    __slots__ = ("size",)

    def __init__(self) -> None:
        self.size = 0


class MemoryBudget:
    """One budget for all bodies that are being read or wait to be collected. Lives in one event loop.

    A body that grows while the budget is used up waits until others finish. One body at a time is exempt and reads to
    its end, so that reading never comes to a standstill.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._exempt: BudgetShare | None = None
        self._waiting: deque[asyncio.Future[None]] = deque()
        self.used = 0

    def is_full(self) -> bool:
        return self.used > self._limit

    def take(self, share: BudgetShare, size: int) -> None:
        share.size += size
        self.used += size

    async def wait_for_room(self, share: BudgetShare) -> None:
        """Return when this body may grow."""
        while self.is_full() and not self._make_exempt(share):
            room: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(room)
            await room

    def finish(self, share: BudgetShare) -> None:
        """This body no longer grows. Its memory counts until it is released."""
        if self._exempt is share:
            self._exempt = None
            self._wake()

    def release(self, size: int) -> None:
        self.used -= size
        self._wake()

    def _make_exempt(self, share: BudgetShare) -> bool:
        if self._exempt is None:
            self._exempt = share
        return self._exempt is share

    def _wake(self) -> None:
        """Wake all bodies when there is room, else the first one if none is exempt. Skip those that were cancelled."""
        while self._waiting and (not self.is_full() or self._exempt is None):
            room = self._waiting.popleft()
            if not room.done():
                room.set_result(None)
                if self.is_full():
                    return


class BodyReader:
    """Reads bodies of at most `limit` bytes, on the wire and decoded."""

    def __init__(self, limit: int, budget: MemoryBudget) -> None:
        self._limit = limit
        self._budget = budget

    async def read(
        self,
        stream: aiohttp.StreamReader,
        headers: Mapping[str, str],
        deadline: Deadline,
        read_limit: int | None = None,
    ) -> bytes:
        """The whole body, or its beginning up to about `read_limit` bytes. The body counts against the budget until the
        caller releases it."""
        if read_limit is None:
            self._check_length(headers)
        share = BudgetShare()
        try:
            decoder = decoder_for(headers.get("content-encoding", ""))
            body = await self._stream(stream, decoder, share, deadline, read_limit)
            return self._inflate_undeclared(headers, body, share) if body[:2] == b"\x1f\x8b" else body
        except BaseException:
            self._budget.release(share.size)
            raise
        finally:
            self._budget.finish(share)

    async def _stream(
        self,
        stream: aiohttp.StreamReader,
        decoder: ContentDecoder | None,
        share: BudgetShare,
        deadline: Deadline,
        read_limit: int | None,
    ) -> bytes:
        parts: list[bytes] = []
        wire_size = 0
        while chunk := await stream.readany():
            deadline.touch()
            wire_size += len(chunk)
            part = chunk if decoder is None else decoder.feed(chunk, self._limit - share.size)
            parts.append(part)
            self._budget.take(share, len(part))
            if read_limit is not None and share.size >= read_limit:
                return b"".join(parts)
            self._check_size(wire_size, share.size)
            if share.size > _SMALL and self._budget.is_full():
                # The server is not at fault when we run out of memory, so its deadline is suspended meanwhile.
                with deadline.suspended():
                    await self._budget.wait_for_room(share)
        _check_complete(decoder)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _inflate_undeclared(self, headers: Mapping[str, str], body: bytes, share: BudgetShare) -> bytes:
        """Decompress text that was sent as gzip without a Content-Encoding. Files that are gzip themselves stay as they
        are."""
        media_type = headers.get("content-type", "").lower()
        if headers.get("content-encoding") or not media_type.startswith(_TEXT_TYPES):
            return body
        decoder = ContentDecoder(ZlibDecompressor())
        text = decoder.feed(body, self._limit)
        self._check_size(0, len(text))
        _check_complete(decoder)
        self._budget.take(share, len(text) - len(body))
        return text

    def _check_length(self, headers: Mapping[str, str]) -> None:
        length = headers.get("content-length", "")
        if length.isdecimal() and int(length[:20]) > self._limit:
            raise FetchStopped("too_large", f"{length[:20]} bytes announced", temporary=False)

    def _check_size(self, wire_size: int, size: int) -> None:
        if wire_size > self._limit or size > self._limit:
            raise FetchStopped("too_large", f"more than {self._limit} bytes", temporary=False)


def _check_complete(decoder: ContentDecoder | None) -> None:
    if decoder is not None and not decoder.is_complete():
        raise FetchStopped("truncated", "the encoded body ends too early")
