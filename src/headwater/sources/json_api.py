"""JSON APIs: requests with a key from the environment, their answers, and the values in them."""

import os
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import isfinite
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from headwater.model.errors import Permanent, Temporary
from headwater.model.http import Request, Response
from headwater.model.recipe import LeadBatch
from headwater.model.source import Source
from headwater.text.dates import parse_timestamp
from headwater.text.json_payload import BadJson, decode_payload

RETRY_WITHOUT_KEY = timedelta(hours=1)
ApiCall = Generator[Request | LeadBatch, Response | None, Any]
# Statuses that concern the key or the request; the generic fetcher cannot tell what they mean.
_CLIENT_ERRORS = frozenset({400, 401, 403, 404, 422})
_KEY_PARAMETERS = frozenset({"apikey", "api_key", "key", "token", "access_token"})


@dataclass(frozen=True, slots=True)
class Credential:
    """An API key. Requests are counted under `name`; `variables` maps each header to the environment variable that holds
    its value; `scheme` precedes each value."""

    name: str
    variables: Mapping[str, str]
    scheme: str = ""
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)

    def headers(self) -> dict[str, str]:
        """The headers with the key. Without a key the source waits; this does not count as a failure."""
        missing = [name for name in self.variables.values() if not self.environment.get(name, "").strip()]
        if missing:
            message = f"set {' and '.join(missing)} in the environment"
            raise Temporary("key_missing", message, delay=RETRY_WITHOUT_KEY, counts=False)
        return {
            header: f"{self.scheme}{self.environment[name].strip()}"
            for header, name in self.variables.items()
        }

    @property
    def variable_names(self) -> str:
        """The environment variables, for messages."""
        return " and ".join(self.variables.values())


@dataclass(frozen=True, slots=True)
class JsonApi:
    """The base URL of an API, the key, and the source kind whose request budget is used."""

    base: str
    kind: str
    credential: Credential | None = None

    def build_request(self, path: str, **parameters: Any) -> Request:
        values = {name: str(value) for name, value in parameters.items() if value is not None}
        query = f"?{urlencode(values, safe=',:-')}" if values else ""
        return self._request(f"{self.base.rstrip('/')}{path}{query}")

    def next_page(self, next_url: str) -> Request:
        """The request for the next page, always at the base URL: the key is sent to no other host, whatever the link
        says. A key inside the link is removed."""
        parts, base = urlsplit(next_url), urlsplit(self.base)
        parameters = [
            pair
            for pair in parse_qsl(parts.query, keep_blank_values=True)
            if pair[0].lower() not in _KEY_PARAMETERS
        ]
        path = parts.path if parts.path.startswith("/") else f"/{parts.path}"
        return self._request(urlunsplit((base.scheme, base.netloc, path, urlencode(parameters), "")))

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


ApiForSource = Callable[[Source], JsonApi]
"""The API that a source is polled at: its options may name another server."""


def fetch_json(api: JsonApi, request: Request, *, may_be_missing: bool = False) -> ApiCall:
    """Request and decode. For a record that may be missing, one that is looked up by its name, status 404 means None; a list always
    exists, so there it is a failure: the API has moved."""
    response = yield request
    assert response is not None
    if response.status == 404 and may_be_missing:
        return None
    if api.credential is not None and response.status in _CLIENT_ERRORS:
        raise _client_error(response.status, api.credential)
    return decode_json(response)


def _client_error(status: int, credential: Credential) -> Permanent:
    if status == 401:
        return Permanent("key_refused", f"the key in {credential.variable_names} was not accepted")
    if status == 403:
        return Permanent(
            "not_entitled", f"the key in {credential.variable_names} is not entitled to this request"
        )
    return Permanent(f"http_{status}", f"status {status}")


def decode_json(response: Response) -> Any:
    """The decoded body. Truncated or invalid JSON is a temporary failure: the next answer may be complete."""
    try:
        return decode_payload(response.body)
    except BadJson as error:
        raise Temporary("bad_json", f"the answer is not valid JSON: {error}") from error


def records_under(payload: Any, name: str) -> list[Mapping[str, Any]]:
    """The objects in the list under `name`; empty if it is missing or null."""
    records = payload.get(name) if isinstance(payload, Mapping) else None
    return [record for record in records if isinstance(record, Mapping)] if isinstance(records, list) else []


def timestamp_or(text: str | None, otherwise: datetime) -> datetime:
    """The timestamp, or `otherwise` if there is none."""
    return parse_timestamp(text) or otherwise


def text_value(value: Any) -> str:
    """The stripped text; empty for any other type."""
    return value.strip() if isinstance(value, str) else ""


def text_values(value: Any) -> list[str]:
    """The texts in a list."""
    return [text.strip() for text in value if text_value(text)] if isinstance(value, list) else []


def number_value(value: Any) -> float | None:
    """A finite number, or a text that is one; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if isfinite(number) else None
