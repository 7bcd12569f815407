"""Reservations of publishers about the use of their pages."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.fetch.politeness.rights_reservations import (
    SIGNALS,
    active_signals,
    read_tdmrep,
    rule_for,
    signals_in_file,
    signals_in_headers,
    signals_in_page,
)

FILE = json.dumps(
    [
        {"location": "/", "tdm-reservation": 0},
        {"location": "/news", "tdm-reservation": 1, "tdm-policy": "https://ledger.example/terms.json"},
        {"location": "/news/free/*.html$", "tdm-reservation": "0"},
        {"location": "/both", "tdm-reservation": 0},
        {"location": "/both", "tdm-reservation": 1},
        {"location": 7, "tdm-reservation": 1},
        {"location": "/odd", "tdm-reservation": "perhaps"},
        "nonsense",
    ]
).encode()


@pytest.mark.parametrize(
    ("path", "reserved"),
    [
        ("/", False),
        ("/news", True),
        ("/news/2026/a.html?x=1", True),
        ("/news/free/a.html", False),
        ("/news/free/a.html?x=1", True),
        ("/both", True),
        ("/odd/page", False),
    ],
)
def test_c39_the_longest_location_decides_and_of_two_equal_ones_the_one_that_reserves(path, reserved):
    rule = rule_for(read_tdmrep(FILE), path)
    assert rule is not None
    assert rule.reserved is reserved


def test_a_rule_is_recorded_with_its_policy():
    rule = rule_for(read_tdmrep(FILE), "/news/x")
    assert rule is not None
    assert signals_in_file(rule) == {
        "tdm-reservation": "1",
        "tdm-declared-in": "tdmrep.json",
        "tdm-policy": "https://ledger.example/terms.json",
    }


def test_one_rule_without_a_list_around_it_is_read_too():
    (rule,) = read_tdmrep(b'{"location": "/", "tdm-reservation": 1}')
    assert (rule.location, rule.reserved) == ("/", True)


@pytest.mark.parametrize("body", [b"", b"<html>", b"[" * 100_000, b"null", b"7", b"\xff\xfe", b'{"a": 1}'])
def test_an_invalid_file_has_no_rules(body):
    assert read_tdmrep(body) == ()
    assert rule_for((), "/x") is None


@given(st.binary(max_size=200))
def test_no_bytes_break_the_readers(body):
    assert isinstance(read_tdmrep(body), tuple)
    assert active_signals(signals_in_page(body, "headwater"), "headwater") <= set(SIGNALS)


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ('<meta name="robots" content="noai, noimageai">', {"noai", "noimageai"}),
        ("<META CONTENT='NoIndex' NAME=Robots />", {"noindex"}),
        ("<meta name=robots content=none>", {"noindex"}),
        ('<meta name="headwater" content="noai">', {"noai"}),
        ('<meta name="otherbot" content="noai">', set()),
        ('<meta name="robots" content="noindex"><meta name="robots" content="noai">', {"noindex", "noai"}),
        ('<meta name="tdm-reservation" content="1">', {"tdm"}),
        ('<meta name="tdm-reservation" content="0">', set()),
        ('<!-- <meta name="robots" content="noai"> -->', set()),
        ('<!-- a --><meta name="robots" content="noai"><!-- b -->', {"noai"}),
        (
            '<script>document.write("<div><meta name=robots content=noindex>")</script><meta name=robots content=noai>',
            {"noai"},
        ),
        ('<p>Words<meta name="robots" content="noai">', set()),
        ('<link rel="p" href="/x"><param><meta name="robots" content="noai">', {"noai"}),
        ('</head><body><meta name="robots" content="noai">', set()),
        ('<meta property="og:title" content="noai">', set()),
        ('<meta name="description" content="about robots, noai">', set()),
    ],
)
def test_c39_signals_in_the_head_of_a_page_are_read(head, expected):
    signals = signals_in_page(f"<html><head><title>x</title>{head}".encode(), "headwater")
    assert active_signals(signals, "headwater") == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("noai, noindex", {"noai", "noindex"}),
        ("headwater: noai", {"noai"}),
        ("Headwater : NoAI", {"noai"}),
        ("otherbot: noai", set()),
        ("otherbot: nofollow, noai", {"noai"}),
        ("unavailable_after: 25 Jun 2030 15:00:00 PST", set()),
        ("all", set()),
    ],
)
def test_c39_directives_in_a_header_are_for_all_agents_or_for_the_one_they_name(value, expected):
    assert active_signals(signals_in_headers({"X-Robots-Tag": value}), "headwater") == expected


def test_a_head_full_of_broken_elements_costs_no_more_than_reading_it():
    signals = signals_in_page(b"<meta " * 100_000 + b"<!--" * 100_000, "headwater")
    assert signals == {}
