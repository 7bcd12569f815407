"""Answers with an ETag: a caller that has the same bytes already gets 304."""

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from headwater.text.redaction import redact_record

JSON = "application/json"


def json_answer_to(request: Request, value: Any, *, status: int = 200, redact: bool = True) -> Response:
    """Secrets in URLs are hidden unless the value has none."""
    return bytes_answer_to(
        request, msgspec.json.encode(redact_record(value) if redact else value), JSON, status=status
    )


def bytes_answer_to(
    request: Request,
    body: bytes,
    media_type: str,
    *,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> Response:
    if request.method != "GET" or status != 200:
        return Response(body, status, dict(headers or {}), media_type)
    etag = f'"{blake2b(body, digest_size=12).hexdigest()}"'
    all_headers = {"ETag": etag, "Cache-Control": "private, no-cache", "Vary": "Accept", **(headers or {})}
    if not {etag, "*"}.isdisjoint(_known_etags(request.headers.get("if-none-match", ""))):
        return Response(status_code=304, headers=all_headers)
    return Response(body, status, all_headers, media_type)


def _known_etags(header: str) -> set[str]:
    """A proxy that compresses marks them as weak. The star stands for any."""
    return {part.strip().removeprefix("W/").replace('-gzip"', '"') for part in header.split(",")}
