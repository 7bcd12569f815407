"""Small versions of pages that break parsers; the full sizes run in the benchmark."""

import pytest

from headwater.extract.html.barriers import LARGEST_HTML
from headwater.extract.html.parser import limit_depth, truncate_markup
from headwater.extract.html.reader import read_html
from headwater.model.outcomes import ExtractHints, Reading, Unreadable

WORDS = b"Some words of text, and a few more of them, so that there is something to read here. "
PAGES = {
    "nested": b"<div>" * 8_000 + WORDS * 3 + b"</div>" * 8_000,
    "nested inline": b"<b><i><font>" * 5_000 + WORDS * 3,
    "nested lists": b"<ul><li>" * 4_000 + WORDS * 3,
    "nested tables": b"<table><tr><td>" * 300 + WORDS * 3,
    "links": b"<p>" + WORDS + b'<a href="/x">link</a> ' * 10_000,
    "unclosed": b"<div><span><b>word " * 6_000,
    "long attribute": b'<p class="' + b"x" * 300_000 + b'">' + WORDS * 3 + b"</p>",
    "long script": b"<script>" + b"var a = 1;" * 50_000 + b"</script><p>" + WORDS * 3 + b"</p>",
    "long text": b"<p>" + WORDS * 5_000,
    "quotes in names": b"<p a\"b='1' \"='>' x>" + WORDS * 3 + b"</p>",
    "endless comment": b"<p>" + WORDS * 3 + b"</p><!-- " + b"x" * 100_000,
    "surrogates": b"<p>&#xD800; " + WORDS * 3 + b"&#xDFFF;</p>",
    "nulls": b"<p>\0\0" + WORDS * 3 + b"\0</p>",
    "two bodies": b"<body><p>" + WORDS + b"</p></body><body><p>" + WORDS * 2 + b"</p></body>",
    "frames": b"<frameset><frame src=a></frameset>",
}


@pytest.mark.parametrize("name", PAGES)
def test_hostile_pages_end_as_text_or_as_a_reason(name):
    outcome = read_html(PAGES[name], ExtractHints(url="https://site.example/a"))
    if isinstance(outcome, Reading):
        outcome.text.encode()
        assert outcome.plain.strip()
        assert "var a" not in outcome.text
    else:
        assert outcome.reason in {"no_text", "js_required"}


@pytest.mark.parametrize(
    "name", ["nested", "nested inline", "nested lists", "long attribute", "long script", "long text"]
)
def test_the_text_in_the_middle_is_found(name):
    outcome = read_html(PAGES[name], ExtractHints())
    assert isinstance(outcome, Reading)
    assert "Some words of text" in outcome.plain


def test_a_page_over_the_limit_is_refused_with_its_reason():
    outcome = read_html(b"x" * (LARGEST_HTML + 1), ExtractHints())
    assert isinstance(outcome, Unreadable)
    assert outcome.reason == "too_large"


def test_a_page_over_the_limit_of_markup_loses_its_scripts_first(monkeypatch):
    monkeypatch.setattr("headwater.extract.html.parser.LARGEST_MARKUP", 50_000)
    heavy = '<p class="' + "x" * 30_000 + '">one</p><script>' + "y" * 30_000 + "</script><p>two</p>"
    markup, truncated = truncate_markup(heavy)
    assert not truncated
    assert "two" in markup
    assert "yyy" not in markup
    assert truncate_markup("word " * 20_000) == ("word " * 10_000, True)


def test_ordinary_pages_are_not_touched_by_the_guard():
    page = "<div><p>word</p></div>" * 5_000
    assert limit_depth(page) == page


def test_endless_nesting_is_removed():
    assert "<div" not in limit_depth("<div>" * 20_000 + "<p>word</p>")


@pytest.mark.parametrize("url", ["http://[bad", "not a url", "//", "https://a.example:notaport/x", ""])
def test_an_invalid_url_does_no_harm(url):
    outcome = read_html(
        b"<base href='http://[x'><link rel=canonical href='http://[y'><p><a href='//['>x</a>" + WORDS * 3,
        ExtractHints(url=url),
    )
    assert isinstance(outcome, Reading)
    assert outcome.links == ()


def test_linked_data_of_the_wrong_shape_does_no_harm():
    shapes = b'{"@type":["Article",3],"author":[[{"name":{"a":1}}]],"datePublished":5,"keywords":{"x":[]},"image":[{"url":{"q":1}}],"@id":[1]}'
    outcome = read_html(
        b'<script type="application/ld+json">' + shapes + b"</script><p>" + WORDS * 3, ExtractHints()
    )
    assert isinstance(outcome, Reading)
    assert outcome.published is None
