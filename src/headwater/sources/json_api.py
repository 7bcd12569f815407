"""One question to an interface and what its answer means."""

import os
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from math import isfinite
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import msgspec

from headwater.model.errors import Permanent, Temporary
from headwater.model.http import Request, Response
from headwater.model.recipe import LeadBatch
from headwater.text.dates import parse_iso_date

RETRY_WITHOUT_KEY = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Credential:
    """A key by its name, under which requests are counted. `variables` says which variable of the environment holds
    the value of which header; `scheme` stands before each value."""

    name: str
    variables: Mapping[str, str]
    scheme: str = ""
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)

    def headers(self) -> dict[str, str]:
        """The headers that carry the key. Without it a source waits; that is no failure of the source."""
        missing = [name for name in self.variables.values() if not self.environment.get(name, "").strip()]
        if missing:
            told = f"set {' and '.join(missing)} in the environment"
            raise Temporary("key_missing", told, delay=RETRY_WITHOUT_KEY, counts=False)
        return {
            header: f"{self.scheme}{self.environment[name].strip()}"
            for header, name in self.variables.items()
        }

    @property
    def variable_names(self) -> str:
        """The variables, for a sentence."""
        return " and ".join(self.variables.values())


ApiCall = Generator[Request | LeadBatch, Response | None, Any]

# Statuses that say something about the key or the question, which a plain fetcher could only guess at.
_CLIENT_ERRORS = frozenset({400, 401, 403, 404, 422})
_KEY_LIKE = frozenset({"apikey", "api_key", "key", "token", "access_token"})


@dataclass(frozen=True, slots=True)
class JsonApi:
    """Where to ask, on whose account and under which kind's budget."""

    base: str
    kind: str
    credential: Credential | None = None

    def build_request(self, path: str, **parameters: Any) -> Request:
        given = {name: str(value) for name, value in parameters.items() if value is not None}
        query = f"?{urlencode(given, safe=',:-')}" if given else ""
        return self._request(f"{self.base.rstrip('/')}{path}{query}")

    def next_page(self, next_url: str) -> Request:
        """The next page, always at our own address: whatever host the answer names, the key goes to no other. A key
        that is part of the link is taken out of it."""
        parts, home = urlsplit(next_url), urlsplit(self.base)
        kept = [
            pair
            for pair in parse_qsl(parts.query, keep_blank_values=True)
            if pair[0].lower() not in _KEY_LIKE
        ]
        path = parts.path if parts.path.startswith("/") else f"/{parts.path}"
        return self._request(urlunsplit((home.scheme, home.netloc, path, urlencode(kept), "")))

    def _request(self, url: str) -> Request:
        credential = self.credential
        return Request(
            url=url,
            headers={"Accept": "application/json"},
            purpose="api",
            source_kind=self.kind,
            credential=credential.name if credential else None,
            secrets=credential.headers() if credential else {},
            accept=_CLIENT_ERRORS if credential else frozenset(),
        )


def fetch_json(api: JsonApi, request: Request) -> ApiCall:
    """The answer, decoded; None when there is no such thing."""
    response = yield request
    assert response is not None
    if response.status == 404:
        return None
    if api.credential is not None and response.status in _CLIENT_ERRORS:
        raise _refused(response.status, api.credential)
    return decode_json(response)


def _refused(status: int, credential: Credential) -> Permanent:
    if status == 401:
        return Permanent("key_refused", f"the key in {credential.variable_names} is not known there")
    if status == 403:
        return Permanent("not_entitled", f"the key in {credential.variable_names} may not ask for this")
    return Permanent(f"http_{status}", f"status {status}")


def decode_json(response: Response) -> Any:
    """What the body says. One that is cut short or no JSON at all may be whole the next time."""
    try:
        return msgspec.json.decode(response.body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Temporary("bad_json", "the answer is not whole JSON") from error


def records_under(payload: Any, name: str) -> list[Mapping[str, Any]]:
    """The records under a name; absent or null is none. Anything that is no record is left out."""
    found = payload.get(name) if isinstance(payload, Mapping) else None
    return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []


def parse_timestamp(text: Any) -> datetime | None:
    """A moment as interfaces write it, in UTC; nanoseconds are cut to what a clock here can hold."""
    if not isinstance(text, str) or not text:
        return None
    moment = parse_iso_date(text)
    try:
        return None if moment is None else moment.astimezone(UTC)
    except OverflowError:
        return None


def timestamp_or(text: str | None, otherwise: datetime) -> datetime:
    """A moment of our own memory, or another one where there is none."""
    return parse_timestamp(text) or otherwise


def text_value(value: Any) -> str:
    """A text as it is, anything else as nothing."""
    return value.strip() if isinstance(value, str) else ""


def text_values(value: Any) -> list[str]:
    """The texts of a list."""
    return [one.strip() for one in value if text_value(one)] if isinstance(value, list) else []


def number_value(value: Any) -> float | None:
    """A number, also one that is written as text; nothing that is not finite."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if isfinite(found) else None
