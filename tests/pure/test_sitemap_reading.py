"""Sitemaps from bytes: every form, every condition, and nothing hostile."""

import gzip
import tracemalloc
from functools import partial
from html import escape

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from headwater.model.warning_log import WarningLog
from headwater.sources.sitemaps.parser import decompress_sitemap, parse_sitemap
from headwater.sources.sitemaps.sitemap import NotASitemap, SitemapEntry
from headwater.sources.sitemaps.xml_parser import parse_loosely

# Without its date, so that the same bytes come out each time.
packed_as = partial(gzip.compress, mtime=0)


SPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def read(body, notes=None, **told):
    found = parse_sitemap(
        body, url="http://a.example/sitemap.xml", media_type="", warn=notes or WarningLog(), **told
    )
    return found.kind, list(found.entries)


def urlset(*lines, space=SPACE):
    inner = "".join(f"<url><loc>{escape(url)}</loc><lastmod>{when}</lastmod></url>" for url, when in lines)
    return f"<?xml version='1.0' encoding='UTF-8'?>\n<urlset {space}>{inner}</urlset>".encode()


ADDRESSES = st.lists(
    st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=40).map(
        lambda path: f"http://a.example/{path}"
    ),
    max_size=30,
)


@given(ADDRESSES)
def test_p3_whatever_is_written_as_xml_is_read_back_in_order(urls):
    kind, listed = read(urlset(*((url, "2026-11-13") for url in urls)))
    assert (kind, [one.url for one in listed]) == ("urls", urls)
    assert all(one.lastmod == "2026-11-13" for one in listed)


@given(ADDRESSES, st.integers(1, 400))
def test_the_loose_reader_finds_what_the_strict_one_finds_however_the_pieces_fall(urls, size):
    body = urlset(*((url, "2026") for url in urls))
    cut = (body[start : start + size] for start in range(0, len(body), size))
    assert [one.url for one in parse_loosely(cut)] == [one.url for one in read(body)[1]]


@example(position=294, dirt=b"rdf:")
@given(st.integers(0, 1500), st.binary(max_size=20))
def test_damage_anywhere_loses_no_line_before_it_and_raises_only_one_thing(position, dirt):
    lines = [(f"http://a.example/{number}", "2026") for number in range(20)]
    body = urlset(*lines)
    broken = body[:position] + dirt + body[position:]
    try:
        _, listed = read(broken)
    except NotASitemap:
        assert position < len(body) - 20 * 60
        return
    whole = body[:position].count(b"</url>")
    assert [one.url for one in listed[:whole]] == [url for url, _ in lines[:whole]]


@settings(max_examples=300)
@given(st.binary(max_size=300))
def test_bytes_of_any_kind_give_lines_or_one_named_refusal(body):
    refused, listed = None, []
    try:
        _, listed = read(body)
    except NotASitemap as error:
        refused = error.reason
    assert refused or all(isinstance(one, SitemapEntry) and one.url for one in listed)


def test_an_index_is_told_apart_and_carries_its_dates():
    body = f"<sitemapindex {SPACE}><sitemap><loc>http://a.example/1.xml</loc><lastmod>2026-11</lastmod></sitemap></sitemapindex>"
    assert read(body.encode()) == ("index", [SitemapEntry(url="http://a.example/1.xml", lastmod="2026-11")])


@pytest.mark.parametrize(
    "body",
    [
        urlset(("http://a.example/1", ""), space=""),
        urlset(("http://a.example/1", ""), space='xmlns="http://www.google.com/schemas/sitemap/0.84"'),
        b"\xef\xbb\xbf" + urlset(("http://a.example/1", "")),
        b"\n \n" + urlset(("http://a.example/1", "")),
        urlset(("http://a.example/1", "")).decode().replace("UTF-8", "UTF-16").encode("utf-16"),
        urlset(("http://a.example/1", "")).replace(b"UTF-8", b"windows-1252"),
        b"<urlset><url><loc><![CDATA[http://a.example/1]]></loc></url></urlset>",
        b"<urlset><url><loc>\n  http://a.example/1\n</loc></url></urlset>",
        b"<ns:urlset xmlns:ns='x'><ns:url><ns:loc>http://a.example/1</ns:loc></ns:url></ns:urlset>",
        b"<!DOCTYPE urlset SYSTEM 'sitemap.dtd'><urlset><url><loc>http://a.example/1</loc></url></urlset>",
        b"http://a.example/1\n",
        "\ufeffhttp://a.example/1\r\n\r\n".encode(),
        b"# ours\nhttp://a.example/1",
        packed_as(b"http://a.example/1"),
        packed_as(packed_as(urlset(("http://a.example/1", "")))),
    ],
)
def test_a_line_is_found_in_every_form(body):
    assert [one.url for one in read(body)[1]] == ["http://a.example/1"]


