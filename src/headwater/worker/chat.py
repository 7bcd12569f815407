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

from headwater.model.errors import Permanent, Refused, Temporary
from headwater.model.ports import Clock
from headwater.pure.responses import retry_after

LARGEST_ANSWER = 1024 * 1024
AGAIN = timedelta(minutes=1)
LONGEST_WAIT = timedelta(hours=1)
DEFAULTS: Mapping[str, Any] = {"temperature": 0, "response_format": {"type": "json_object"}}
# The endpoint is overrun or away: no fault of the document.
NOT_NOW = frozenset({408, 425, 429, 502, 503, 504})
# The endpoint does not take us, whatever is asked.
NOT_US = {
    401: "refused the key",
    402: "wants to be paid",
    403: "refused the key",
    404: "knows no such address or model",
}


class Message(msgspec.Struct, frozen=True):
    content: str | None = None
    refusal: str | None = None


class Choice(msgspec.Struct, frozen=True):
    message: Message
    finish_reason: str | None = None


class Completion(msgspec.Struct, frozen=True):
    choices: list[Choice]
    model: str = ""


class Trouble(msgspec.Struct, frozen=True):
    code: Any = None
    type: Any = None


class Troubled(msgspec.Struct, frozen=True):
    error: Trouble = Trouble()


@dataclass(frozen=True)
class Said:
    """`model` is who the endpoint says answered."""

    text: str
    model: str
    cut: bool = False


@dataclass(frozen=True, kw_only=True)
class Chat:
    address: str
    model: str
    clock: Clock
    key: str = field(default="", repr=False)
    seconds: float = 60.0
    options: Mapping[str, Any] = field(default_factory=dict)

    def session(self) -> aiohttp.ClientSession:
        """For `ask`; to be closed by whoever opened it."""
        headers = {"User-Agent": "headwater", "Accept": "application/json"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        return aiohttp.ClientSession(
            headers=headers,
            timeout=aiohttp.ClientTimeout(total=self.seconds),
            cookie_jar=aiohttp.DummyCookieJar(),
            trust_env=False,
        )

    async def ask(self, session: aiohttp.ClientSession, conversation: Sequence[Mapping[str, str]]) -> Said:
        """Temporary: later. Permanent: not with this conversation. Refused: not with these settings."""
        asked = {**DEFAULTS, **self.options, "model": self.model, "messages": conversation}
        body = msgspec.json.encode({name: value for name, value in asked.items() if value is not None})
        try:
            async with session.post(
                self.address, data=body, headers={"Content-Type": "application/json"}, allow_redirects=False
            ) as response:
                raw = await _bounded(response.content)
                self._judge(response.status, response.headers, raw)
        except TimeoutError as error:
            raise Temporary("endpoint_slow", f"no answer within {self.seconds:g} s", delay=AGAIN) from error
        except aiohttp.ClientError as error:
            told = type(error).__name__
            raise Temporary("endpoint_unreachable", told, delay=AGAIN, counts=False) from error
        return _said(raw)

    def _judge(self, status: int, headers: Mapping[str, str], raw: bytes) -> None:
        if 200 <= status < 300:
            return
        if status == 429 and _is_spent(raw):
            raise Refused("quota_spent", "agent: the endpoint says that the quota of this key is spent")
        if status in NOT_NOW:
            wish = retry_after(headers, self.clock()) or AGAIN
            raise Temporary(f"http_{status}", "not now", delay=min(wish, LONGEST_WAIT), counts=False)
        if status >= 500:
            raise Temporary(f"http_{status}", "the endpoint failed", delay=AGAIN)
        if status < 400:
            raise Refused(
                "endpoint_moved",
                "agent.endpoint: it answers with a redirect, which is not followed; give the final address",
            )
        if status in NOT_US:
            raise Refused("endpoint_refused", f"agent: the endpoint {NOT_US[status]} (it answered {status})")
        raise Permanent(f"http_{status}", "the endpoint does not take this document")


async def _bounded(content: aiohttp.StreamReader) -> bytes:
    """What is longer than any answer may be is cut, and so becomes none."""
    parts, size = [], 0
    async for part in content.iter_chunked(64 * 1024):
        parts.append(part)
        size += len(part)
        if size > LARGEST_ANSWER:
            break
    return b"".join(parts)[:LARGEST_ANSWER]


def _is_spent(raw: bytes) -> bool:
    try:
        trouble = msgspec.json.decode(raw, type=Troubled).error
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return False
    return "insufficient_quota" in (trouble.code, trouble.type)


def _said(raw: bytes) -> Said:
    try:
        completion = msgspec.json.decode(raw, type=Completion)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise Temporary(
            "bad_completion", "the endpoint's answer is no chat completion", delay=AGAIN
        ) from error
    if not completion.choices:
        raise Temporary("bad_completion", "the endpoint gave no choice", delay=AGAIN)
    choice = completion.choices[0]
    if choice.message.refusal:
        raise Permanent("model_refused", "the model refused to answer")
    return Said(choice.message.content or "", completion.model[:200], choice.finish_reason == "length")
