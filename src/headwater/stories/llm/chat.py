"""A client for OpenAI-compatible chat endpoints. Every call has a time limit and a size limit.

The key travels in one header to the configured address and nowhere else: the client follows no redirects, uses no proxies
from the environment, keeps no cookies, and its errors name only the status.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import aiohttp
import msgspec

from headwater.fetch.responses import retry_after
from headwater.model.errors import Permanent, Refused, Temporary
from headwater.model.ports import Clock
from headwater.model.summaries import Messages, ModelReply
from headwater.stories.llm.answers import CONNECTION_BROKEN, MAYBE_PAID_STATUSES, RETRY_DELAY

MAX_ANSWER_BYTES = 1024 * 1024
MAX_RETRY_DELAY = timedelta(hours=1)
DEFAULT_OPTIONS: Mapping[str, Any] = {"temperature": 0, "response_format": {"type": "json_object"}}
# The endpoint is overloaded and did nothing: the input is not at fault, and nothing is charged.
OVERLOADED_STATUSES = frozenset({425, 429, 503})
# The endpoint refuses every request with these settings.
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


@dataclass(frozen=True, kw_only=True)
class EndpointClient:
    """Access to one endpoint. `where` is the setting that error messages name."""

    clock: Clock
    key: str = field(default="", repr=False)
    seconds: float = 60.0
    where: str = "agent"

    def session(self) -> aiohttp.ClientSession:
        """The caller closes it."""
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
        """The body of a successful response. Raises Temporary (try later; it counts unless it is certain that nothing was
        charged), Permanent (not with this input) or Refused (not with these settings)."""
        try:
            async with session.request(method, address, allow_redirects=False, **sent) as response:
                raw = await _bounded(response.content, largest)
                self._judge(response.status, response.headers, raw)
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            raise Temporary(
                "endpoint_unreachable", type(error).__name__, delay=RETRY_DELAY, counts=False
            ) from error
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
        if status == 429 and _is_quota_used_up(raw):
            raise Refused(
                "quota_spent", f"{self.where}: the endpoint reports that the quota of this key is used up"
            )
        if status in OVERLOADED_STATUSES | MAYBE_PAID_STATUSES:
            delay = min(retry_after(headers, self.clock()) or RETRY_DELAY, MAX_RETRY_DELAY)
            raise Temporary(f"http_{status}", "not now", delay=delay, counts=status in MAYBE_PAID_STATUSES)
        if status >= 500:
            raise Temporary(f"http_{status}", "the endpoint failed", delay=RETRY_DELAY)
        if status < 400:
            raise Refused(
                "endpoint_moved",
                f"{self.where}.endpoint: it answers with a redirect, and Headwater follows none; set the final address",
            )
        if status in REFUSED_STATUSES:
            raise Refused(
                "endpoint_refused",
                f"{self.where}: the endpoint {REFUSED_STATUSES[status]} (it answered {status})",
            )
        raise Permanent(f"http_{status}", "the endpoint rejects this input")


@dataclass(frozen=True, kw_only=True)
class ChatClient(EndpointClient):
    address: str
    model: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def body(self, messages: Messages, **more: Any) -> dict[str, Any]:
        """The request. An option that is null removes a default."""
        body = {**DEFAULT_OPTIONS, **more, **self.options, "model": self.model, "messages": messages}
        return {name: value for name, value in body.items() if value is not None}

    async def ask(self, session: aiohttp.ClientSession, messages: Messages, **more: Any) -> ModelReply:
        body = msgspec.json.encode(self.body(messages, **more))
        headers = {"Content-Type": "application/json"}
        return parse_completion(
            await self.exchange(session, "POST", self.address, MAX_ANSWER_BYTES, data=body, headers=headers)
        )


async def _bounded(content: aiohttp.StreamReader, largest: int) -> bytes:
    """Reads up to `largest` bytes. A longer answer is cut and then cannot be parsed."""
    parts, size = [], 0
    async for part in content.iter_chunked(64 * 1024):
        parts.append(part)
        size += len(part)
        if size > largest:
            break
    return b"".join(parts)[:largest]


def _is_quota_used_up(raw: bytes) -> bool:
    try:
        error = msgspec.json.decode(raw, type=ErrorResponse).error
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return False
    return "insufficient_quota" in (error.code, error.type)


def parse_completion(raw: bytes) -> ModelReply:
    """The reply in a chat completion. Temporary if there is none, Permanent if the model refused to answer."""
    try:
        completion = msgspec.json.decode(raw, type=Completion)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise Temporary(
            "bad_completion", "the endpoint did not answer with a chat completion", delay=RETRY_DELAY
        ) from error
    if not completion.choices:
        raise Temporary("bad_completion", "the completion has no choices", delay=RETRY_DELAY)
    choice = completion.choices[0]
    if choice.message.refusal:
        raise Permanent("model_refused", "the model refused to answer")
    return ModelReply(
        choice.message.content or "",
        completion.model[:200],
        choice.finish_reason == "length",
        msgspec.to_builtins(completion.usage or Usage()),
    )
