import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.text.charset import declared_charset
from headwater.text.sniffing import media_type_of


@pytest.mark.parametrize(
    ("declared", "body", "expected"),
    [
        ("text/html; charset=utf-8", b"<!DOCTYPE html><p>x", "text/html"),
        ("text/html", b'<?xml version="1.0"?><rss version="2.0">', "application/rss+xml"),
        ("text/plain", b"\xef\xbb\xbf<feed xmlns='http://www.w3.org/2005/Atom'>", "application/atom+xml"),
        ("application/xml", b"<?xml version='1.0'?><!-- a > b --><rdf:RDF xmlns=''>", "application/rdf+xml"),
        ("text/xml", b"<?xml version='1.0'?><urlset>", "application/xml"),
        ("text/plain", b"<?xml version='1.0'?><anything>", "application/xml"),
        ("application/json", b'{"version":"https://jsonfeed.org/version/1.1"}', "application/feed+json"),
        ("text/html", b'{"status":"OK"}', "application/json"),
        ("text/html", b"%PDF-1.7", "application/pdf"),
        (
            "application/octet-stream",
            b"PK\x03\x04....word/document.xml",
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        ),
        (
            "application/vnd.oasis.opendocument.text",
            b"PK\x03\x04....",
            "application/vnd.oasis.opendocument.text",
        ),
        ("application/pdf", b"<html><body>not found", "application/pdf"),
        ("", b"<html>", "text/html"),
        ("", b"plain words", "text/plain"),
        ("nonsense", b"\x00\x01\x02", "application/octet-stream"),
        ("application/rss+xml", b"<!doctype html>", "application/rss+xml"),
        ("text/html", b"<div>fragment</div>", "text/html"),
        ("application/xhtml+xml", b"<html>", "application/xhtml+xml"),
    ],
)
def test_a_header_that_lies_is_corrected_by_the_body(declared, body, expected):
    assert media_type_of(declared, body) == expected


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ("text/html; charset=UTF-8", "utf-8"),
        ('text/html; charset="ISO-8859-1"', "iso-8859-1"),
        ("text/html", None),
        ("text/html; charset=", None),
    ],
)
def test_the_character_set_is_the_one_declared(declared, expected):
    assert declared_charset(declared) == expected


@given(st.text(max_size=30), st.binary(max_size=200))
def test_every_body_has_a_media_type(declared, body):
    assert "/" in media_type_of(declared, body)