def test_unescaped_ampersands_are_forgiven_and_parameters_stay_what_they_are():
    body = urlset(("http://a.example/?a=1", ""), ("http://a.example/X", "")).replace(
        b"X", b"?x=1&copy=2&amp;y=3"
    )
    notes = WarningLog()
    assert [one.url for one in read(body, notes)[1]] == [
        "http://a.example/?a=1",
        "http://a.example/?x=1&copy=2&y=3",
    ]
    assert "malformed" in notes


def test_pictures_and_comments_are_no_pages_not_even_in_a_broken_file():
    line = "<url><loc>http://a.example/1</loc><image:image><image:loc>http://a.example/p.png</image:loc></image:image></url>"
    hidden = "<!-- <url><loc>http://a.example/old</loc></url> -->"
    for end in ("</urlset>", ""):
        body = f"<urlset xmlns:image='i'>{hidden}{line}{end}".encode()
        assert [one.url for one in read(body)[1]] == ["http://a.example/1"]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (
            b"<!DOCTYPE u [<!ENTITY a 'b'>]><urlset><url><loc>http://a.example/&a;</loc></url></urlset>",
            "refused_entities",
        ),
        (b"<!DOCTYPE u [<!ENTITY % a SYSTEM 'file:///etc/passwd'>%a;]><urlset/>", "refused_entities"),
        (b"<!DOCTYPE u [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><urlset/>", "refused_entities"),
        (b"<urlset>" + b"<url>" * 100_000, "too_deep"),
        (packed_as(b"<urlset>" + b" " * 60_000_000), "too_large"),
        (packed_as(urlset(("http://a.example/1", "")))[:20] + b"garbage" * 9, "compressed"),
        (b"<!doctype html><p>Not here", "html"),
        (b"<opml version='2.0'></opml>", "unknown"),
        (b"just\nsome\nwords\n", "unknown"),
        (b"a line without end " * 10_000, "unknown"),
        (b"\n\n", "empty"),
        (b"<?xml version='1.0'?><", "malformed"),
    ],
)
def test_what_is_hostile_or_something_else_is_refused_by_name(body, reason):
    with pytest.raises(NotASitemap) as refused:
        read(body)
    assert refused.value.reason == reason


def test_too_many_and_too_long_lines_are_left_out_with_a_note():
    notes = WarningLog()
    body = urlset(
        ("http://a.example/" + "x" * 3000, ""), ("http://a.example/1", ""), ("http://a.example/2", "")
    )
    assert [one.url for one in read(body, notes, most=2)[1]] == ["http://a.example/1"]
    assert "address_too_long" in notes
    assert "too_many_addresses" in notes


def test_a_file_of_the_largest_size_is_read_in_little_memory():
    line = b"<url><loc>http://a.example/" + b"x" * 900 + b"</loc><lastmod>2026-11-13</lastmod></url>\n"
    packed = packed_as(b"<urlset>" + line * 50_000 + b"</urlset>", 1)
    tracemalloc.start()
    try:
        found = parse_sitemap(packed, url="http://a.example/s.xml.gz", media_type="", warn=WarningLog())
        assert sum(1 for _ in found.entries) == 50_000
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()


def test_pieces_never_exceed_the_limit_even_when_the_packed_body_is_tiny():
    bomb = packed_as(b"\0" * 100_000_000)
    sizes: list[int] = []
    with pytest.raises(NotASitemap, match="too_large"):
        sizes.extend(map(len, decompress_sitemap(bomb, warn=WarningLog(), limit=1_000_000)))
    assert sum(sizes) <= 1_000_000
