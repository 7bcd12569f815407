"""Hostile and absurd input: survived within limits, refused by name, never anything but NotAFeed."""

import json
import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.model.warning_log import WarningLog
from headwater.sources.feeds.autodiscovery import find_feed_links, guess_feed_urls
from headwater.sources.feeds.feed import NotAFeed
from headwater.sources.feeds.parser import parse_feed, parse_with_feedparser


def outcome(data: bytes) -> str:
    """The format of the feed, or the reason why it was refused."""
    try:
        return parse_feed(data, url="https://x.example/").format
    except NotAFeed as error:
        return error.reason


def rss(items: str) -> bytes:
    return f'<rss version="2.0"><channel><title>T</title>{items}</channel></rss>'.encode()


def bomb(levels: int) -> bytes:
    lines = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, levels))
    return f'<!DOCTYPE x [<!ENTITY e0 "ha">{lines}]><rss version="2.0"><channel><title>&e{levels - 1};</title></channel></rss>'.encode()


@pytest.mark.parametrize(
    "data",
    [
        bomb(9),
        bomb(9).decode().encode("utf-16"),
        b"junk " + bomb(9),
        b"<!-- <a> -->" + bomb(9),
        b'<?xml version="1.0"?>\n<?x y?>' + bomb(9),
        b'<!DOCTYPE x [<!ENTITY a "'
        + b"A" * 100_000
        + b'">]><rss><channel><title>&a;&a;</title></channel></rss>',
        b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><rss/>',
        b'<!DOCTYPE x [<!ENTITY a PUBLIC "p" "http://x.example/">]><rss/>',
        b'<!DOCTYPE x [<!ENTITY % a SYSTEM "http://x.example/"> %a;]><rss/>',
        b'<!DOCTYPE x [<!ENTITY a "<title>injected</title>">]><rss><channel>&a;</channel></rss>',
        b'<!DOCTYPE x [<!ENTITY a "unterminated',
    ],
)
def test_entities_are_refused(data):
    with pytest.raises(NotAFeed) as caught:
        parse_feed(data)
    assert caught.value.reason == "refused_entities"


def test_many_references_to_a_small_entity_are_refused():
    references = "&a;" * 20_000
    data = f'<!DOCTYPE x [<!ENTITY a "{"A" * 200}">]>'.encode() + rss(
        f"<item><title>{references}</title></item>"
    )
    with pytest.raises(NotAFeed) as caught:
        parse_feed(data)
    assert caught.value.reason == "refused_entities"


def test_text_about_entities_is_not_a_declaration():
    feed = parse_feed(rss('<item><title><![CDATA[How <!ENTITY x SYSTEM "y"> works]]></title></item>'))
    assert feed.entries[0].title == 'How <!ENTITY x SYSTEM "y"> works'


@pytest.mark.parametrize("closing", [True, False])
def test_deep_nesting_is_survived(closing):
    depth = 50_000
    inner = "<b>" * depth + "deep" + ("</b>" * depth if closing else "")
    feed = parse_feed(rss(f"<item><title>A</title><description>{inner}</description></item>"))
    assert feed.entries[0].title == "A"
    assert "deep" in (feed.entries[0].content or "")


@pytest.mark.parametrize("closing", [True, False])
def test_nothing_but_nesting_is_not_a_feed(closing):
    inner = "<b>" * 50_000 + ("</b>" * 50_000 if closing else "")
    with pytest.raises(NotAFeed) as caught:
        parse_feed(rss(inner))
    assert caught.value.reason == "too_deep"


def test_an_address_that_was_cut_off_is_not_an_address():
    (whole, cut) = parse_feed(
        b'<rss version="2.0"><channel><item><title>A</title><link>http://x.example/long-address</link></item>'
        b"<item><title>B</title><link>http://x.example/long-ad"
    ).entries
    assert (whole.link, cut.title, cut.link) == ("http://x.example/long-address", "B", None)


def test_deeply_nested_items_are_survived():
    feed = parse_feed(b'<rss version="2.0"><channel>' + b"<item>" * 20_000 + b"<title>A</title>")
    assert [entry.title for entry in feed.entries] == ["A"]


def test_deeply_nested_json_is_survived():
    head = b'{"version": "https://jsonfeed.org/version/1.1", "items": ['
    with pytest.raises(NotAFeed):
        parse_feed(b"[" * 200_000)
    assert (
        parse_feed(head + b'{"id": "1", "content_text": "a"}, {"x": ' + b"[" * 200_000).entries[0].id == "1"
    )


