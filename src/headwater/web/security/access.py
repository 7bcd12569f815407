"""Whether a request may be carried out: its key, the scope of that key, and how often it was used."""

import hmac
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from headwater.model.api_key import ApiKey, KeyScope, hash_secret, matches_hash, split_api_key
from headwater.web.problems import HttpProblem
from headwater.web.security.hosts import is_loopback
from headwater.web.security.token_bucket import TokenBuckets

FAILURES_PER_SECOND, FAILURES_AT_ONCE = 0.2, 20
REQUESTS_PER_SECOND = 50.0
FORWARDING_HEADERS = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via")
FindKey = Callable[[str], tuple[ApiKey, str] | None]


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: the client's address, the host name that it used, and the headers with small names."""

    address: str
    headers: Mapping[str, str]

    @property
    def is_local(self) -> bool:
        """A program on this machine that asked this server itself. A proxy on this machine asks for others."""
        is_forwarded = any(name in self.headers for name in FORWARDING_HEADERS)
        return is_loopback(self.address) and is_loopback(self.headers.get("host", "")) and not is_forwarded

    @property
    def key_text(self) -> str:
        kind, _, token = self.headers.get("authorization", "").partition(" ")
        return token.strip() if kind.lower() == "bearer" else self.headers.get("x-api-key", "")


@dataclass
class AccessControl:
    """`find_key` finds a stored key by its id. `settings_key` is that of the setting `api_key`, which may operate. A server
    that listens on this machine alone (`is_local`) lets local callers read without a key."""

    find_key: FindKey
    settings_key: str = field(default="", repr=False)
    is_local: bool = False
    monotonic: Callable[[], float] = time.monotonic
    failures: TokenBuckets = field(
        default_factory=lambda: TokenBuckets(FAILURES_PER_SECOND, FAILURES_AT_ONCE)
    )
    requests: TokenBuckets = field(
        default_factory=lambda: TokenBuckets(REQUESTS_PER_SECOND, 2 * REQUESTS_PER_SECOND)
    )

    def admit(self, caller: Caller, scope: KeyScope) -> str:
        """The id of the caller's key, or "" for a local caller without one. Raises HttpProblem."""
        text = caller.key_text
        if not text and scope is KeyScope.READ and self.is_local and caller.is_local:
            return ""
        return self.admit_key(self.identify(caller), scope)

    def identify(self, caller: Caller, text: str | None = None) -> ApiKey:
        """The key that a caller shows, or typed when signing in. Raises HttpProblem if it is none of ours."""
        shown = caller.key_text if text is None else text
        key = self._key(shown)
        if key is None:
            raise self._refusal(caller, has_key=bool(shown))
        return key

    def admit_key(self, key: ApiKey, scope: KeyScope) -> str:
        """The id of the key, if its scope suffices and it is not used too often. Raises HttpProblem."""
        if key.scope < scope:
            raise HttpProblem(
                403,
                "scope_too_small",
                f"this needs a key with the scope {scope.label}; yours is for {key.scope.label}",
            )
        if wait := self.requests.take(key.id, self.monotonic()):
            raise _too_many(wait)
        return key.id

    def session_owner(self, key: ApiKey) -> str:
        """What a session remembers of its key. Another key in the settings ends the sessions of the former one."""
        if key != SETTINGS_KEY:
            return key.id
        return f"{SETTINGS_KEY.id}-{hash_secret(self.settings_key)[:16]}"

    def key_of_session(self, owner: str) -> ApiKey | None:
        """The key with which a session began, unless it was revoked."""
        if self.settings_key and owner == self.session_owner(SETTINGS_KEY):
            return SETTINGS_KEY
        stored = self.find_key(owner)
        return stored[0] if stored else None

    def _key(self, text: str) -> ApiKey | None:
        key_id, secret = split_api_key(text)
        stored = self.find_key(key_id) if key_id else None
        if matches_hash(secret, stored[1] if stored else None) and stored is not None:
            return stored[0]
        shown, expected = (part.encode("utf-8", "surrogateescape") for part in (text, self.settings_key))
        if expected and hmac.compare_digest(shown, expected):
            return SETTINGS_KEY
        return None

    def _refusal(self, caller: Caller, *, has_key: bool) -> HttpProblem:
        if has_key and (wait := self.failures.take(caller.address, self.monotonic())):
            return _too_many(wait)
        sentence = "the key is wrong or was revoked" if has_key else "send a key: Authorization: Bearer KEY"
        return HttpProblem(
            401,
            "wrong_key" if has_key else "no_key",
            f"{sentence}; `headwater keys create` makes one",
            {"WWW-Authenticate": "Bearer"},
        )


SETTINGS_KEY = ApiKey("settings", "api_key", KeyScope.OPERATE, datetime.min.replace(tzinfo=UTC))


def _too_many(wait: float) -> HttpProblem:
    return HttpProblem(429, "too_many_requests", "wait a moment", {"Retry-After": str(int(wait) + 1)})
