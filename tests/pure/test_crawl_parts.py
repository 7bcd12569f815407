"""The parts of a crawl: filters, scope, markers, traps, the frontier and the page."""

from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.model.errors import Permanent
from headwater.sources.crawl.frontier import Frontier, trap_reason, url_shape
from headwater.sources.crawl.page import parse_page
from headwater.sources.crawl.settings import page_matcher_option
from headwater.sources.options import duration_option, url_filter_option
from headwater.sources.scope import scope_of, site_of
from headwater.text.folding import find_markers, fold_text
from headwater.text.urls import canonical_url

WORDS = st.text("abcxyz/.-?=&0123456789", max_size=30)
URLS = WORDS.map(lambda path: f"http://site.example/{path}")


@given(st.lists(WORDS.filter(bool), max_size=4), st.lists(WORDS.filter(bool), max_size=4), URLS)
def test_p3_a_filter_passes_what_is_included_and_not_excluded(include, exclude, url):
    passes = url_filter_option({"include": include, "exclude": exclude})(url)
    assert passes == (
        (not include or any(part in url for part in include)) and not any(p in url for p in exclude)
    )


@given(st.lists(WORDS.filter(bool), min_size=1, max_size=4), URLS)
def test_a_pattern_that_spells_a_part_means_the_same_as_the_part(parts, url):
    import re

    plain = url_filter_option({"include": parts})
    assert plain(url) == url_filter_option({"include": [f"re:{re.escape(part)}" for part in parts]})(url)


@given(URLS, WORDS.filter(bool))
def test_excluding_more_never_passes_more(url, part):
    assert url_filter_option({"exclude": [part]})(url) <= url_filter_option({})(url)


@pytest.mark.parametrize(
    ("url", "inside"),
    [
        ("http://site.example/a", True),
        ("https://www.site.example:8443/a", True),
        ("http://SITE.example./a", True),
        ("http://a.b.site.example/", True),
        ("http://mysite.example/", False),
        ("http://site.example.evil.example/", False),
        ("http://evil.example/site.example", False),
        ("http://site.example@evil.example/", False),
        ("ftp://site.example/", False),
        ("javascript:alert(1)//site.example", False),
        ("//site.example/", False),
        ("http://[site.example/", False),
        ("http://site.example:99999/", False),
        ("", False),
    ],
)
def test_p6_a_scope_is_the_host_and_its_subdomains(url, inside):
    assert (url in scope_of(["http://site.example/"])) is inside


def test_without_subdomains_only_the_host_itself_is_in_scope():
    scope = scope_of(["http://www.site.example/"], subdomains=False)
    assert "http://site.example/x" in scope
    assert "http://sub.site.example/x" not in scope


@given(st.text(max_size=60))
def test_any_text_can_be_checked_and_what_is_in_scope_names_the_host(text):
    if text in scope_of(["http://site.example/"]):
        host = (urlsplit(text).hostname or "").rstrip(".")
        assert host == "site.example" or host.endswith(".site.example")
    assert site_of(text) == site_of(text).lower()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("REQUISITOS y Plazos", ("Requisitos", "plazo")),
        ("Documentación  \n necesaria:", ("documentacion necesaria",)),
        ("un reemplazo", ()),
        ("el (plazo)", ("plazo",)),
        ("requi sitos", ()),
        ("", ()),
    ],
)
def test_p6_markers_are_found_whatever_their_case_and_accents(text, expected):
    assert find_markers(text, ["Requisitos", "documentacion necesaria", "plazo"]) == expected


@given(st.text(max_size=80))
def test_folding_again_changes_nothing_and_case_never_matters(text):
    assert fold_text(fold_text(text)) == fold_text(text)
    assert find_markers(text, [text]) == ((text,) if fold_text(text) else ())


@given(st.lists(URLS, max_size=40), st.integers(1, 5))
def test_p6_the_frontier_returns_each_url_once_in_order_and_bounds_every_shape(urls, per_shape):
    frontier = Frontier(per_shape=per_shape)
    frontier.add(urls, 1)
    given_out = []
    while (stop := frontier.next()) is not None:
        given_out.append(stop)
    keys = [stop.key for stop in given_out]
    assert len(keys) == len(set(keys))
    assert all(stop.key == canonical_url(stop.url) for stop in given_out)
    order = [urls.index(stop.url) for stop in given_out]
    assert order == sorted(order)
    shapes = [url_shape(key) for key in keys]
    assert all(shapes.count(shape) <= per_shape for shape in shapes)
    assert {canonical_url(url) for url in urls} == set(keys) or frontier.skipped


def test_the_target_of_a_redirect_is_not_visited_again():
    frontier = Frontier()
    frontier.add(["http://site.example/a", "http://site.example/b"], 0)
    assert frontier.next().url == "http://site.example/a"
    assert not frontier.mark_reached("http://site.example/b")
    assert frontier.mark_reached("http://site.example/b")
    assert frontier.next() is None
    assert frontier.waiting_pages(5) == []