@pytest.mark.parametrize(
    "unit",
    [
        b"<item>",
        b"<title>",
        b"<title><![CDATA[",
        b"<![CDATA[",
        b"<!--",
        b"<link href='",
        b"<author>",
        b"<description>",
        b"&nbsp;",
        b"<a b=",
        b"]]>",
        b"<item><title>a</item>",
        b"<source><image>",
        b"<dc:x ",
    ],
)
def test_repetition_costs_linear_work(unit):
    """No assertion on time: with quadratic work this test would take very long."""
    data = b'<rss version="2.0"><channel><title>T</title>' + unit * (300_000 // len(unit))
    assert outcome(data) in {"rss20", "unknown", "refused_entities", "too_deep"}


def test_large_documents_are_refused_by_the_limit():
    with pytest.raises(NotAFeed) as caught:
        parse_feed(rss("<item><title>A</title></item>" * 100), limit=500)
    assert caught.value.reason == "too_large"


def test_many_entries_are_read():
    feed = parse_feed(rss("<item><title>A</title></item>" * 20_000))
    assert len(feed.entries) == 20_000


@given(st.binary(max_size=300))
def test_any_bytes_are_a_feed_or_have_a_reason(data):
    assert outcome(data)


PIECES = (
    *(
        "<rss version='2.0'>",
        "<channel>",
        "<item>",
        "</item>",
        "<title>",
        "</title>",
        "<link>",
        "</link>",
        "<entry>",
    ),
    *(
        "<feed xmlns='http://www.w3.org/2005/Atom'>",
        "</entry>",
        "<![CDATA[",
        "]]>",
        "<!--",
        "-->",
        "<guid>",
        "&amp;",
    ),
    *(
        "&nbsp;",
        "<author>",
        "<name>",
        "</name>",
        "<image>",
        "<source>",
        "<link href='x'/>",
        "<dc:date>",
        "2026-11-13",
    ),
    *(
        "<!DOCTYPE",
        "<?xml",
        "?>",
        "text",
        "https://x.example/1",
        "<content type='xhtml'>",
        "<div>",
        "\x00",
        "é",
        "<",
        '"',
    ),
)


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_any_mix_of_feed_fragments_is_a_feed_or_has_a_reason(text):
    assert outcome(text.encode())


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["id", "url", "title", "authors", "author", "tags", "hubs", "items"]), inner
            )
        ),
        max_leaves=12,
    ),
    st.recursive(
        st.none() | st.integers() | st.text(max_size=8),
        lambda inner: st.dictionaries(
            st.sampled_from(["id", "url", "name", "attachments", "date_published", "content_html", "image"]),
            inner,
        ),
        max_leaves=8,
    ),
)
def test_wrong_types_in_json_are_survived(items, item):
    document = {
        "version": "https://jsonfeed.org/version/1",
        "items": [item, items],
        "authors": items,
        "hubs": item,
    }
    feed = parse_feed(json.dumps(document).encode())
    assert feed.format == "json1"


def test_feedparser_opens_no_file_and_no_connection(monkeypatch, tmp_path):
    def forbidden(*arguments, **options):
        raise AssertionError("no connection may be opened")

    monkeypatch.setattr(socket, "socket", forbidden)
    (tmp_path / "secret.xml").write_bytes(rss("<item><title>Secret</title></item>"))
    assert parse_with_feedparser(str(tmp_path / "secret.xml").encode(), None, WarningLog()) is None
    assert parse_with_feedparser(b"http://x.example/feed", None, WarningLog()) is None
    feed = parse_with_feedparser(
        rss("<item><title>A</title><link>/a</link></item>"), "https://x.example/", WarningLog()
    )
    assert feed is not None
    assert [(entry.title, entry.link) for entry in feed.entries] == [("A", "https://x.example/a")]


def test_a_crash_of_feedparser_is_a_warning():
    warnings = WarningLog()
    assert parse_with_feedparser(rss("<item><title>&#xD83D;&</title></item>"), None, warnings) is None
    assert warnings.lines() == ("feedparser_failed: UnicodeEncodeError",)


def test_declared_feed_links_are_read_in_order_and_guesses_are_separate():
    page = (
        b'<html><head><link rel="alternate" type="application/rss+xml" href="/a.xml">'
        b"<link type='application/feed+json' rel='alternate nofollow' href='b.json'>"
        b'<link rel="alternate" hreflang="de" href="/de/"><link rel=alternate type=application/atom+xml href=/a.xml>'
        b'<script>var x = \'<link rel="alternate" type="application/rss+xml" href="/no.xml">\'</script></head></html>'
    )
    assert (
        find_feed_links(page, url="https://x.example/news/")
        == (
            "https://x.example/a.xml",
            "https://x.example/news/b.json",
            "https://x.example/a.xml",
        )[:2]
    )
    assert find_feed_links(b"", url="https://x.example/") == ()
    assert guess_feed_urls("https://x.example/news/page")[0] == "https://x.example/feed"
