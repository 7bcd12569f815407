"""What asking costs, before it is asked. Prices are US dollars for a million tokens; those here are of 2026, as
published, and the setting `summaries.prices` overrules them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

BATCH_DISCOUNT = 0.5
"""A batch costs half of what direct calls cost."""


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
    """The longest name that the model's begins with: a dated model costs what its family costs."""
    known = {**KNOWN_PRICES, **own}
    fitting = [name for name in known if model == name or model.startswith(f"{name}-20")]
    return known[max(fitting, key=len)] if fitting else None


def estimate_cost(price: Price, asked: int, answered: int, *, batch: bool) -> float:
    whole = (asked * price.input + answered * price.output) / 1_000_000
    return whole * BATCH_DISCOUNT if batch else whole


def total_cost(costs: Iterable[float | None]) -> float | None:
    """None where one of them is not known."""
    found = list(costs)
    return None if None in found else sum(one for one in found if one is not None)
