"""Language models: an OpenAI-compatible endpoint, for `headwater agent` and for summaries of stories."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Any, Literal, TypeVar
from urllib.parse import urlsplit

import msgspec

from headwater.model.errors import Refused
from headwater.secret_references import resolve_secret
from headwater.stories.llm.policy import SummaryPolicy
from headwater.stories.llm.prices import Price

PATH = "/chat/completions"
RESERVED_OPTIONS = ("messages", "model", "stream", "n")


class LlmEndpoint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`endpoint` is the address of an OpenAI-compatible API (https://models.example/v1); without one the feature is off.
    `key` is `env:NAME` or `file:PATH`, or empty for a server without keys. `seconds` limits one call. `options` are added
    to every request unchanged; null removes a default."""

    endpoint: str = ""
    model: str = ""
    key: str = ""
    seconds: Annotated[float, msgspec.Meta(gt=0, le=600)] = 60.0
    options: dict[str, Any] = {}

    def __repr__(self) -> str:
        """Without the other fields: a secret may be in the wrong one."""
        return f"{type(self).__name__}(model={self.model!r})"


class AgentSettings(LlmEndpoint, frozen=True, forbid_unknown_fields=True):
    """`max_calls` limits the calls for one item before it is postponed, `concurrency` the items at the same time."""

    max_calls: Annotated[int, msgspec.Meta(ge=1, le=10)] = 3
    concurrency: Annotated[int, msgspec.Meta(ge=1, le=64)] = 4

    def __repr__(self) -> str:
        return LlmEndpoint.__repr__(self)


E = TypeVar("E", bound=LlmEndpoint)


def check_endpoint(endpoint: E, where: str = "agent") -> E:
    """Refused with the first mistake."""
    for name, meaning in _mistakes(endpoint).items():
        raise Refused("bad_config", f"{where}.{name}: {meaning}")
    return endpoint


def read_api_key(endpoint: LlmEndpoint, where: str = "agent") -> str:
    """Reads the key from its variable or file."""
    key = resolve_secret(endpoint.key, f"{where}.key").strip()
    if not (key.isascii() and key.isprintable()):
        raise Refused("bad_config", f"{where}.key: the key must be one line of printable ASCII")
    return key


def _mistakes(endpoint: LlmEndpoint) -> Mapping[str, str]:
    if not endpoint.endpoint:
        return {"endpoint": "no endpoint is set; set one, like https://models.example/v1"}
    if not _is_plain(endpoint.endpoint):
        return {"endpoint": "use an http:// or https:// address with a host and without user, query or #"}
    if not endpoint.model:
        return {"model": "set the name of the model"}
    if endpoint.key and not endpoint.key.startswith(("env:", "file:")):
        return {"key": "do not write the key into the settings; use env:NAME or file:PATH"}
    if reserved := sorted(set(RESERVED_OPTIONS) & endpoint.options.keys()):
        return {"options": f"{reserved[0]} cannot be set here"}
    return {}


def _is_plain(address: str) -> bool:
    try:
        parts = urlsplit(address)
        port_is_a_number = parts.port is None or parts.port > 0
    except ValueError:
        return False
    clean = address.isascii() and all(letter > " " for letter in address)
    is_web = parts.scheme in {"http", "https"} and bool(parts.hostname)
    return (
        is_web and clean and port_is_a_number and not (parts.query or parts.fragment or "@" in parts.netloc)
    )


def chat_url(endpoint: LlmEndpoint) -> str:
    address = endpoint.endpoint.rstrip("/")
    return address if address.endswith(PATH) else address + PATH


def api_root(endpoint: LlmEndpoint) -> str:
    """The address that the other paths of the API start with."""
    return endpoint.endpoint.rstrip("/").removesuffix(PATH)


class ModelPrices(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """US dollars for a million tokens, at the price of direct calls."""

    input: Annotated[float, msgspec.Meta(ge=0)]
    output: Annotated[float, msgspec.Meta(ge=0)]


class SummarySettings(LlmEndpoint, frozen=True, forbid_unknown_fields=True):
    """`mode` is direct calls, or the OpenAI Batch API (half the price, within a day). `premium_model` is asked about the top
    `premium_share` of the stories. `daily_budget` limits the estimated US dollars in 24 hours; a round over it is refused.
    `prices` are those of models that Headwater does not know. Stories whose newest article is older than `max_age_days`,
    or that have fewer than `min_articles` articles, keep their local summary."""

    mode: Literal["direct", "batch"] = "direct"
    premium_model: str = ""
    premium_share: Annotated[float, msgspec.Meta(gt=0, le=1)] = 0.10
    daily_budget: Annotated[float, msgspec.Meta(ge=0)] | None = None
    prices: dict[str, ModelPrices] = msgspec.field(default_factory=dict)
    concurrency: Annotated[int, msgspec.Meta(ge=1, le=64)] = 4
    max_calls: Annotated[int, msgspec.Meta(ge=1, le=10)] = 2
    max_age_days: Annotated[int, msgspec.Meta(ge=1)] = 7
    min_articles: Annotated[int, msgspec.Meta(ge=1)] = 1

    def __repr__(self) -> str:
        return LlmEndpoint.__repr__(self)


def summary_policy(settings: SummarySettings) -> SummaryPolicy:
    return SummaryPolicy(
        mode=settings.mode,
        model=settings.model,
        premium_model=settings.premium_model,
        premium_share=settings.premium_share,
        daily_budget=settings.daily_budget,
        prices={name: Price(price.input, price.output) for name, price in settings.prices.items()},
        concurrency=settings.concurrency,
        max_calls=settings.max_calls,
        max_age=timedelta(days=settings.max_age_days),
        min_articles=settings.min_articles,
    )
