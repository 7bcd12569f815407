"""Reading a body: streamed, decoded, within its limits, and complete."""

import asyncio
from collections.abc import Mapping

import aiohttp

from headwater.fetch.buffers import Buffers, Share
from headwater.fetch.deadlines import Watch
from headwater.fetch.decoding import Decoder, Inflate, decoder
from headwater.fetch.failures import Stopped

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


class Bodies:
    def __init__(self, limit: int, buffers: Buffers) -> None:
        self._limit = limit
        self._buffers = buffers

    async def read(
        self,
        stream: aiohttp.StreamReader,
        headers: Mapping[str, str],
        watch: Watch,
        enough: int | None = None,
    ) -> bytes:
        """The whole body, or as much of it as is enough. What it weighs stays taken from the buffers; whoever ends it
        gives it back."""
        if enough is None:
            self._check_length(headers)
        share = Share()
        try:
            decode = decoder(headers.get("content-encoding", ""))
            body = await self._stream(stream, decode, share, watch, enough)
            return self._undeclared(headers, body, share) if body[:2] == b"\x1f\x8b" else body
        except BaseException:
            self._buffers.give(share.size)
            raise
        finally:
            self._buffers.end(share)

    async def _stream(
        self,
        stream: aiohttp.StreamReader,
        decode: Decoder | None,
        share: Share,
        watch: Watch,
        enough: int | None,
    ) -> bytes:
        parts: list[bytes] = []
        wire = 0
        while piece := await stream.readany():
            watch.moved()
            wire += len(piece)
            part = piece if decode is None else decode.feed(piece, self._limit - share.size)
            parts.append(part)
            self._buffers.take(share, len(part))
            if enough is not None and share.size >= enough:
                return b"".join(parts)
            self._check_size(wire, share.size)
            if share.size > _SMALL and self._buffers.full():
                await self._rest(share, watch)
        _check_complete(decode)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    async def _rest(self, share: Share, watch: Watch) -> None:
        # Waiting for our own memory is not the server's fault: the time is added to the request's.
        clock = asyncio.get_running_loop().time
        began = clock()
        await self._buffers.room(share)
        watch.extend(clock() - began)

    def _undeclared(self, headers: Mapping[str, str], body: bytes, share: Share) -> bytes:
        """Text that arrives compressed without a word about it. Files that are compressed themselves stay as they are."""
        if headers.get("content-encoding") or not headers.get("content-type", "").lower().startswith(
            _TEXTUAL
        ):
            return body
        inflate = Inflate(gzip=True)
        text = inflate.feed(body, self._limit)
        self._check_size(0, len(text))
        _check_complete(inflate)
        self._buffers.take(share, len(text) - len(body))
        return text

    def _check_length(self, headers: Mapping[str, str]) -> None:
        length = headers.get("content-length", "")
        if length.isdecimal() and int(length[:20]) > self._limit:
            raise Stopped("too_large", f"{length[:20]} bytes announced", temporary=False)

    def _check_size(self, wire: int, size: int) -> None:
        if wire > self._limit or size > self._limit:
            raise Stopped("too_large", f"more than {self._limit} bytes", temporary=False)


def _check_complete(decode: Decoder | None) -> None:
    if decode is not None and not decode.complete():
        raise Stopped("truncated", "the encoded body ends too early")
