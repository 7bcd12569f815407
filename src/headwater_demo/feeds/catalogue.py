"""Every feed of the demo internet, with the result that a feed reader should reach."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, cast

from headwater_demo.article import DemoArticle, Topic
from headwater_demo.feeds.sections import SECTIONS
from headwater_demo.newsroom import Newsroom

Format = Literal[
    "rss091",
    "rss092",
    "rss1",
    "rss2",
    "rss2-teaser",
    "atom-html",
    "atom-xhtml",
    "atom-text",
    "atom03",
    "json",
]
# ok: well formed.   broken: malformed, a tolerant reader still finds entries.   unreadable: without any entry.
# refused: hostile, must not be expanded.   gone: 410.   moved: redirects permanently.   flaky: fails twice first.
Expect = Literal["ok", "broken", "unreadable", "refused", "gone", "moved", "flaky"]
MAX_ENTRIES = 60
MAX_PARTNER_ENTRIES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoFeed:
    """`campaign` adds tracking parameters to the links; `partner` is a host whose newest articles are listed too;
    `defect` names what is wrong with the bytes."""

    name: str
    host: str
    path: str
    format: Format
    expect: Expect = "ok"
    topic: Topic | None = None
    campaign: str | None = None
    partner: str | None = None
    defect: str | None = None

    @property
    def url(self) -> str:
        return f"http://{self.host}{self.path}"


_SMALL: tuple[DemoFeed, ...] = (
    DemoFeed(name="Ledger Lane", host="ledgerlane.example", path="/feed", format="rss2"),
    DemoFeed(name="Block Harbour", host="blockharbour.example", path="/atom.xml", format="atom-html"),
    DemoFeed(name="Token Tribune", host="tokentribune.example", path="/feed.json", format="json"),
    DemoFeed(
        name="Hashfield Notes",
        host="hashfield.example",
        path="/rss.xml",
        format="rss2-teaser",
        partner="ledgerlane.example",
    ),
    DemoFeed(
        name="Cadena Clara",
        host="cadenaclara.example",
        path="/rss",
        format="rss2",
        expect="broken",
        campaign="portada",
        defect="unescaped-ampersand",
    ),
    DemoFeed(name="Kettenkurier", host="kettenkurier.example", path="/index.rdf", format="rss1"),
)
_ONLY_IN_FULL: tuple[DemoFeed, ...] = (
    DemoFeed(name="Mint Watch", host="mintwatch.example", path="/backend.xml", format="rss091"),
    DemoFeed(name="Validator Voice", host="validatorvoice.example", path="/feed.xml", format="rss2"),
    DemoFeed(name="Stake Signal", host="stakesignal.example", path="/atom.xml", format="atom-xhtml"),
    DemoFeed(name="The Oracle Post", host="oraclepost.example", path="/rss092.xml", format="rss092"),
    DemoFeed(name="Fork File", host="forkfile.example", path="/posts.atom", format="atom-text"),
    DemoFeed(name="Custody Courier", host="custodycourier.example", path="/feed/", format="rss2-teaser"),
    DemoFeed(name="Liquidity Lens", host="liquiditylens.example", path="/rss.xml", format="rss2"),
    DemoFeed(name="Basin Wire", host="basinwire.example", path="/wire.rss", format="rss2"),
    DemoFeed(
        name="Ledger Lane: markets",
        host="ledgerlane.example",
        path="/feed/markets",
        format="rss2-teaser",
        topic="markets",
        campaign="markets",
    ),
    DemoFeed(
        name="Ledger Lane: security",
        host="ledgerlane.example",
        path="/feed/security.json",
        format="json",
        topic="security",
    ),
    DemoFeed(
        name="Token Tribune: Atom",
        host="tokentribune.example",
        path="/atom.xml",
        format="atom-html",
        campaign="atom",
    ),
    DemoFeed(
        name="Basin Wire: business",
        host="basinwire.example",
        path="/business.rdf",
        format="rss1",
        topic="business",
    ),
    DemoFeed(
        name="Block Harbour: moved",
        host="blockharbour.example",
        path="/old/feed",
        format="atom-html",
        expect="moved",
        defect="moved-301",
    ),
    DemoFeed(
        name="Fork File: flaky", host="forkfile.example", path="/flaky.xml", format="rss2", expect="flaky"
    ),
    DemoFeed(
        name="Oracle Post: cut",
        host="oraclepost.example",
        path="/cut.xml",
        format="rss2",
        expect="broken",
        defect="truncated",
    ),
    DemoFeed(
        name="Mint Watch: entities",
        host="mintwatch.example",
        path="/rss2.xml",
        format="rss2",
        expect="broken",
        defect="html-entities",
    ),
    DemoFeed(
        name="Stake Signal: hostile",
        host="stakesignal.example",
        path="/rss.xml",
        format="rss2",
        expect="refused",
        defect="entity-bomb",
    ),
    DemoFeed(
        name="Hashfield: closed",
        host="hashfield.example",
        path="/comments.xml",
        format="rss2",
        expect="gone",
        defect="gone",
    ),
    DemoFeed(name="Kettenkurier: Atom", host="kettenkurier.example", path="/atom.xml", format="atom-html"),
)
_SECTIONS: tuple[DemoFeed, ...] = tuple(
    DemoFeed(
        name=name,
        host=f"{site}.example",
        path=path,
        format=cast("Format", format_name),
        expect="broken" if defect else "ok",
        topic=cast("Topic", topic),
        defect=defect,
    )
    for name, site, path, format_name, topic, defect in SECTIONS
)
ODD_FEEDS_HOST = "oddfeeds.example"
_WITHOUT_DEFECT = ("sound", "flaky")
_ODD: tuple[tuple[str, Expect], ...] = (
    ("sound", "ok"),
    ("unescaped-ampersand", "broken"),
    ("html-entities", "broken"),
    ("control-characters", "broken"),
    ("truncated", "broken"),
    ("wrong-media-type", "ok"),
    ("latin1-as-utf8", "broken"),
    ("double-encoded", "ok"),
    ("bom-inside", "broken"),
    ("leading-space", "broken"),
    ("html-page", "unreadable"),
    ("empty", "unreadable"),
    ("gzip-without-header", "broken"),
    ("entity-bomb", "refused"),
    ("odd-dates", "ok"),
    ("no-dates", "ok"),
    ("relative-links", "ok"),
    ("gone", "gone"),
    ("moved-301", "moved"),
    ("moved-308", "moved"),
    ("flaky", "flaky"),
)


def odd_catalogue() -> tuple[DemoFeed, ...]:
    return tuple(
        DemoFeed(
            name=name,
            host=ODD_FEEDS_HOST,
            path=f"/{name}.xml",
            format="rss2",
            expect=expect,
            campaign="odd",
            defect=None if name in _WITHOUT_DEFECT else name,
        )
        for name, expect in _ODD
    )


def catalogue(size: str) -> tuple[DemoFeed, ...]:
    return _SMALL + _ONLY_IN_FULL + _SECTIONS if size == "full" else _SMALL


def feeds(size: str = "full") -> list[dict[str, Any]]:
    """The feeds of the crypto news list: 50 in the full internet, 6 in the small one."""
    return [_describe(feed) for feed in catalogue(size)]


def odd_feeds() -> list[dict[str, Any]]:
    """One feed per defect; served in every size."""
    return [_describe(feed) for feed in odd_catalogue()]


def _describe(feed: DemoFeed) -> dict[str, Any]:
    return {
        "name": feed.name,
        "url": feed.url,
        "format": feed.format,
        "expect": feed.expect,
        "defect": feed.defect,
    }


def entry_link(article: DemoArticle, feed: DemoFeed) -> str:
    """The link of an article in a feed: with tracking parameters in a campaign, or for an article of another site."""
    campaign = feed.campaign if article.host == feed.host else f"via-{feed.host.partition('.')[0]}"
    if campaign is None:
        return article.url
    separator = "&" if "?" in article.url else "?"
    return f"{article.url}{separator}utm_source=rss&utm_medium=feed&utm_campaign={campaign}"


def listed_articles(feed: DemoFeed, newsroom: Newsroom, now: datetime) -> list[DemoArticle]:
    """The articles that a feed would list without its defect; feeds that are never readable list none."""
    if feed.expect in ("gone", "refused", "unreadable"):
        return []
    own_articles = (
        item for item in newsroom.articles(now, host=feed.host) if feed.topic in (None, item.topic)
    )
    partner_articles = newsroom.articles(now, host=feed.partner)[:MAX_PARTNER_ENTRIES] if feed.partner else []
    articles = sorted([*own_articles, *partner_articles], key=lambda item: item.published, reverse=True)
    return articles[:MAX_ENTRIES]
