"""OPML, from trusted and untrusted programs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.sources.feeds.feed import NotAFeed
from headwater.sources.feeds.opml import OpmlOutline, parse_opml, write_opml

names = st.text(
    st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs")), min_size=1, max_size=20
).map(lambda text: " ".join(text.replace("<", "").replace("&", "").split()).strip(" /,") or "x")
categories = st.lists(names.map(lambda text: text.replace(",", "").strip(" /") or "y"), max_size=3)
outlines = st.builds(
    lambda number, name, paths: OpmlOutline(
        name=name, url=f"http://x.example/{number}", categories=tuple(dict.fromkeys(paths))
    ),
    st.integers(0, 50),
    names,
    categories,
)


@given(st.lists(outlines, max_size=8, unique_by=lambda outline: outline.url))
def test_c1_every_url_that_is_written_is_read_again(expected: list[OpmlOutline]):
    parsed, warnings = parse_opml(write_opml("All <of> them", expected).encode())
    assert {outline.url for outline in parsed} == {outline.url for outline in expected}
    assert warnings == () or all(line.startswith(("mojibake", "double_encoded")) for line in warnings)


def test_nested_outlines_are_categories_and_a_url_comes_once():
    outlines, _ = parse_opml(
        b'<opml version="1.0"><body><outline text="A"><outline text="B"><outline text="W" xmlUrl="http://x.example/f"/>'
        b'</outline></outline><outline title="W again" xmlUrl="http://x.example/f" category="/C, D"/>'
        b'<outline text="lower" xmlurl="feed://y.example/f"/><outline text="no feed"/></body></opml>'
    )
    assert outlines == (
        OpmlOutline(name="W", url="http://x.example/f", categories=("A/B", "C", "D")),
        OpmlOutline(name="lower", url="http://y.example/f"),
    )


def test_the_readable_part_of_a_damaged_list_is_kept():
    outlines, warnings = parse_opml(
        b'junk <opml><body><outline text="Fish & chips" xmlUrl="http://x.example/?a=1&b=2"/>\x0b</body></opml>'
    )
    assert [(outline.name, outline.url) for outline in outlines] == [
        ("Fish & chips", "http://x.example/?a=1&b=2")
    ]
    assert warnings


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<html/>",
        b"no list",
        b'<!DOCTYPE opml [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><opml><body><outline text="&b;" xmlUrl="http://x.example/"/></body></opml>',
        b'<!DOCTYPE opml [<!ENTITY a SYSTEM "file:///etc/passwd">]><opml><body><outline text="&a;"/></body></opml>',
    ],
)
def test_c38_other_documents_and_hostile_lists_are_refused(data: bytes):
    with pytest.raises(NotAFeed):
        parse_opml(data)


def test_urls_that_are_not_http_are_left_out():
    outlines, warnings = parse_opml(
        b'<opml><body><outline text="x" xmlUrl="javascript:alert(1)"/></body></opml>'
    )
    assert outlines == ()
    assert warnings[0].startswith("unusable_address")


def test_a_bottomless_list_ends():
    deep = b'<outline text="x">' * 5000 + b"</outline>" * 5000
    outlines, warnings = parse_opml(b"<opml><body>" + deep + b"</body></opml>")
    assert outlines == ()
    assert any(line.startswith("outlines_left_out") for line in warnings)
