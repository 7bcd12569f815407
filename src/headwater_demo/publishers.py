"""The news sites of the demo internet and their habits."""

from dataclasses import dataclass
from datetime import timedelta, timezone
from typing import Literal

TemplateName = Literal["semantic", "soup", "tables", "modern", "blog", "amp"]
UrlStyle = Literal["dated", "news", "query", "html", "short"]
RobotsKind = Literal["open", "disallow", "delay", "missing", "failing", "groups"]
SitemapKind = Literal["index", "packed", "text", "plain"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Publisher:
    host: str
    name: str
    tagline: str
    template: TemplateName
    urls: UrlStyle
    language: str = "en"
    offset_minutes: int = 0
    robots: RobotsKind = "open"
    sitemap: SitemapKind = "plain"

    @property
    def zone(self) -> timezone:
        return timezone(timedelta(minutes=self.offset_minutes))


# The first six make the small internet.
PUBLISHERS: tuple[Publisher, ...] = (
    Publisher(
        host="ledgerlane.example",
        name="Ledger Lane",
        tagline="Digital asset news, told plainly",
        template="semantic",
        urls="dated",
        sitemap="index",
    ),
    Publisher(
        host="blockharbour.example",
        name="Block Harbour",
        tagline="Where the chain meets the quay",
        template="soup",
        urls="news",
        offset_minutes=-300,
        robots="disallow",
    ),
    Publisher(
        host="tokentribune.example",
        name="Token Tribune",
        tagline="Markets around the clock",
        template="modern",
        urls="html",
        offset_minutes=60,
        robots="delay",
        sitemap="packed",
    ),
    Publisher(
        host="hashfield.example",
        name="Hashfield Notes",
        tagline="A small blog about big ledgers",
        template="blog",
        urls="short",
        robots="missing",
        sitemap="text",
    ),
    Publisher(
        host="cadenaclara.example",
        name="Cadena Clara",
        tagline="Noticias de activos digitales",
        template="modern",
        urls="dated",
        language="es",
        offset_minutes=60,
    ),
    Publisher(
        host="kettenkurier.example",
        name="Kettenkurier",
        tagline="Nachrichten aus der Welt der Ketten",
        template="semantic",
        urls="news",
        language="de",
        offset_minutes=60,
        robots="groups",
    ),
    Publisher(
        host="mintwatch.example",
        name="Mint Watch",
        tagline="Since the first block",
        template="tables",
        urls="query",
        offset_minutes=-480,
    ),
    Publisher(
        host="validatorvoice.example",
        name="Validator Voice",
        tagline="News for people who run nodes",
        template="amp",
        urls="dated",
        sitemap="index",
    ),
    Publisher(
        host="stakesignal.example",
        name="Stake Signal",
        tagline="Yield, risk and consensus",
        template="semantic",
        urls="short",
        offset_minutes=540,
    ),
    Publisher(
        host="oraclepost.example",
        name="The Oracle Post",
        tagline="Data in, news out",
        template="soup",
        urls="html",
        offset_minutes=330,
        sitemap="text",
    ),
    Publisher(
        host="forkfile.example",
        name="Fork File",
        tagline="Notes from the edge of consensus",
        template="blog",
        urls="dated",
    ),
    Publisher(
        host="custodycourier.example",
        name="Custody Courier",
        tagline="For those who hold what others own",
        template="modern",
        urls="news",
        sitemap="packed",
    ),
    Publisher(
        host="liquiditylens.example",
        name="Liquidity Lens",
        tagline="Order books under glass",
        template="tables",
        urls="html",
        offset_minutes=480,
        robots="delay",
    ),
    Publisher(
        host="basinwire.example",
        name="Basin Wire",
        tagline="The agency of the digital basin",
        template="semantic",
        urls="news",
        sitemap="index",
    ),
)
SMALL = 6
REPORTERS = ("tokentribune.example", "ledgerlane.example", "liquiditylens.example")


def publishers(size: str) -> tuple[Publisher, ...]:
    return PUBLISHERS if size == "full" else PUBLISHERS[:SMALL]


def publisher_of(host: str) -> Publisher:
    return next(publisher for publisher in PUBLISHERS if publisher.host == host)
