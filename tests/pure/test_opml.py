"""Lists of feeds, from friends and from strangers."""

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
    lambda number, name, given: OpmlOutline(
        name=name, url=f"http://x.example/{number}", categories=tuple(dict.fromkeys(given))
    ),
    st.integers(0, 50),
    names,
    categories,
)


@given(st.lists(outlines, max_size=8, unique_by=lambda one: one.url))
def test_c1_what_is_written_is_read_again(wanted: list[OpmlOutline]):
    found, warnings = parse_opml(write_opml("All <of> them", wanted).encode())
    assert {one.url for one in found} == {one.url for one in wanted}
    assert warnings == () or all(line.startswith(("mojibake", "double_encoded")) for line in warnings)


def test_nested_outlines_are_categories_and_an_address_comes_once():
    found, _ = parse_opml(
        b'<opml version="1.0"><body><outline text="A"><outline text="B"><outline text="W" xmlUrl="http://x.example/f"/>'
        b'</outline></outline><outline title="W again" xmlUrl="http://x.example/f" category="/C, D"/>'
        b'<outline text="lower" xmlurl="feed://y.example/f"/><outline text="no feed"/></body></opml>'
    )
    assert found == (
        OpmlOutline(name="W", url="http://x.example/f", categories=("A/B", "C", "D")),
        OpmlOutline(name="lower", url="http://y.example/f"),
    )


def test_a_damaged_list_gives_what_can_be_saved():
    found, warnings = parse_opml(
        b'junk <opml><body><outline text="Fish & chips" xmlUrl="http://x.example/?a=1&b=2"/>\x0b</body></opml>'
    )
    assert [(one.name, one.url) for one in found] == [("Fish & chips", "http://x.example/?a=1&b=2")]
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
def test_c38_what_is_no_list_or_a_trap_is_refused(data: bytes):
    with pytest.raises(NotAFeed):
        parse_opml(data)


def test_addresses_that_are_no_web_addresses_are_left_out():
    found, warnings = parse_opml(
        b'<opml><body><outline text="x" xmlUrl="javascript:alert(1)"/></body></opml>'
    )
    assert found == ()
    assert warnings[0].startswith("unusable_address")


def test_a_bottomless_list_ends():
    deep = b'<outline text="x">' * 5000 + b"</outline>" * 5000
    found, warnings = parse_opml(b"<opml><body>" + deep + b"</body></opml>")
    assert found == ()
    assert any(line.startswith("outlines_left_out") for line in warnings)
