"""Polling a feed without a network: requests, leads, watermark and the next poll."""

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


def poll(pages, /, *, watermark=None, trigger=None, **options) -> SessionResult:
    fields = {"options": options, "watermark": watermark or {}, "trigger": trigger}
    return run_session(
        discover_feed(make_source("feed", MAIN, **fields), NOW), table(pages, "application/rss+xml")
    )


def test_c11_an_entry_becomes_a_lead_with_all_that_the_feed_says():
    elements = (
        "<author>j@x.example (Jo Roe)</author><category>Tides</category><description>Short &amp;amp; plain</description>"
        '<subtitle>By an hour</subtitle><enclosure url="/t.jpg" type="image/jpeg" length="1"/>'
    )
    result = poll({MAIN: rss(item(1, more=elements), head="<language>en</language>")})
    (lead,) = result.leads
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


def test_c15_implausible_dates_are_dropped_with_a_warning():
    result = poll({MAIN: rss(item(1, hours_ago=-4), item(2, hours_ago=-9000), item(3, hours_ago=500_000))})
    assert [lead.published for lead in result.leads] == [NOW, None, None]
    assert result.codes >= {"date_in_the_future", "date_before_the_web"}


def test_c15_an_entry_without_link_and_body_causes_a_warning():
    result = poll({MAIN: rss(item(1), "<item><title>Nothing</title></item>")})
    assert len(result.leads) == 1
    assert "entry_without_link" in result.codes


def test_c7_the_update_frequency_is_learned_stored_and_followed():
    daily = rss(*(item(number, hours_ago=24 * number + 1) for number in range(12)))
    first = poll({MAIN: daily}).discovery
    assert first.watermark["update_frequency"] == {
        "every": 86400,
        "quiet": 86400,
        "window": 950400,
        "entries": 12,
    }
    assert first.after == timedelta(hours=4)
    second = poll({MAIN: daily}, watermark=first.watermark).discovery
    assert (second.leads, second.after) == ((), timedelta(hours=4))
    assert second.watermark["update_frequency"] == first.watermark["update_frequency"]
    unchanged = poll({MAIN: answer(Request(url=MAIN), status=304)}, watermark=first.watermark).discovery
    assert (unchanged.after, unchanged.watermark) == (timedelta(hours=4), None)


def test_c7_a_configured_schedule_overrides_the_learned_interval():
    weekly = {MAIN: rss(*(item(number, hours_ago=168 * number + 1) for number in range(12)))}
    assert poll(weekly).discovery.after == timedelta(hours=24)
    assert poll(weekly, adaptive_interval=False).discovery.after is None
    assert poll(weekly, trigger=Trigger(every=timedelta(hours=1))).discovery.after is None


def test_a_busy_feed_is_polled_before_its_entries_drop_out():
    pages = {MAIN: rss(*(item(number, hours_ago=number / 10) for number in range(20)))}
    assert poll(pages).discovery.within == timedelta(minutes=57)


@pytest.mark.parametrize("error", [Permanent("http_404"), Temporary("http_503"), "<html>Parked</html>"])
def test_c41_a_fallback_is_read_when_the_feed_cannot_be(error):
    result = poll({MAIN: error, SPARE: rss(item(1))}, fallback=SPARE, watermark={"etag": "x"})
    assert [request.url for request in result.requests] == [MAIN, SPARE]
    assert result.urls == ["http://mirror.example/1"]
    assert "fallback" in result.codes
    assert (result.discovery.moved_to, result.discovery.watermark["etag"]) == (None, None)


def test_c41_a_feed_that_is_gone_for_good_moves_to_its_fallback():
    result = poll({MAIN: Permanent("gone"), SPARE: rss(item(1))}, fallback=["http://no.example/", SPARE])
    assert result.discovery.moved_to == SPARE


def test_c41_when_all_urls_fail_the_first_error_is_reported():
    with pytest.raises(Permanent, match="http_404"):
        poll({MAIN: Permanent("http_404"), SPARE: Temporary("http_503")}, fallback=SPARE)


def test_a_rate_limited_host_is_not_bypassed_by_a_fallback():
    with pytest.raises(Temporary, match="rate_limited"):
        poll({MAIN: Temporary("rate_limited", counts=False), SPARE: rss(item(1))}, fallback=SPARE)


def test_a_hub_is_remembered():
    link = '<link xmlns="http://www.w3.org/2005/Atom" rel="{}" href="{}"/>'
    head = link.format("hub", "http://hub.example/") + link.format("self", MAIN)
    watermark = poll({MAIN: rss(item(1), head=head)}).discovery.watermark
    assert (watermark["hub"], watermark["topic"]) == ("http://hub.example/", MAIN)
