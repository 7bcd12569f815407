"""Sitemaps from bytes: every format, every condition, and nothing hostile."""

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

# Without a date in the header, so that the bytes are the same each time.
packed_as = partial(gzip.compress, mtime=0)


SPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def read(body, warnings=None, **options):
    sitemap = parse_sitemap(
        body, url="http://a.example/sitemap.xml", media_type="", warn=warnings or WarningLog(), **options
    )
    return sitemap.kind, list(sitemap.entries)


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
    kind, entries = read(urlset(*((url, "2026-11-13") for url in urls)))
    assert (kind, [entry.url for entry in entries]) == ("urls", urls)
    assert all(entry.lastmod == "2026-11-13" for entry in entries)


@given(ADDRESSES, st.integers(1, 400))
def test_the_loose_parser_finds_what_the_strict_one_finds_however_the_chunks_are_cut(urls, size):
    body = urlset(*((url, "2026") for url in urls))
    chunks = (body[start : start + size] for start in range(0, len(body), size))
    assert [entry.url for entry in parse_loosely(chunks)] == [entry.url for entry in read(body)[1]]


@example(position=294, dirt=b"rdf:")
@given(st.integers(0, 1500), st.binary(max_size=20))
def test_damage_anywhere_loses_no_entry_before_it_and_raises_only_one_error(position, dirt):
    lines = [(f"http://a.example/{number}", "2026") for number in range(20)]
    body = urlset(*lines)
    broken = body[:position] + dirt + body[position:]
    try:
        _, entries = read(broken)
    except NotASitemap:
        assert position < len(body) - 20 * 60
        return
    complete = body[:position].count(b"</url>")
    assert [entry.url for entry in entries[:complete]] == [url for url, _ in lines[:complete]]


@settings(max_examples=300)
@given(st.binary(max_size=300))
def test_any_bytes_yield_entries_or_one_named_error(body):
    refused, entries = None, []
    try:
        _, entries = read(body)
    except NotASitemap as error:
        refused = error.reason
    assert refused or all(isinstance(entry, SitemapEntry) and entry.url for entry in entries)


def test_an_index_is_recognised_and_carries_its_dates():
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
def test_an_entry_is_found_in_every_format(body):
    assert [entry.url for entry in read(body)[1]] == ["http://a.example/1"]


def test_unescaped_ampersands_are_forgiven_and_parameters_stay_what_they_are():
    body = urlset(("http://a.example/?a=1", ""), ("http://a.example/X", "")).replace(
        b"X", b"?x=1&copy=2&amp;y=3"
    )
    warnings = WarningLog()
    assert [entry.url for entry in read(body, warnings)[1]] == [
        "http://a.example/?a=1",
        "http://a.example/?x=1&copy=2&y=3",
    ]
    assert "malformed" in warnings


def test_images_and_comments_are_not_pages_even_in_a_broken_file():
    line = "<url><loc>http://a.example/1</loc><image:image><image:loc>http://a.example/p.png</image:loc></image:image></url>"
    hidden = "<!-- <url><loc>http://a.example/old</loc></url> -->"
    for end in ("</urlset>", ""):
        body = f"<urlset xmlns:image='i'>{hidden}{line}{end}".encode()
        assert [entry.url for entry in read(body)[1]] == ["http://a.example/1"]


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
        (packed_as(b" " * 60_000_000), "too_large"),
        (packed_as(urlset(("http://a.example/1", "")))[:20] + b"garbage" * 9, "compressed"),
        (b"<!doctype html><p>Not here", "html"),
        (b"<opml version='2.0'></opml>", "unknown"),
        (b"just\nsome\nwords\n", "unknown"),
        (b"a line without end " * 10_000, "unknown"),
        (b"\n\n", "empty"),
        (b"<?xml version='1.0'?><", "malformed"),
    ],
)
def test_hostile_and_other_documents_are_refused_by_name(body, reason):
    with pytest.raises(NotASitemap) as refused:
        read(body)
    assert refused.value.reason == reason


def test_too_many_and_too_long_entries_are_left_out_with_a_warning():
    warnings = WarningLog()
    body = urlset(
        ("http://a.example/" + "x" * 3000, ""), ("http://a.example/1", ""), ("http://a.example/2", "")
    )
    assert [entry.url for entry in read(body, warnings, most=2)[1]] == ["http://a.example/1"]
    assert "address_too_long" in warnings
    assert "too_many_addresses" in warnings


def test_a_file_of_the_largest_size_is_read_in_little_memory():
    line = b"<url><loc>http://a.example/" + b"x" * 900 + b"</loc><lastmod>2026-11-13</lastmod></url>\n"
    packed = packed_as(b"<urlset>" + line * 50_000 + b"</urlset>", 1)
    tracemalloc.start()
    try:
        sitemap = parse_sitemap(packed, url="http://a.example/s.xml.gz", media_type="", warn=WarningLog())
        assert sum(1 for _ in sitemap.entries) == 50_000
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()


def test_chunks_never_exceed_the_limit_even_when_the_compressed_body_is_tiny():
    bomb = packed_as(b"\0" * 100_000_000)
    sizes: list[int] = []
    with pytest.raises(NotASitemap, match="too_large"):
        sizes.extend(map(len, decompress_sitemap(bomb, warn=WarningLog(), limit=1_000_000)))
    assert sum(sizes) <= 1_000_000
