"""Every feed of the demo internet, in one table, with what a reader should make of it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, cast

from headwater_demo.article import Article, Topic
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
# ok: well formed.   broken: malformed, a tolerant reader still finds entries.   unreadable: nothing can be found.
# refused: hostile, must not be expanded.   gone: 410.   moved: answers for good from elsewhere.   flaky: fails twice first.
Expect = Literal["ok", "broken", "unreadable", "refused", "gone", "moved", "flaky"]
MOST_ITEMS = 60
MOST_GUESTS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
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


_SMALL: tuple[Feed, ...] = (
    Feed(name="Ledger Lane", host="ledgerlane.example", path="/feed", format="rss2"),
    Feed(name="Block Harbour", host="blockharbour.example", path="/atom.xml", format="atom-html"),
    Feed(name="Token Tribune", host="tokentribune.example", path="/feed.json", format="json"),
    Feed(
        name="Hashfield Notes",
        host="hashfield.example",
        path="/rss.xml",
        format="rss2-teaser",
        partner="ledgerlane.example",
    ),
    Feed(
        name="Cadena Clara",
        host="cadenaclara.example",
        path="/rss",
        format="rss2",
        expect="broken",
        campaign="portada",
        defect="unescaped-ampersand",
    ),
    Feed(name="Kettenkurier", host="kettenkurier.example", path="/index.rdf", format="rss1"),
)
_FURTHER: tuple[Feed, ...] = (
    Feed(name="Mint Watch", host="mintwatch.example", path="/backend.xml", format="rss091"),
    Feed(name="Validator Voice", host="validatorvoice.example", path="/feed.xml", format="rss2"),
    Feed(name="Stake Signal", host="stakesignal.example", path="/atom.xml", format="atom-xhtml"),
    Feed(name="The Oracle Post", host="oraclepost.example", path="/rss092.xml", format="rss092"),
    Feed(name="Fork File", host="forkfile.example", path="/posts.atom", format="atom-text"),
    Feed(name="Custody Courier", host="custodycourier.example", path="/feed/", format="rss2-teaser"),
    Feed(name="Liquidity Lens", host="liquiditylens.example", path="/rss.xml", format="rss2"),
    Feed(name="Basin Wire", host="basinwire.example", path="/wire.rss", format="rss2"),
    Feed(
        name="Ledger Lane: markets",
        host="ledgerlane.example",
        path="/feed/markets",
        format="rss2-teaser",
        topic="markets",
        campaign="markets",
    ),
    Feed(
        name="Ledger Lane: security",
        host="ledgerlane.example",
        path="/feed/security.json",
        format="json",
        topic="security",
    ),
    Feed(
        name="Token Tribune: Atom",
        host="tokentribune.example",
        path="/atom.xml",
        format="atom-html",
        campaign="atom",
    ),
    Feed(
        name="Basin Wire: business",
        host="basinwire.example",
        path="/business.rdf",
        format="rss1",
        topic="business",
    ),
    Feed(
        name="Block Harbour: moved",
        host="blockharbour.example",
        path="/old/feed",
        format="atom-html",
        expect="moved",
        defect="moved-301",
    ),
    Feed(name="Fork File: flaky", host="forkfile.example", path="/flaky.xml", format="rss2", expect="flaky"),
    Feed(
        name="Oracle Post: cut",
        host="oraclepost.example",
        path="/cut.xml",
        format="rss2",
        expect="broken",
        defect="truncated",
    ),
    Feed(
        name="Mint Watch: entities",
        host="mintwatch.example",
        path="/rss2.xml",
        format="rss2",
        expect="broken",
        defect="html-entities",
    ),
    Feed(
        name="Stake Signal: hostile",
        host="stakesignal.example",
        path="/rss.xml",
        format="rss2",
        expect="refused",
        defect="entity-bomb",
    ),
    Feed(
        name="Hashfield: closed",
        host="hashfield.example",
        path="/comments.xml",
        format="rss2",
        expect="gone",
        defect="gone",
    ),
    Feed(name="Kettenkurier: Atom", host="kettenkurier.example", path="/atom.xml", format="atom-html"),
)
_SECTIONS: tuple[Feed, ...] = tuple(
    Feed(
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
MUSEUM = "oddfeeds.example"
_UNHARMED = ("sound", "flaky")
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


def odd_catalogue() -> tuple[Feed, ...]:
    return tuple(
        Feed(
            name=name,
            host=MUSEUM,
            path=f"/{name}.xml",
            format="rss2",
            expect=expect,
            campaign="odd",
            defect=None if name in _UNHARMED else name,
        )
        for name, expect in _ODD
    )


def catalogue(size: str) -> tuple[Feed, ...]:
    return _SMALL + _FURTHER + _SECTIONS if size == "full" else _SMALL


def feeds(size: str = "full") -> list[dict[str, Any]]:
    """The feeds of the crypto news list: 50 in the full internet, 6 in the small one."""
    return [_told(feed) for feed in catalogue(size)]


def odd_feeds() -> list[dict[str, Any]]:
    """A museum of everything a feed can do wrong, one feed per defect; served in every size."""
    return [_told(feed) for feed in odd_catalogue()]


def _told(feed: Feed) -> dict[str, Any]:
    return {
        "name": feed.name,
        "url": feed.url,
        "format": feed.format,
        "expect": feed.expect,
        "defect": feed.defect,
    }


def link(article: Article, feed: Feed) -> str:
    """Where a feed says the article is: with tracking parameters in a campaign, or when it is somebody else's."""
    campaign = feed.campaign if article.host == feed.host else f"via-{feed.host.partition('.')[0]}"
    if campaign is None:
        return article.url
    mark = "&" if "?" in article.url else "?"
    return f"{article.url}{mark}utm_source=rss&utm_medium=feed&utm_campaign={campaign}"


def listed(feed: Feed, newsroom: Newsroom, now: datetime) -> list[Article]:
    """The articles a feed would list were its bytes in order; feeds that never deliver list none."""
    if feed.expect in ("gone", "refused", "unreadable"):
        return []
    own = (item for item in newsroom.articles(now, host=feed.host) if feed.topic in (None, item.topic))
    guests = newsroom.articles(now, host=feed.partner)[:MOST_GUESTS] if feed.partner else []
    shown = sorted([*own, *guests], key=lambda item: item.published, reverse=True)
    return shown[:MOST_ITEMS]
