"""One question to an interface and what its answer means."""

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import msgspec

from headwater.discover.api.credential import Credential
from headwater.model.errors import Permanent, Temporary
from headwater.model.recipe import Found
from headwater.model.web import Request, Response

Asking = Generator[Request | Found, Response | None, Any]

# Statuses that say something about the key or the question, which a plain fetcher could only guess at.
_UNDERSTOOD = frozenset({400, 401, 403, 404, 422})
_KEY_LIKE = frozenset({"apikey", "api_key", "key", "token", "access_token"})


@dataclass(frozen=True, slots=True)
class Api:
    """Where to ask, on whose account and under which kind's budget."""

    base: str
    kind: str
    credential: Credential | None = None

    def question(self, path: str, **parameters: Any) -> Request:
        given = {name: str(value) for name, value in parameters.items() if value is not None}
        query = f"?{urlencode(given, safe=',:-')}" if given else ""
        return self._request(f"{self.base.rstrip('/')}{path}{query}")

    def following(self, next_url: str) -> Request:
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
            accept=_UNDERSTOOD if credential else frozenset(),
        )


def ask(api: Api, request: Request) -> Asking:
    """The answer, decoded; None when there is no such thing."""
    response = yield request
    assert response is not None
    if response.status == 404:
        return None
    if api.credential is not None and response.status in _UNDERSTOOD:
        raise _refused(response.status, api.credential)
    return decoded(response)


def _refused(status: int, credential: Credential) -> Permanent:
    if status == 401:
        return Permanent("key_refused", f"the key in {credential.named} is not known there")
    if status == 403:
        return Permanent("not_entitled", f"the key in {credential.named} may not ask for this")
    return Permanent(f"http_{status}", f"status {status}")


def decoded(response: Response) -> Any:
    """What the body says. One that is cut short or no JSON at all may be whole the next time."""
    try:
        return msgspec.json.decode(response.body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Temporary("bad_json", "the answer is not whole JSON") from error


def listed(payload: Any, name: str) -> list[Mapping[str, Any]]:
    """The records under a name; absent or null is none. Anything that is no record is left out."""
    found = payload.get(name) if isinstance(payload, Mapping) else None
    return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []
