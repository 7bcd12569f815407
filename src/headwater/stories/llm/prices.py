"""Cost estimates. Prices are US dollars for a million tokens, as published in 2026; the setting `summaries.prices`
overrides them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

BATCH_DISCOUNT = 0.5
"""A batch costs half as much as direct calls."""


@dataclass(frozen=True, slots=True)
class Price:
    input: float
    output: float


KNOWN_PRICES: Mapping[str, Price] = {
    "gpt-4o-mini": Price(0.15, 0.60),
    "gpt-4o": Price(2.50, 10.00),
    "gpt-4.1-nano": Price(0.10, 0.40),
    "gpt-4.1-mini": Price(0.40, 1.60),
    "gpt-4.1": Price(2.00, 8.00),
}


def find_price(model: str, own: Mapping[str, Price]) -> Price | None:
    """By the longest matching name: a dated model costs as much as its family."""
    prices = {**KNOWN_PRICES, **own}
    matching = [name for name in prices if model == name or model.startswith(f"{name}-20")]
    return prices[max(matching, key=len)] if matching else None


def estimate_cost(price: Price, input_tokens: int, output_tokens: int, *, batch: bool) -> float:
    dollars = (input_tokens * price.input + output_tokens * price.output) / 1_000_000
    return dollars * BATCH_DISCOUNT if batch else dollars


def total_cost(costs: Iterable[float | None]) -> float | None:
    """None if one of them is unknown."""
    total = 0.0
    for cost in costs:
        if cost is None:
            return None
        total += cost
    return total
