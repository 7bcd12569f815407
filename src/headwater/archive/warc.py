"""Captures as WARC records (ISO 28500): raw bytes with their headers, readable by any tool for web archives."""

from collections.abc import Sequence
from datetime import UTC
from http import HTTPStatus
from uuid import UUID

from headwater.model.http import Capture

# The body is stored decoded and whole; these headers would contradict it.
TRANSFER_HEADERS = frozenset({"content-encoding", "transfer-encoding", "content-length", "connection"})

PHRASES = {status.value: status.phrase for status in HTTPStatus}


def encode_pack(captures: Sequence[tuple[Capture, bytes]]) -> tuple[bytes, list[int]]:
    """One file of records, and where in it each body starts. The same captures result in the same bytes."""
    parts: list[bytes] = []
    starts: list[int] = []
    length = 0
    for capture, body in captures:
        head = _record_head(capture, body)
        starts.append(length + len(head))
        parts += (head, body, b"\r\n\r\n")
        length += len(head) + len(body) + 4
    return b"".join(parts), starts


def _record_head(capture: Capture, body: bytes) -> bytes:
    http = _http_head(capture, len(body))
    number = UUID(bytes=bytes.fromhex(capture.sha256)[:16], version=5)
    lines = (
        "WARC/1.1",
        "WARC-Type: response",
        f"WARC-Record-ID: <urn:uuid:{number}>",
        f"WARC-Date: {capture.fetched_at.astimezone(UTC).strftime('%Y-%m-%dT%H:%M:%S.%fZ')}",
        f"WARC-Target-URI: {_one_line(capture.final_url)}",
        f"WARC-Payload-Digest: sha256:{capture.sha256}",
        "Content-Type: application/http;msgtype=response",
        f"Content-Length: {len(http) + len(body)}",
    )
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + http


def _http_head(capture: Capture, size: int) -> bytes:
    lines = [f"HTTP/1.1 {capture.status} {PHRASES.get(capture.status, 'Unknown')}"]
    lines += [
        f"{_one_line(name)}: {_one_line(value)}"
        for name, value in capture.headers.items()
        if name.lower() not in TRANSFER_HEADERS
    ]
    lines.append(f"Content-Length: {size}")
    return "\r\n".join(lines).encode("utf-8", "replace") + b"\r\n\r\n"


def _one_line(text: str) -> str:
    """A header value must not start another line."""
    return text.replace("\r", " ").replace("\n", " ")
