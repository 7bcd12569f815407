"""What the settings say about summaries by a language model."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Literal

from headwater.stories.llm.prices import Price


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryPolicy:
    """What the settings say about summaries. `premium_model` is asked about the top `premium_share` of the stories.
    `daily_budget` limits the estimated US dollars in 24 hours."""

    mode: Literal["direct", "batch"]
    model: str
    premium_model: str = ""
    premium_share: float = 0.10
    daily_budget: float | None = None
    prices: Mapping[str, Price] = field(default_factory=dict)
    concurrency: int = 4
    max_calls: int = 2
    max_age: timedelta = timedelta(days=7)
    min_articles: int = 1
