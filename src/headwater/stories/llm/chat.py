"""One question to an OpenAI-compatible endpoint: to that address alone, for a bounded time, with a bounded answer.

The key travels in one header to the address of the settings and nowhere else: redirects are not followed, proxies of
the environment are not used, cookies are not kept, and errors name the status alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import aiohttp
import msgspec

from headwater.fetch.responses import retry_after
from headwater.model.errors import Permanent, Refused, Temporary
from headwater.model.ports import Clock

MAX_ANSWER_BYTES = 1024 * 1024
RETRY_DELAY = timedelta(minutes=1)
MAX_RETRY_DELAY = timedelta(hours=1)
DEFAULT_OPTIONS: Mapping[str, Any] = {"temperature": 0, "response_format": {"type": "json_object"}}
# The endpoint is overrun and took nothing: no fault of the document, and nothing to pay.
OVERLOADED_STATUSES = frozenset({425, 429, 503})
# Somebody on the way gave up waiting: the answer may have been written, and paid for.
MAYBE_PAID_STATUSES = frozenset({408, 502, 504})
CONNECTION_BROKEN = "endpoint_broke_off"
UNAVAILABLE_REASONS = frozenset({CONNECTION_BROKEN, *(f"http_{status}" for status in MAYBE_PAID_STATUSES)})
# The endpoint does not take us, whatever is asked.
REFUSED_STATUSES = {
    401: "refused the key",
    402: "wants to be paid",
    403: "refused the key",
    404: "knows no such address or model",
}


class ChatMessage(msgspec.Struct, frozen=True):
    content: str | None = None
    refusal: str | None = None


class ChatChoice(msgspec.Struct, frozen=True):
    message: ChatMessage
    finish_reason: str | None = None


class Usage(msgspec.Struct, frozen=True):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class Completion(msgspec.Struct, frozen=True):
    choices: list[ChatChoice]
    model: str = ""
    usage: Usage | None = None


class ErrorBody(msgspec.Struct, frozen=True):
    code: Any = None
    type: Any = None


class ErrorResponse(msgspec.Struct, frozen=True):
    error: ErrorBody = ErrorBody()


NO_USAGE = Usage()


@dataclass(frozen=True)
class ChatReply:
    """`model` is who the endpoint says answered."""

    text: str
    model: str
    cut: bool = False
    usage: Usage = NO_USAGE


@dataclass(frozen=True, kw_only=True)
class EndpointClient:
    """As whom an endpoint is spoken to, and how patiently; `where` is the setting that a complaint names."""

    clock: Clock
    key: str = field(default="", repr=False)
    seconds: float = 60.0
    where: str = "agent"

    def session(self) -> aiohttp.ClientSession:
        """For what is asked; to be closed by whoever opened it."""
        headers = {"User-Agent": "headwater", "Accept": "application/json"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        return aiohttp.ClientSession(
            headers=headers,
            timeout=aiohttp.ClientTimeout(total=self.seconds),
            cookie_jar=aiohttp.DummyCookieJar(),
            trust_env=False,
        )

    async def exchange(
        self, session: aiohttp.ClientSession, method: str, address: str, largest: int, **sent: Any
    ) -> bytes:
        """The body of a good answer. Temporary: later; it counts unless it is certain that nothing was taken. Permanent: not
        this. Refused: not with these settings."""
        try:
            async with session.request(method, address, allow_redirects=False, **sent) as response:
                raw = await _bounded(response.content, largest)
                self._judge(response.status, response.headers, raw)
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            told = type(error).__name__
            raise Temporary("endpoint_unreachable", told, delay=RETRY_DELAY, counts=False) from error
        except TimeoutError as error:
            raise Temporary(
                "endpoint_slow", f"no answer within {self.seconds:g} s", delay=RETRY_DELAY
            ) from error
        except aiohttp.ClientError as error:
            raise Temporary(CONNECTION_BROKEN, type(error).__name__, delay=RETRY_DELAY) from error
        return raw

    def _judge(self, status: int, headers: Mapping[str, str], raw: bytes) -> None:
        if 200 <= status < 300:
            return
        if status == 429 and _is_spent(raw):
            raise Refused(
                "quota_spent", f"{self.where}: the endpoint says that the quota of this key is spent"
            )
        if status in OVERLOADED_STATUSES | MAYBE_PAID_STATUSES:
            wish = min(retry_after(headers, self.clock()) or RETRY_DELAY, MAX_RETRY_DELAY)
            raise Temporary(f"http_{status}", "not now", delay=wish, counts=status in MAYBE_PAID_STATUSES)
        if status >= 500:
            raise Temporary(f"http_{status}", "the endpoint failed", delay=RETRY_DELAY)
        if status < 400:
            raise Refused(
                "endpoint_moved",
                f"{self.where}.endpoint: it answers with a redirect, which is not followed; give the final address",
            )
        if status in REFUSED_STATUSES:
            raise Refused(
                "endpoint_refused",
                f"{self.where}: the endpoint {REFUSED_STATUSES[status]} (it answered {status})",
            )
        raise Permanent(f"http_{status}", "the endpoint does not take this document")


@dataclass(frozen=True, kw_only=True)
class ChatClient(EndpointClient):
    address: str
    model: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def body(self, conversation: Sequence[Mapping[str, str]], **more: Any) -> dict[str, Any]:
        """What is asked; an option that is null takes away what would be there without it."""
        asked = {**DEFAULT_OPTIONS, **more, **self.options, "model": self.model, "messages": conversation}
        return {name: value for name, value in asked.items() if value is not None}

    async def ask(
        self, session: aiohttp.ClientSession, conversation: Sequence[Mapping[str, str]], **more: Any
    ) -> ChatReply:
        """Temporary: later. Permanent: not with this conversation. Refused: not with these settings."""
        body = msgspec.json.encode(self.body(conversation, **more))
        headers = {"Content-Type": "application/json"}
        return parse_completion(
            await self.exchange(session, "POST", self.address, MAX_ANSWER_BYTES, data=body, headers=headers)
        )


async def _bounded(content: aiohttp.StreamReader, largest: int) -> bytes:
    """What is longer than any answer may be is cut, and so becomes none."""
    parts, size = [], 0
    async for part in content.iter_chunked(64 * 1024):
        parts.append(part)
        size += len(part)
        if size > largest:
            break
    return b"".join(parts)[:largest]


def _is_spent(raw: bytes) -> bool:
    try:
        trouble = msgspec.json.decode(raw, type=ErrorResponse).error
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return False
    return "insufficient_quota" in (trouble.code, trouble.type)


def parse_completion(raw: bytes) -> ChatReply:
    """What a chat completion says."""
    try:
        completion = msgspec.json.decode(raw, type=Completion)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise Temporary(
            "bad_completion", "the endpoint's answer is no chat completion", delay=RETRY_DELAY
        ) from error
    if not completion.choices:
        raise Temporary("bad_completion", "the endpoint gave no choice", delay=RETRY_DELAY)
    choice = completion.choices[0]
    if choice.message.refusal:
        raise Permanent("model_refused", "the model refused to answer")
    return ChatReply(
        choice.message.content or "",
        completion.model[:200],
        choice.finish_reason == "length",
        completion.usage or NO_USAGE,
    )
