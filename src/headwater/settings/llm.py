"""Whom to ask, as whom, and how patiently: an OpenAI-compatible endpoint, and what `headwater agent` is told of one."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar
from urllib.parse import urlsplit

import msgspec

from headwater.model.errors import Refused
from headwater.settings.channels import resolve_secret
from headwater.stories.llm.prices import Price

PATH = "/chat/completions"
RESERVED_OPTIONS = ("messages", "model", "stream", "n")


class LlmEndpoint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`endpoint` is the address of an OpenAI-compatible API (https://models.example/v1); nothing is asked without one.
    `key` is `env:NAME` or `file:PATH`, or nothing for a server that wants none. `options` are put into every request as
    they are; null takes an option away."""

    endpoint: str = ""
    model: str = ""
    key: str = ""
    seconds: Annotated[float, msgspec.Meta(gt=0, le=600)] = 60.0
    options: dict[str, Any] = {}

    def __repr__(self) -> str:
        """Without what somebody may have put where it does not belong."""
        return f"{type(self).__name__}(model={self.model!r})"


class AgentSettings(LlmEndpoint, frozen=True, forbid_unknown_fields=True):
    """`asks` is how often one item is asked about in a row before it rests."""

    max_calls: Annotated[int, msgspec.Meta(ge=1, le=10)] = 3
    concurrency: Annotated[int, msgspec.Meta(ge=1, le=64)] = 4

    def __repr__(self) -> str:
        return LlmEndpoint.__repr__(self)


E = TypeVar("E", bound=LlmEndpoint)


def check_endpoint(endpoint: E, where: str = "agent") -> E:
    """Refused with what is missing or may not stand there."""
    for name, meaning in _mistakes(endpoint).items():
        raise Refused("bad_config", f"{where}.{name}: {meaning}")
    return endpoint


def read_api_key(endpoint: LlmEndpoint, where: str = "agent") -> str:
    """The key itself, read now."""
    key = resolve_secret(endpoint.key, f"{where}.key").strip()
    if not (key.isascii() and key.isprintable()):
        raise Refused("bad_config", f"{where}.key: a key is one line of plain ASCII")
    return key


def _mistakes(agent: LlmEndpoint) -> Mapping[str, str]:
    if not agent.endpoint:
        return {
            "endpoint": "no endpoint is set, so nothing is asked; give one, like https://models.example/v1"
        }
    if not _is_plain(agent.endpoint):
        return {"endpoint": "give an address of http:// or https:// with a host and without user, query or #"}
    if not agent.model:
        return {"model": "give the name of the model to ask"}
    if agent.key and not agent.key.startswith(("env:", "file:")):
        return {"key": "a key does not stand in the settings; give env:NAME or file:PATH"}
    if taken := sorted(set(RESERVED_OPTIONS) & agent.options.keys()):
        return {"options": f"{taken[0]} cannot be set here"}
    return {}


def _is_plain(address: str) -> bool:
    try:
        parts = urlsplit(address)
        port_is_a_number = parts.port is None or parts.port > 0
    except ValueError:
        return False
    clean = address.isascii() and all(letter > " " for letter in address)
    web = parts.scheme in {"http", "https"} and bool(parts.hostname)
    return web and clean and port_is_a_number and not (parts.query or parts.fragment or "@" in parts.netloc)


def chat_url(agent: LlmEndpoint) -> str:
    """Where conversations are sent."""
    given = agent.endpoint.rstrip("/")
    return given if given.endswith(PATH) else given + PATH


def api_root(endpoint: LlmEndpoint) -> str:
    """Where everything else of the same API is found."""
    return endpoint.endpoint.rstrip("/").removesuffix(PATH)


class ModelPrices(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """US dollars for a million tokens, at the price of direct calls."""

    input: Annotated[float, msgspec.Meta(ge=0)]
    output: Annotated[float, msgspec.Meta(ge=0)]


class SummarySettings(LlmEndpoint, frozen=True, forbid_unknown_fields=True):
    """`mode` asks directly, or by the OpenAI Batch API (half the price, within a day). `premium_model` is asked about the
    hottest `share` of the stories instead. `ceiling` is how many US dollars may be spent in 24 hours by estimate, the
    rest is refused; `prices` are those of models that Headwater does not know. Stories whose newest article is older than
    `days`, or that have fewer than `smallest` articles, keep their local summary."""

    mode: Literal["direct", "batch"] = "direct"
    premium_model: str = ""
    premium_share: Annotated[float, msgspec.Meta(gt=0, le=1)] = 0.10
    daily_budget: Annotated[float, msgspec.Meta(ge=0)] | None = None
    prices: dict[str, ModelPrices] = msgspec.field(default_factory=dict)
    concurrency: Annotated[int, msgspec.Meta(ge=1, le=64)] = 4
    max_calls: Annotated[int, msgspec.Meta(ge=1, le=10)] = 2
    days: Annotated[int, msgspec.Meta(ge=1)] = 7
    min_articles: Annotated[int, msgspec.Meta(ge=1)] = 1

    def __repr__(self) -> str:
        return LlmEndpoint.__repr__(self)


def price_table(summaries: SummarySettings) -> dict[str, Price]:
    return {name: Price(told.input, told.output) for name, told in summaries.prices.items()}
