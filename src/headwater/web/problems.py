"""Errors as problem details (RFC 9457): one shape for every error of the API."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import msgspec
from starlette.responses import Response

from headwater.model.errors import HeadwaterError, MovedAway, Permanent, Refused, Temporary

PROBLEM_TYPE = "application/problem+json"
UNKNOWN_REASONS = frozenset({"not_quarantined", "no_such_record"})
CONFLICTS = frozenset(
    {"item_done", "name_taken", "not_now", "replay_under_way", "run_under_way", "request_under_way"}
)
FORBIDDEN = frozenset({"scope_too_small"})


class HttpProblem(Exception):
    """An answer other than success. `reason` is a short code, `detail` a sentence that says what to do."""

    def __init__(
        self,
        status: int,
        reason: str,
        detail: str,
        headers: Mapping[str, str] | None = None,
        **members: Any,
    ) -> None:
        super().__init__(reason)
        self.status, self.reason, self.detail = status, reason, detail
        self.headers, self.members = dict(headers or {}), members

    def response(self) -> Response:
        return problem_response(self.status, self.reason, self.detail, self.headers, **self.members)


def problem_response(
    status: int, reason: str, detail: str, headers: Mapping[str, str] | None = None, **members: Any
) -> Response:
    record = {
        "type": f"urn:headwater:problem:{reason}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        **members,
    }
    return Response(msgspec.json.encode(record), status, dict(headers or {}), PROBLEM_TYPE)


def problem_of(error: HeadwaterError) -> HttpProblem:
    """What an error of Headwater means to a caller."""
    if isinstance(error, MovedAway):
        return HttpProblem(410, "moved_away", error.detail)
    if isinstance(error, Temporary):
        return HttpProblem(503, error.reason, "try again later", {"Retry-After": "10"})
    if isinstance(error, Refused):
        return HttpProblem(_status_of(error.reason), error.reason, error.detail)
    assert isinstance(error, Permanent)
    return HttpProblem(422, error.reason, error.detail)


def _status_of(reason: str) -> int:
    if reason.startswith("unknown_") or reason in UNKNOWN_REASONS:
        return 404
    return 409 if reason in CONFLICTS else 400
