"""A look at a feed, without a network: what is asked, what is found, what is remembered."""

from datetime import timedelta

import pytest
from tests.support.poll_sessions import NOW, SessionResult, answer, make_source, run_session, table

from headwater.model.errors import Permanent, Temporary
from headwater.model.http import Request
from headwater.model.source import Trigger
from headwater.sources.feeds.poll import discover_feed

MAIN, SPARE = "http://site.example/feed", "http://mirror.example/feed"


def rss(*items: str, head: str = "") -> str:
    return f'<rss version="2.0"><channel><title>Wire</title>{head}{"".join(items)}</channel></rss>'


def item(number: int, *, hours_ago: float = 1, more: str = "") -> str:
    date = (NOW - timedelta(hours=hours_ago)).strftime("%a, %d %b %Y %H:%M:%S GMT")
    return (
        f"<item><title>Tide {number}</title><link>/{number}</link><guid>w-{number}</guid>"
        f"<pubDate>{date}</pubDate>{more}</item>"
    )


def look(pages, /, *, watermark=None, trigger=None, **options) -> SessionResult:
    told = {"options": options, "watermark": watermark or {}, "trigger": trigger}
    return run_session(
        discover_feed(make_source("feed", MAIN, **told), NOW), table(pages, "application/rss+xml")
    )


def test_c11_an_entry_becomes_a_lead_with_all_that_the_feed_says():
    more = (
        "<author>j@x.example (Jo Roe)</author><category>Tides</category><description>Short &amp;amp; plain</description>"
        '<subtitle>By an hour</subtitle><enclosure url="/t.jpg" type="image/jpeg" length="1"/>'
    )
    heard = look({MAIN: rss(item(1, more=more), head="<language>en</language>")})
    (lead,) = heard.leads
    assert (lead.identity, lead.url, lead.title) == ("w-1", "http://site.example/1", "Tide 1")
    assert (lead.published, lead.body) == (NOW - timedelta(hours=1), None)
    assert lead.hints == {
        "guid": "w-1",
        "authors": ["Jo Roe"],
        "subtitle": "By an hour",
        "summary": "Short & plain",
        "categories": ["Tides"],
        "image": "http://site.example/t.jpg",
        "language": "en",
        "feed": "Wire",
    }


def test_c15_wrong_dates_are_noted_and_not_believed():
    heard = look({MAIN: rss(item(1, hours_ago=-4), item(2, hours_ago=-9000), item(3, hours_ago=500_000))})
    assert [lead.published for lead in heard.leads] == [NOW, None, None]
    assert heard.codes >= {"date_in_the_future", "date_before_the_web"}


def test_c15_an_entry_that_leads_nowhere_is_counted():
    heard = look({MAIN: rss(item(1), "<item><title>Nothing</title></item>")})
    assert len(heard.leads) == 1
    assert "entry_without_link" in heard.codes


def test_c7_the_rhythm_is_learned_kept_and_followed():
    daily = rss(*(item(number, hours_ago=24 * number + 1) for number in range(12)))
    first = look({MAIN: daily}).discovery
    assert first.watermark["update_frequency"] == {
        "every": 86400,
        "quiet": 86400,
        "window": 950400,
        "entries": 12,
    }
    assert first.after == timedelta(hours=4)
    same = look({MAIN: daily}, watermark=first.watermark).discovery
    assert (same.leads, same.after) == ((), timedelta(hours=4))
    assert same.watermark["update_frequency"] == first.watermark["update_frequency"]
    unchanged = look({MAIN: answer(Request(url=MAIN), status=304)}, watermark=first.watermark).discovery
    assert (unchanged.after, unchanged.watermark) == (timedelta(hours=4), None)


def test_c7_whoever_says_when_to_look_is_obeyed():
    weekly = {MAIN: rss(*(item(number, hours_ago=168 * number + 1) for number in range(12)))}
    assert look(weekly).discovery.after == timedelta(hours=24)
    assert look(weekly, adaptive_interval=False).discovery.after is None
    assert look(weekly, trigger=Trigger(every=timedelta(hours=1))).discovery.after is None


def test_a_busy_feed_asks_for_a_look_before_its_entries_scroll_away():
    busy = {MAIN: rss(*(item(number, hours_ago=number / 10) for number in range(20)))}
    assert look(busy).discovery.within == timedelta(minutes=57)


@pytest.mark.parametrize("trouble", [Permanent("http_404"), Temporary("http_503"), "<html>Parked</html>"])
def test_c41_a_fallback_is_read_when_the_feed_cannot_be(trouble):
    heard = look({MAIN: trouble, SPARE: rss(item(1))}, fallback=SPARE, watermark={"etag": "x"})
    assert [request.url for request in heard.asked] == [MAIN, SPARE]
    assert heard.urls == ["http://mirror.example/1"]
    assert "fallback" in heard.codes
    assert (heard.discovery.moved_to, heard.discovery.watermark["etag"]) == (None, None)


def test_c41_a_feed_that_is_gone_for_good_moves_to_its_fallback():
    heard = look({MAIN: Permanent("gone"), SPARE: rss(item(1))}, fallback=["http://no.example/", SPARE])
    assert heard.discovery.moved_to == SPARE


def test_c41_without_help_the_first_trouble_is_told():
    with pytest.raises(Permanent, match="http_404"):
        look({MAIN: Permanent("http_404"), SPARE: Temporary("http_503")}, fallback=SPARE)


def test_a_host_that_must_wait_is_not_evaded():
    with pytest.raises(Temporary, match="rate_limited"):
        look({MAIN: Temporary("rate_limited", counts=False), SPARE: rss(item(1))}, fallback=SPARE)


def test_a_hub_is_remembered():
    link = '<link xmlns="http://www.w3.org/2005/Atom" rel="{}" href="{}"/>'
    head = link.format("hub", "http://hub.example/") + link.format("self", MAIN)
    mark = look({MAIN: rss(item(1), head=head)}).discovery.watermark
    assert (mark["hub"], mark["topic"]) == ("http://hub.example/", MAIN)
