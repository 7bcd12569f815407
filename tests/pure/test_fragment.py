"""Bodies of feed entries, read as what they are: all content."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.extract.html.fragment import FragmentReader, is_fragment, read_fragment
from headwater.model.outcomes import ExtractHints, Reading, Unreadable

HINTS = ExtractHints(url="http://x.example/2026/1", media_type="text/html")
BODY = (
    "<h2>Ferry moved</h2><p>The harbour office moved the <b>ferry</b> by an hour &amp; a half.</p>"
    '<ul><li>Tide</li><li>Wind</li></ul><p><img src="/t.jpg"><a href="/2">More</a> tomorrow.</p>'
    '<p>The post <a href="/1">Ferry moved</a> appeared first on <a href="/">Harbour</a>.</p>'
)


def test_c11_everything_is_kept_except_the_credit_line():
    reading = read_fragment(BODY.encode(), HINTS)
    assert isinstance(reading, Reading)
    assert reading.text == (
        "## Ferry moved\n\nThe harbour office moved the ferry by an hour & a half.\n\n- Tide\n- Wind\n\nMore tomorrow."
    )
    assert (reading.image, reading.links) == ("http://x.example/t.jpg", ("http://x.example/2",))
    assert reading.origins["text"] == "feed entry"


@pytest.mark.parametrize(
    "data",
    [
        b"<!doctype html><p>x</p>",
        b"<html><p>x</p></html>",
        b"<title>x</title><p>y</p>",
        b"<nav>x</nav>",
        b"%PDF-1.4",
        b"a\x00b",
        b"<p>" * 6000,
        b"x" * 300_000,
    ],
)
def test_possible_pages_and_large_input_go_to_the_page_reader(data: bytes):
    passed_on: list[bytes] = []

    def other(data: bytes, hints: ExtractHints) -> Unreadable:
        del hints
        passed_on.append(data)
        return Unreadable("seen")

    assert FragmentReader(other)(data, HINTS) == Unreadable("seen")
    assert passed_on == [data]


def test_empty_input_has_no_text():
    assert read_fragment(b"<p> </p><script>1</script>", HINTS) == Unreadable("no_text")


@given(st.text(st.sampled_from("ab <>/&;p=\"'!-i"), max_size=200))
def test_c38_any_input_is_read_or_refused(text: str):
    data = text.encode()
    if is_fragment(data):
        assert isinstance(read_fragment(data, HINTS), Reading | Unreadable)
