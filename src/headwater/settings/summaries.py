"""Which language model may summarise stories, how it is asked, and what that may cost."""

from typing import Annotated, Literal

import msgspec

from headwater.pure.spending import Price
from headwater.settings.agent import Endpoint


class Prices(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """US dollars for a million tokens, at the price of direct calls."""

    input: Annotated[float, msgspec.Meta(ge=0)]
    output: Annotated[float, msgspec.Meta(ge=0)]


class Summaries(Endpoint, frozen=True, forbid_unknown_fields=True):
    """`mode` asks directly, or by the OpenAI Batch API (half the price, within a day). `premium_model` is asked about the
    hottest `share` of the stories instead. `ceiling` is how many US dollars may be spent in 24 hours by estimate, the
    rest is refused; `prices` are those of models that Headwater does not know. Stories whose newest article is older than
    `days`, or that have fewer than `smallest` articles, keep their local summary."""

    mode: Literal["direct", "batch"] = "direct"
    premium_model: str = ""
    share: Annotated[float, msgspec.Meta(gt=0, le=1)] = 0.10
    ceiling: Annotated[float, msgspec.Meta(ge=0)] | None = None
    prices: dict[str, Prices] = msgspec.field(default_factory=dict)
    at_once: Annotated[int, msgspec.Meta(ge=1, le=64)] = 4
    asks: Annotated[int, msgspec.Meta(ge=1, le=10)] = 2
    days: Annotated[int, msgspec.Meta(ge=1)] = 7
    smallest: Annotated[int, msgspec.Meta(ge=1)] = 1

    def __repr__(self) -> str:
        return Endpoint.__repr__(self)


def prices_of(summaries: Summaries) -> dict[str, Price]:
    return {name: Price(told.input, told.output) for name, told in summaries.prices.items()}
