"""An entry of a feed: whether it is complete, its date and its excerpt."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.model.warning_log import WarningLog
from headwater.sources.feeds.feed import FeedEntry
from headwater.sources.feeds.fields import excerpt
from headwater.sources.feeds.parser import parse_feed
from headwater.sources.feeds.poll import is_teaser
from headwater.text.written_dates import plausible_date

NOW = datetime(2026, 11, 13, 9, 0, tzinfo=UTC)
PARAGRAPH = "<p>The harbour office moved the ferry by an hour because of the tide and the wind.</p>"


def entry(
    content: str | None, *, summary: str | None = None, link: str | None = "https://x.example/1"
) -> FeedEntry:
    return FeedEntry(content=content, summary=summary, link=link)


def test_c11_a_whole_article_is_not_fetched_again():
    assert not is_teaser(entry(PARAGRAPH * 20, summary="Short."))
    assert not is_teaser(entry(PARAGRAPH * 20 + "<p>The post Ferry moved appeared first on Harbour.</p>"))


@pytest.mark.parametrize(
    "ending",
    [
        "[…]",
        "[&#8230;]",
        "…",
        "Read more",
        "Read the full story »",
        "Continue reading Ferry moved",
        "Weiterlesen",
    ],
)
def test_c11_a_beginning_that_ends_with_a_continuation_is_a_teaser(ending: str):
    assert is_teaser(entry(PARAGRAPH * 15 + f"<p>{ending}</p>"))
    credit = "<p>The post <a href='/1'>Ferry moved</a> appeared first on <a href='/'>Harbour</a>.</p>"
    assert is_teaser(entry(PARAGRAPH * 15 + f"<p>{ending}</p>" + credit))


def test_c11_a_summary_alone_must_be_longer_to_pass_for_the_article():
    assert is_teaser(entry(PARAGRAPH * 10, summary=PARAGRAPH * 10))
    assert not is_teaser(entry(PARAGRAPH * 10, summary="Short."))
    assert not is_teaser(entry(PARAGRAPH * 20, summary=PARAGRAPH * 20))


def test_an_entry_without_a_page_is_complete():
    assert not is_teaser(entry("Short note.", link=None))
    assert is_teaser(entry(None))


@pytest.mark.parametrize(
    ("moment", "expected", "code"),
    [
        (NOW - timedelta(days=400), NOW - timedelta(days=400), ""),
        (NOW + timedelta(hours=5), NOW, "date_in_the_future"),
        (NOW + timedelta(days=300), None, "date_in_the_future"),
        (datetime(1970, 1, 1, tzinfo=UTC), None, "date_before_the_web"),
        (datetime(1601, 1, 1, tzinfo=UTC), None, "date_before_the_web"),
        (None, None, ""),
    ],
)
def test_c15_an_impossible_date_is_dropped(moment, expected, code):
    warnings = WarningLog()
    assert plausible_date(moment, NOW, warnings) == expected
    assert "".join(line.partition(":")[0] for line in warnings.lines()) == code


def test_c11_the_excerpt_of_an_entry_is_plain_text():
    assert excerpt("<p>Profits &amp;amp; <b>losses</b></p>", 100) == "Profits & losses"
    assert excerpt("one two three four", 9) == "one two…"


@given(st.text(), st.integers(10, 200))
def test_an_excerpt_never_exceeds_its_limit(text: str, longest: int):
    assert len(excerpt(text, longest) or "") <= longest + 1


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Tides <script>alert(1)</script> rise", "Tides rise"),
        ("Tides &lt;script&gt;alert(1)&lt;/script&gt; rise", "Tides rise"),
        ("Tides &amp;lt;script&amp;gt;alert(1)&amp;lt;/script&amp;gt; rise", "Tides rise"),
        ("<![CDATA[Tides <style>.a > .b {top: 0}</style> rise]]>", "Tides rise"),
        ("Why the <blink/> tag died", "Why the <blink> tag died"),
        ("Why the <blink> tag died", "Why the <blink> tag died"),
        ("Why the &lt;blink&gt; tag died", "Why the <blink> tag died"),
        ("How to centre a &lt;div&gt;", "How to centre a <div>"),
        ("&lt;div&gt;Boxed&lt;/div&gt; tides", "Boxed tides"),
        ("The <b>last</b> <i>tide</i>", "The last tide"),
    ],
)
def test_a_title_loses_its_code_and_keeps_the_tags_that_it_is_about(title: str, expected: str):
    feed = parse_feed(
        f'<rss version="2.0"><channel><item><title>{title}</title></item></channel></rss>'.encode()
    )
    assert feed.entries[0].title == expected
