"""The daily price report: the same form every day, with different figures. It is never a copy, though it resembles one."""

from datetime import datetime
from random import Random

from headwater_demo.prose.cast import person_name
from headwater_demo.prose.text import ArticleText

_COINS = (("Bitcoin", 91_000.0), ("Ether", 4_700.0), ("Tessel", 38.0), ("Cairn", 6.4), ("Obol", 1.9))


def market_report(publisher: str, moment: datetime, chance: Random) -> ArticleText:
    day = f"{moment.day} {moment:%B %Y}"
    rows = [(coin, usual * chance.uniform(0.9, 1.1), chance.uniform(-6, 6)) for coin, usual in _COINS]
    leader, _, change = rows[0]
    mood = "higher" if change > 0 else "lower"
    return ArticleText(
        title=f"{publisher} daily price report, {day}: {leader} {abs(change):.1f} percent {mood}",
        author=person_name(chance),
        description=f"Prices, volumes and funding rates of the largest digital assets on {day}.",
        keywords=("prices", "daily report", "bitcoin", "ether"),
        paragraphs=(
            f"This is the {publisher} price report for {day}. All prices are volume-weighted averages of nine trading venues, taken at 08:00 UTC.",
            *(_row(*row, chance=chance) for row in rows),
            (
                f"Total turnover on the venues we follow came to ${chance.uniform(40, 95):.1f} billion, against ${chance.uniform(40, 95):.1f} billion the day before. "
                f"Funding rates of perpetual futures stood at {chance.uniform(-0.02, 0.04):.3f} percent per eight hours."
            ),
            (
                f"Forced liquidations reached ${chance.randint(60, 640)} million, of which {chance.randint(20, 80)} percent were long positions. "
                f"The fear index of our desk reads {chance.randint(12, 88)}."
            ),
            "Figures are compiled automatically and checked by an editor. The next report appears tomorrow at the same time.",
        ),
        topic="markets",
    )


def _row(coin: str, price: float, change: float, *, chance: Random) -> str:
    direction = "rose" if change > 0 else "fell"
    return (
        f"{coin} {direction} {abs(change):.2f} percent to ${price:,.2f}. It traded between ${price * chance.uniform(0.93, 0.99):,.2f} "
        f"and ${price * chance.uniform(1.005, 1.06):,.2f}, with a volume of ${chance.uniform(0.4, 38):.1f} billion."
    )
