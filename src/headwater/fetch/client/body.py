"""One budget of memory for all bodies that are being read or wait to be collected."""

import asyncio
from collections import deque
from collections.abc import Mapping

import aiohttp

from headwater.fetch.client.content_encoding import ContentDecoder, decoder_for
from headwater.fetch.client.deadlines import Deadline
from headwater.fetch.failures import FetchStopped
from headwater.text.decompression import ZlibDecompressor


class BudgetShare:
    """What one body has taken."""

    __slots__ = ("size",)

    def __init__(self) -> None:
        self.size = 0


class MemoryBudget:
    """Lives in one event loop. Whoever grows while the budget is used up waits for others to finish. One of them is
    chosen to go on all the same, until it is finished, so that somebody always does."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._chosen: BudgetShare | None = None
        self._waiting: deque[asyncio.Future[None]] = deque()
        self.used = 0

    def full(self) -> bool:
        return self.used > self._limit

    def take(self, share: BudgetShare, size: int) -> None:
        share.size += size
        self.used += size

    async def room(self, share: BudgetShare) -> None:
        """Until this body may grow."""
        while self.full() and not self._choose(share):
            turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            await turn

    def end(self, share: BudgetShare) -> None:
        """This body does not grow any more. What it has taken stays taken until it is given back."""
        if self._chosen is share:
            self._chosen = None
            self._wake()

    def release(self, size: int) -> None:
        self.used -= size
        self._wake()

    def _choose(self, share: BudgetShare) -> bool:
        if self._chosen is None:
            self._chosen = share
        return self._chosen is share

    def _wake(self) -> None:
        """All when there is room; else the first, if nobody is chosen. One that gave up is passed over."""
        while self._waiting and (not self.full() or self._chosen is None):
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                if self.full():
                    return


# Bodies below this are the usual case and never wait for memory.
_SMALL = 64 * 1024
_TEXTUAL = (
    "text/",
    "application/xml",
    "application/rss",
    "application/atom",
    "application/json",
    "application/rdf",
)


class BodyReader:
    def __init__(self, limit: int, budget: MemoryBudget) -> None:
        self._limit = limit
        self._budget = budget

    async def read(
        self,
        stream: aiohttp.StreamReader,
        headers: Mapping[str, str],
        watch: Deadline,
        enough: int | None = None,
    ) -> bytes:
        """The whole body, or as much of it as is enough. What it weighs stays taken from the buffers; whoever ends it
        gives it back."""
        if enough is None:
            self._check_length(headers)
        share = BudgetShare()
        try:
            decode = decoder_for(headers.get("content-encoding", ""))
            body = await self._stream(stream, decode, share, watch, enough)
            return self._undeclared(headers, body, share) if body[:2] == b"\x1f\x8b" else body
        except BaseException:
            self._budget.release(share.size)
            raise
        finally:
            self._budget.end(share)

    async def _stream(
        self,
        stream: aiohttp.StreamReader,
        decode: ContentDecoder | None,
        share: BudgetShare,
        watch: Deadline,
        enough: int | None,
    ) -> bytes:
        parts: list[bytes] = []
        wire = 0
        while piece := await stream.readany():
            watch.moved()
            wire += len(piece)
            part = piece if decode is None else decode.feed(piece, self._limit - share.size)
            parts.append(part)
            self._budget.take(share, len(part))
            if enough is not None and share.size >= enough:
                return b"".join(parts)
            self._check_size(wire, share.size)
            if share.size > _SMALL and self._budget.full():
                await self._rest(share, watch)
        _check_complete(decode)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    async def _rest(self, share: BudgetShare, watch: Deadline) -> None:
        # Waiting for our own memory is not the server's fault: the time is added to the request's.
        clock = asyncio.get_running_loop().time
        began = clock()
        await self._budget.room(share)
        watch.extend(clock() - began)

    def _undeclared(self, headers: Mapping[str, str], body: bytes, share: BudgetShare) -> bytes:
        """Text that arrives compressed without a word about it. Files that are compressed themselves stay as they are."""
        if headers.get("content-encoding") or not headers.get("content-type", "").lower().startswith(
            _TEXTUAL
        ):
            return body
        inflate = ContentDecoder(ZlibDecompressor())
        text = inflate.feed(body, self._limit)
        self._check_size(0, len(text))
        _check_complete(inflate)
        self._budget.take(share, len(text) - len(body))
        return text

    def _check_length(self, headers: Mapping[str, str]) -> None:
        length = headers.get("content-length", "")
        if length.isdecimal() and int(length[:20]) > self._limit:
            raise FetchStopped("too_large", f"{length[:20]} bytes announced", temporary=False)

    def _check_size(self, wire: int, size: int) -> None:
        if wire > self._limit or size > self._limit:
            raise FetchStopped("too_large", f"more than {self._limit} bytes", temporary=False)


def _check_complete(decode: ContentDecoder | None) -> None:
    if decode is not None and not decode.complete():
        raise FetchStopped("truncated", "the encoded body ends too early")