def test_a_full_frontier_counts_what_it_skips():
    frontier = Frontier(max_waiting=2)
    frontier.add([f"http://site.example/{name}" for name in "abcd"], 0)
    assert frontier.skipped == {"frontier_full": 2}


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://site.example/tramites/padron?id=7", ""),
        ("http://site.example/" + "a/" * 13, "too_deep"),
        ("http://site.example/" + "/".join(["x", "y"] * 4), "repeats"),
        ("http://site.example/?" + "&".join(f"p{n}=1" for n in range(9)), "too_many_parameters"),
        ("http://site.example/" + "x" * 2100, "too_long"),
    ],
)
def test_traps_are_recognised_by_their_shape(url, reason):
    assert trap_reason(url) == reason


def test_urls_of_one_template_have_one_shape():
    shapes = {
        url_shape(url)
        for url in (
            "http://site.example/agenda/2026/11/13?vista=mes&sid=1",
            "http://site.example/agenda/2027/1/2?sid=99&vista=dia",
        )
    }
    assert len(shapes) == 1
    assert url_shape("http://site.example/padron") != url_shape("http://site.example/obras")


def test_the_links_of_a_page_are_unique_absolute_and_without_fragment():
    body = b"""<base href="/sub/"><a href="a#x">1</a><a href=a>2</a><a href="/b?x=1&amp;y=2">3</a><a href="//c.example/d">4</a>
    <a href="mailto:x@y.example">5</a><a href="javascript:void(0)">6</a><a rel="external NoFollow" href=e>7</a><area href=f>
    <!-- <a href=hidden>8</a> --><script>"<a href=scripted>9</a>"</script><a href="g h">10</a><a href="http://[bad">11</a>"""
    page = parse_page(body, url="http://site.example/x/")
    assert page.links == (
        "http://site.example/sub/a",
        "http://site.example/b?x=1&y=2",
        "http://c.example/d",
        "http://site.example/sub/f",
        "http://site.example/sub/g%20h",
    )


def test_a_page_that_forbids_following_has_no_links():
    page = parse_page(
        b'<meta name=ROBOTS content="noindex, NoFollow"><a href=a>1</a>', url="http://site.example/"
    )
    assert (page.links, page.robots) == ((), {"noindex", "nofollow"})


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        ("<p>Documentación".encode(), "text/html"),
        ("<p>Documentación".encode("latin-1"), "text/html; charset=iso-8859-1"),
        ('<meta charset="iso-8859-1"><p>Documentación'.encode("latin-1"), "text/html"),
        ("\ufeff<p>Documentación".encode("utf-16"), "text/html"),
    ],
)
def test_the_text_of_a_page_is_decoded_with_its_own_charset(body, content_type):
    assert "Documentación" in parse_page(body, url="http://site.example/", content_type=content_type).text


@given(st.binary(max_size=400))
def test_any_bytes_are_parsed_and_all_links_are_urls(body):
    page = parse_page(body, url="http://site.example/")
    assert all(link.startswith(("http://", "https://")) for link in page.links)


@pytest.mark.parametrize("tag", ["<div>", "<b>", "<a href=x>", "<table><tr><td>", "<!--", "<", "<a "])
def test_endless_markup_is_parsed_quickly(tag):
    """A parser would take minutes for a tree of this depth, so unneeded parts are removed first."""
    page = parse_page(tag.encode() * (400_000 // len(tag)), url="http://site.example/")
    assert len(page.links) <= 1


def test_a_page_matches_by_its_url_and_enough_markers():
    recognise = page_matcher_option(
        {"page_patterns": "/tramites/", "markers": ["Requisitos", "Plazo"], "least_markers": 2}
    )
    url, words = "http://site.example/tramites/1", "requisitos; plazos"
    assert recognise.matching_markers(url, words, 1) == ("Requisitos", "Plazo")
    assert recognise.matching_markers(url, "requisitos", 1) is None
    assert recognise.matching_markers("http://site.example/otros", words, 1) is None


def test_without_rules_every_page_below_the_start_matches():
    recognise = page_matcher_option({})
    assert recognise.matching_markers("http://site.example/", "", 0) is None
    assert recognise.matching_markers("http://site.example/a", "", 1) == ()


@pytest.mark.parametrize(
    ("text", "seconds"), [("90s", 90), ("15m", 900), ("4h", 14400), ("7d", 604800), ("2w", 1209600), (30, 30)]
)
def test_durations_are_parsed(text, seconds):
    assert duration_option({"every": text}, "every").total_seconds() == seconds


@pytest.mark.parametrize("text", ["", "soon", "0d", "-1h", True, "1y"])
def test_an_invalid_duration_is_reported(text):
    with pytest.raises(Permanent, match="every"):
        duration_option({"every": text}, "every")
